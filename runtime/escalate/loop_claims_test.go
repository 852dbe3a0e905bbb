package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type reviewer func(in escalate.ReviewInput) ([]*taxonomy.Evidence, error)

func (r reviewer) Review(_ context.Context, in escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
	return r(in)
}

func TestAllFindingsInOrder(t *testing.T) { // O38
	t.Parallel()
	w := newWorld(t)
	w.gate = func() {
		w.gateFails = []*taxonomy.Evidence{{Source: "check", Op: "gate", ExitCode: taxonomy.Some(1),
			Text: "tests fail"}}
		w.criteriaFail = []*taxonomy.Evidence{{Source: "check", Op: "criteria", Type: "flaky", Text: "light"},
			{Source: "check", Op: "criteria", Type: "halt", Text: "heavy"}}
	}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndBlocked, res.EndReason)
	a := res.Steps[0].Attempts[0]
	assert.Equal(t, "halt", a.Code, "the weightiest decides")
	require.Len(t, a.Findings, 3)
	assert.Equal(t, []string{"halt", "check gate", "flaky"},
		[]string{a.Findings[0].Code, a.Findings[1].Code, a.Findings[2].Code})
	assert.Contains(t, res.Question.Evidence, "tests fail")
}

// B-O03, B-O04: what an agent calls its failure counts as far as the taxonomy takes it.
func TestLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		turn    turn
		code    string
		claimed string
		refused string
	}{
		{"taken", labels("broken", "x"), "broken", "", ""},
		{"no rule", labels("drift", "I was misled"), "unclassified", "drift", "no rule takes it from an agent"},
		{"no such code", labels("NO_SUCH", "x"), "unclassified", "NO_SUCH", "there is no such code"},
		{"retryable otherwise", labels("broken", "x", `,"retryable":true`), "broken", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			delete(w.cfg.Calls.Tiers, "low")
			w.tiers["mid"].script = []turn{tt.turn}
			w.tiers["top"].script = []turn{simply("x", ""), does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			a := res.Steps[0].Attempts[0]
			assert.Equal(t, tt.code, a.Code)
			assert.Equal(t, tt.claimed, a.Claimed)
			assert.Contains(t, a.Refused, tt.refused)
			assert.Equal(t, tt.refused != "", len(w.kinds(escalate.Refused)) > 0)
			assert.Equal(t, tt.name == "retryable otherwise", a.Disagrees != "", a.Disagrees)
		})
	}
}

func TestDiagnosisThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: a")}
	w.tiers["mid"].script = []turn{says("I wonder.")}
	w.tiers["top"].script = []turn{simply("a", ""), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "top", res.Steps[0].By)
	assert.Equal(t, "unclassified", res.Steps[0].Attempts[1].Code)
}
