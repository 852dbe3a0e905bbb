package executor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventsInOrder(t *testing.T) {
	w := newWorld(reactions(), breaks("wait", "a", "forbidden"), done("b"))
	w.cfg.Validator = &fakeValidator{}
	w.run(t)
	assert.Equal(t, []EventKind{
		RunStarted,
		IterationStarted, CallStarted, CallEnded, ErrorClassified, ReactionTaken, ChangesDetected, ErrorClassified,
		ReactionTaken, Saved, Reverted, IterationEnded,
		Waiting, Waited,
		IterationStarted, CallStarted, CallEnded, ChangesDetected, Validated, Committed, IterationEnded,
		RunEnded,
	}, w.events.kinds())
	for _, e := range w.events.all {
		assert.Equal(t, "run", e.Run)
		assert.Equal(t, "task", e.Task)
	}
}

// seen is what notifiers and filers are shown.
type seen struct{ results []Result }

func (s *seen) File(_ context.Context, r *Result) error {
	s.results = append(s.results, *r)
	return nil
}
func (s *seen) Notify(_ context.Context, r *Result) error {
	s.results = append(s.results, *r)
	return nil
}

func TestTheResultIsCompleteWhenPeopleAreTold(t *testing.T) {
	w := newWorld(reactions(), breaks("stop", "a"))
	s := &seen{}
	w.cfg.Filer, w.cfg.Notifier = s, s
	r := w.run(t)
	require.Len(t, s.results, 2)
	for _, got := range s.results {
		assert.Equal(t, *r, got)
		assert.Equal(t, "stop", got.ErrorCode)
		assert.Equal(t, StatusFailed, got.Status)
	}
}
