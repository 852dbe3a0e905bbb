package escalate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
)

// lastState is a journal that only remembers where the state is.
type lastState struct{ state *escalate.State }

func (*lastState) Open(context.Context, string) (*escalate.State, error) { return nil, nil }
func (l *lastState) Save(_ context.Context, s *escalate.State) error {
	l.state = s
	return nil
}
func (*lastState) Close() error { return nil }

// talker is a tier that says very much, and that it is done.
type talker struct{ says string }

func (*talker) Name() string                    { return "low" }
func (*talker) Available(context.Context) error { return nil }

func (t *talker) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	return executor.Answer{Text: t.says + "\nSTEP DONE " + escalate.Mark(req.Prompt)}, nil
}

// What is kept of a plan of many steps, whose tiers say very much, stays far below what a state may
// have.
func TestStateOfManyStepsIsBounded(t *testing.T) {
	t.Parallel()
	const steps = 400
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	low := &talker{says: strings.Repeat("This is what I did, word for word. ", 100<<10/35)}
	kept := &lastState{}
	w.cfg.Journal, w.cfg.Verifier, w.cfg.Observer = kept, well{}, nil
	w.cfg.Calls.Tiers = map[string]executor.Provider{"low": low}
	var p plan.Plan
	for i := range steps {
		p.Steps = append(p.Steps, plan.Step{
			ID: fmt.Sprint(i + 1), Title: "Report", Instructions: "Do it.",
			Criteria: []plan.Criterion{{Kind: plan.Exists, Path: "a"}},
		})
	}
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	b, err := json.Marshal(kept.state)
	require.NoError(t, err)
	assert.Less(t, len(b), 16<<20)
	last := res.Steps[steps-1].Attempts[0]
	assert.True(t, last.Counts)
	assert.True(t, strings.HasPrefix(last.Said, "This is what I did"), "of what was said the beginning stays")
	assert.Contains(t, last.Said, "STEP DONE", "and the end")
}

// Of a plan of few steps nothing is cut that is of use to people.
func TestFewStepsAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	report := "missing: no file\n" + strings.Repeat("a line of the report\n", 100)
	w.tiers["low"].script = []turn{saysFailed(report)}
	cause := "this: " + strings.Repeat("because", 500)
	w.tiers["mid"].script = []turn{simply(cause, "Read AGENTS.md."), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	attempts := res.Steps[0].Attempts
	require.Len(t, attempts, 3)
	assert.Contains(t, attempts[0].Said, report)
	assert.Equal(t, cause, attempts[1].Diagnosis.Cause)
	assert.Equal(t, "Read AGENTS.md.", res.Steps[0].Correction.New)
}
