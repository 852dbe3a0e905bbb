package executor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is an executor with all that it works with.
type world struct {
	cfg      Config
	tables   *tables
	provider *fakeProvider
	tree     *fakeTree
	clock    *fakeClock
	events   *events
}

// newWorld returns a world in which the provider plays the steps.
func newWorld(reactions map[string]taxonomy.Reaction, steps ...step) *world {
	return worldOf(tableOf(reactions), steps...)
}

func worldOf(m *tables, steps ...step) *world {
	tree := newTree()
	w := &world{tables: m, tree: tree, provider: &fakeProvider{tree: tree, steps: steps}, clock: newClock(),
		events: &events{}}
	w.cfg = Config{
		Table: m.table(), Classify: m.classify, Decode: m.decode, Provider: w.provider, Workspace: tree,
		Guard: &fakeGuard{},
		Clock: w.clock, Observer: w.events, Deliver: DeliverCommits, Random: func() float64 { return 0 },
	}
	return w
}

var aTask = Task{Run: "run", ID: "task", Title: "A task", Prompt: "Do it."}

func (w *world) run(t *testing.T) *Result {
	t.Helper()
	e, err := New(w.cfg)
	require.NoError(t, err)
	return e.Run(context.Background(), aTask)
}

func TestHappyPath(t *testing.T) {
	w := newWorld(nil, works("a"), done("b"))
	v := &fakeValidator{}
	w.cfg.Validator, w.cfg.Deliver = v, DeliverPullRequest
	res := w.run(t)
	assert.Equal(t, StatusCompleted, res.Status)
	assert.Equal(t, EndCompleted, res.EndReason)
	assert.Equal(t, 2, res.Iterations)
	assert.Equal(t, []string{"a", "b"}, res.CommittedFiles)
	assert.Empty(t, res.UncommittedFiles)
	assert.True(t, res.Pushed)
	assert.Equal(t, "https://example.org/pr/1", res.PullRequest)
	assert.Equal(t, []Phase{PreCommit, PreCommit, PrePush, PrePR}, v.seen)
	assert.True(t, w.tree.released)
	assert.False(t, w.tree.locked)
}
