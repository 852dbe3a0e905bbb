package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
)

// What observers are told is told by one goroutine at a time, with the run that it is of; a runner
// that is busy tells nothing of whom it refuses.
func TestObserverOfTwoRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := new(escalate.Runner)
	var told []escalate.Event
	w.cfg.Observer = observing(func(e escalate.Event) {
		told = append(told, e)
		if e.Kind == escalate.StepStarted {
			assert.Equal(t, escalate.EndRefused, r.Run(t.Context(), "other", oneStep()).EndReason)
		}
	})
	r = w.runner()
	w.tiers["low"].script = []turn{func(ctx context.Context, s *scripted, prompt string) (string, error) {
		refused := make(chan *escalate.Result)
		go func() { refused <- r.Run(t.Context(), "other", oneStep()) }()
		assert.Equal(t, escalate.EndRefused, (<-refused).EndReason)
		return does("report.md", "found")(ctx, s, prompt)
	}}
	require.Equal(t, escalate.EndCompleted, r.Run(t.Context(), "run", oneStep()).EndReason)
	for _, e := range told {
		assert.Equal(t, "run", e.Run)
	}
}

func TestObserverOfRunsAtOnce(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	w.cfg.Journal = nil
	w.cfg.Calls.Tiers = map[string]executor.Provider{"low": quick{}}
	w.cfg.Verifier = well{}
	told := map[string]int{}
	w.cfg.Observer = observing(func(e escalate.Event) { told[e.Run]++ })
	r := w.runner()
	ended := make(chan *escalate.Result)
	for _, name := range []string{"a", "b", "c"} {
		go func() { ended <- r.Run(t.Context(), name, oneStep()) }()
	}
	for range 3 {
		assert.Equal(t, escalate.EndCompleted, (<-ended).EndReason)
	}
	assert.Len(t, told, 3)
}

// The attempts of a step are bounded, however often it is answered.
func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	var all []escalate.Attempt
	for n := range 251 {
		all = escalate.Noted(all, escalate.Attempt{Number: n + 1}, 1<<10)
	}
	require.Len(t, all, 200)
	assert.Equal(t, []int{1, 100, 152, 251}, []int{all[0].Number, all[99].Number, all[100].Number, all[199].Number})
}
