package executor

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// diesAt has the process die before it writes the entry of a point in an iteration.
func (m *mortal) diesAt(t *testing.T, p Point, iteration int) {
	t.Helper()
	m.journal.fail = func(_ int, e Entry) error {
		if e.Point == p && e.Iteration == iteration {
			runtime.Goexit()
		}
		return nil
	}
	require.Nil(t, m.live(t, 0), "it dies")
	m.journal.fail = nil
}

// mortalOf is a mortal world of a few steps with reactions of its own, by type.
func mortalOf(deliver Delivery, table map[string]taxonomy.Reaction, steps ...step) *mortal {
	m := newMortal(deliver)
	all := reactions()
	for typ, r := range table {
		all[typ] = r
	}
	tables := tableOf(all)
	m.cfg.Table, m.cfg.Classify, m.cfg.Decode = tables.table(), tables.classify, tables.decode
	m.provider.steps = steps
	return m
}

// checker is a validator.
type checker func(Phase) error

func (c checker) Validate(_ context.Context, p Phase) error { return c(p) }

var errWanting = &taxonomy.Evidence{Source: "validator", Type: "found wanting"}

func TestReplayWhenTheTimeIsOver(t *testing.T) {
	m := mortalOf(DeliverCommits, nil, works("a", "forbidden/x"))
	m.cfg.Limits.Deadline = m.clock.Now().Add(time.Minute)
	m.diesAt(t, PointClosed, 1)
	m.tree.files["forbidden/x"] = "half put back"
	require.NoError(t, m.clock.Sleep(t.Context(), time.Hour))
	r := m.live(t, 0)
	assert.Equal(t, EndDeadline, r.EndReason)
	assert.Equal(t, 1, r.Iterations, "what was begun is ended")
	assert.NotContains(t, m.tree.files, "forbidden/x")
	assert.Empty(t, r.UncheckedFiles)
}

// What a delivery has passed over is known to a replay that finds the delivery done.
func TestReplayKnowsWhatWasPassedOver(t *testing.T) {
	for _, tt := range []struct {
		phase Phase
		dies  Point
	}{
		{PreCommit, PointCommitting}, {PreCommit, PointCommitted}, {PreCommit, PointClosed}, {PrePush, PointPushed},
		{PrePush, PointPROpened}, {PrePR, PointPROpened}, {PrePR, PointClosed},
	} {
		m := mortalOf(DeliverPullRequest, map[string]taxonomy.Reaction{"found wanting": {Action: taxonomy.Continue}},
			done("a"))
		m.cfg.Validator = checker(func(p Phase) error {
			if p == tt.phase {
				return errWanting
			}
			return nil
		})
		m.diesAt(t, tt.dies, 1)
		r := m.live(t, 0)
		assert.Equal(t, EndCompleted, r.EndReason, tt)
		assert.Equal(t, 1, r.ErrorCount, "%v: %+v", tt, r.Errors)
		assert.Len(t, m.tree.commits, 1, tt)
	}
}

// A delivery that had stopped is not taken up again after what it found wanting was put back.
func TestReplayOfADeliveryThatStopped(t *testing.T) {
	undo := taxonomy.Reaction{Action: taxonomy.Retry, CountFailure: true, Revert: taxonomy.RevertIteration,
		AcceptCompletion: true}
	m := mortalOf(DeliverCommits, map[string]taxonomy.Reaction{"undo": undo}, done("a", "bad"), done("b"))
	m.diesAt(t, PointClosed, 1)
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Iterations)
	assert.Equal(t, 1, r.Counted)
	assert.Equal(t, []string{"b"}, r.CommittedFiles)
}

// What is put back goes back to what an earlier iteration has left, and that stays listed.
func TestGivenUpStaysListed(t *testing.T) {
	table := reactions()
	table["found wanting"] = taxonomy.Reaction{Action: taxonomy.Block, Revert: taxonomy.RevertIteration}
	table["commit"] = taxonomy.Reaction{Action: taxonomy.Continue}
	w := newWorld(table, works("a"), done("a", "b"))
	w.tree.fail["commit"] = []error{gitFails("commit")}
	checks := 0
	w.cfg.Validator = checker(func(Phase) error {
		if checks++; checks == 1 {
			return nil
		}
		return errWanting
	})
	r := w.run(t)
	assert.Equal(t, EndBlocked, r.EndReason)
	assert.Equal(t, "content 0 of a in call 1", w.tree.files["a"])
	assert.Equal(t, []string{"a"}, r.UncommittedFiles)
}

// Only what is over lets go of the checked tree.
func TestTheCheckedTreeIsKeptForARunThatIsNotOver(t *testing.T) {
	m := mortalOf(DeliverCommits, nil, works("a"))
	m.diesAt(t, PointClosed, 3)
	m.journal.cut(PointClosed, 2)
	m.cfg.Limits.Iterations = 2
	assert.Equal(t, EndRefused, m.live(t, 0).EndReason)
	assert.False(t, m.tree.released, "it can be gone on with")
	m.cfg.Limits.Iterations = 4
	assert.Equal(t, EndMaxIterations, m.live(t, 0).EndReason)
	assert.True(t, m.tree.released)
}

func TestAnEndedRunLetsGoOfTheTreeInTheEnd(t *testing.T) {
	m := mortalOf(DeliverCommits, nil, done("a"))
	m.diesAt(t, PointNotified, 1)
	m.tree.released = false
	assert.Equal(t, EndCompleted, m.live(t, 0).EndReason)
	assert.True(t, m.tree.released)
	m.tree.released = false
	assert.Equal(t, EndCompleted, m.live(t, 0).EndReason)
	assert.False(t, m.tree.released, "once is enough")
}
