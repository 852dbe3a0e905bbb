package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestAcceptFails fails to accept the allowed changes beside one that is not allowed. That is a failure
// of the detection: nothing is delivered, and every change counts as unchecked.
func TestAcceptFails(t *testing.T) {
	fails := errors.New("cannot write the tree")
	w := newSimulation(done("a", "forbidden/x"))
	w.Fails["accept"] = []error{fails}
	s := runState(t.Context(), w.config(tablesOf(reactions()), nil), aTask, nil)
	assert.Equal(t, EndFatal, s.End)
	assert.Equal(t, loop.OpDetect, s.LastError.Op)
	assert.Equal(t, loop.SourceGit, s.LastError.Source)
	assert.Equal(t, Paths{"a", "forbidden/x"}, s.Unchecked)
	assert.Contains(t, w.Disk, "a", "nothing is reverted, because the judgement is lost")
	assert.Len(t, w.Saved, 1)
	assert.Empty(t, w.CommitLog)

	// The reaction to detect_changes applies: the repeated detection accepts and judges again.
	m := reactions()
	m[loop.OpDetect] = taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: policy(2)}
	w = newSimulation(done("a", "forbidden/x"))
	w.Fails["accept"] = []error{fails}
	s = runState(t.Context(), w.config(tablesOf(m), nil), aTask, nil)
	assert.Equal(t, EndCompleted, s.End)
	assert.Equal(t, 1, w.Calls)
	assert.Contains(t, w.LastCommit, "a")
	assert.NotContains(t, w.Disk, "forbidden/x")
}

// TestManyBadChanges makes more changes that are not allowed than an outcome lists.
func TestManyBadChanges(t *testing.T) {
	many := works("a")
	for i := range maxPaths + 1 {
		many.Writes[fmt.Sprintf("forbidden/%04d", i)] = "x"
	}
	// A reaction that reverts files reverts the whole iteration, because its failure cannot name them all.
	w := newSimulation(many, done("b"))
	s := runState(t.Context(), w.config(tablesOf(reactions()), nil), aTask, nil)
	assert.Equal(t, EndCompleted, s.End)
	assert.Len(t, s.Errors, 1)
	assert.Empty(t, s.Unchecked)
	assert.Empty(t, w.Lost)
	assert.Equal(t, map[string]string{"old": "old", "dirty": "mine", "b": "content of b"}, w.Disk)

	// Without a revert the allowed change is accepted, and the others block the delivery.
	m := reactions()
	m["forbidden"] = taxonomy.Reaction{Action: taxonomy.Abort}
	w = newSimulation(many)
	s = runState(t.Context(), w.config(tablesOf(m), nil), aTask, nil)
	assert.Equal(t, EndFatal, s.End)
	assert.Empty(t, w.CommitLog)
	assert.Equal(t, Paths{"a"}, s.Uncommitted)
	assert.Equal(t, maxPaths, len(s.Unchecked))
	assert.False(t, slices.Contains(s.Unchecked, "a"))
}

// writingAsker writes a file while a person is asked.
type writingAsker struct {
	*simulation
	path string
}

func (a writingAsker) Ask(context.Context, Question) (bool, error) {
	a.write(written(a.path))
	return a.Yes, nil
}

// TestDetectAfterApproval detects the changes again after an approval, because they may have changed
// while the person was asked. In an engine that is one more activity.
func TestDetectAfterApproval(t *testing.T) {
	for _, yes := range []bool{true, false} {
		w := newSimulation(done("ask/a"))
		w.Yes = yes
		cfg := w.config(tablesOf(reactions()), nil)
		cfg.Deliver, cfg.Validator, cfg.Asker = DeliverCommits, nil, writingAsker{w, "forbidden/late"}
		c := &canceller{}
		s := runState(t.Context(), cfg, aTask, func(e loop.Env) loop.Env { c.Env = e; return c })
		asked := c.ops[slices.Index(c.ops, loop.OpAsk)+1:]
		if !yes {
			assert.Equal(t, loop.OpRevert, asked[0], "the denied changes are reverted")
			assert.NotContains(t, w.LastCommit, "ask/a")
			continue
		}
		assert.Equal(t, loop.OpDetect, asked[0])
		assert.Equal(t, EndCompleted, s.End)
		assert.Contains(t, w.LastCommit, "ask/a")
		assert.NotContains(t, w.Disk, "forbidden/late")
		assert.Equal(t, "forbidden", s.Errors[0].Code)
	}
}
