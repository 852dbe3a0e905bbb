package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// B-O10, B-O01: whatever is claimed, what was demanded decides.
func TestClaimsThatDoNotHold(t *testing.T) {
	t.Parallel()
	review := func(w *world, all ...*taxonomy.Evidence) {
		w.cfg.Reviewer = reviewer(func(in escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
			if in.Tier == "low" {
				assert.Equal(w.t, []string{"report.md"}, in.Files)
				return all, nil
			}
			return nil, nil
		})
	}
	for _, tt := range []struct {
		name, code string
		world      func(w *world)
		first      turn
	}{
		{"criteria", "mismatch", func(*world) {}, does("report.md", "nothing of use")},
		{"no file at all", "mismatch", func(*world) {}, does()},
		{"gate", "check gate", func(w *world) {
			w.gate = func() {
				w.gateFails = nil
				if w.exists("bad.go") {
					w.gateFails = []*taxonomy.Evidence{{Source: "check", Op: "gate", ExitCode: taxonomy.Some(1),
						Text: "tests fail"}}
				}
			}
		}, does("report.md", "found", "bad.go", "bad")},
		{"checks leave something behind", "unclean", func(w *world) {
			w.gate = func() {
				w.write("coverage.out", "x")
				w.gate = nil
			}
		}, does("report.md", "found")},
		{"checks change what was judged", "unclean", func(w *world) {
			w.gate = func() {
				w.write("report.md", "found, and formatted")
				w.gate = nil
			}
		}, does("report.md", "found")},
		// B-O03
		{"review", "drift",
			func(w *world) { review(w, &taxonomy.Evidence{Source: "review", Op: "review", Type: "drift"}) },
			does("report.md", "found")},
		{"no claim", "unclassified", func(*world) {}, says("I think I am done.")},
		{"nothing said", "unclassified", func(*world) {}, says("")},
		{"a claim that somebody else made", "unclassified", func(*world) {}, says("STEP DONE 00000000")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.world(w)
			w.tiers["low"].script = []turn{tt.first}
			w.tiers["mid"].script = []turn{simply("so it is", ""), does("report.md", "found well")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			first := res.Steps[0].Attempts[0]
			assert.Equal(t, tt.code, first.Code)
			assert.False(t, first.Counts)
			assert.NotEmpty(t, first.Findings)
			assert.Equal(t, "mid", res.Steps[0].By)
			assert.Equal(t, "found well", w.read("report.md"))
			assert.False(t, w.exists("coverage.out"))
		})
	}
}

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
