package executor

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestNothingUncheckedIsLetGo has the checked tree stay as long as it may hold the only copy of
// something.
func TestNothingUncheckedIsLetGo(t *testing.T) {
	table := reactions()
	table["forbidden"] = taxonomy.Reaction{Action: taxonomy.Abort}
	w := newWorld(table, done("a", "forbidden"))
	r := w.run(t)
	assert.Equal(t, []string{"forbidden"}, r.UncheckedFiles)
	assert.Len(t, r.SavedRefs, 1)
	assert.False(t, w.tree.released)

	w = newWorld(reactions(), done("a"))
	j := &fakeJournal{fail: func(_ int, e Entry) error {
		if e.Point == PointEnded || e.Point == PointNotified {
			return errors.New("disk full")
		}
		return nil
	}}
	w.cfg.Journal = j
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.False(t, w.tree.released, "the end is not written down")
	j.fail = nil
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.True(t, w.tree.released)

	w = newWorld(reactions(), done("a"))
	w.provider.available = []error{fails("stop")}
	assert.Equal(t, EndFatal, w.run(t).EndReason)
	assert.False(t, w.tree.released, "the setup failed")
}

// heeding is an ender that says whether its context had ended.
type heeding struct {
	*fakeProvider
	ended []error
}

func (e *heeding) End(ctx context.Context, _ Process) error {
	e.ended = append(e.ended, ctx.Err())
	return ctx.Err()
}

// cancelling is a tree that cancels its run once it is resumed, or locked.
type cancelling struct {
	*fakeTree
	cancel func()
}

func (c *cancelling) Lock(ctx context.Context, run string) (func() error, error) {
	c.cancel()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.fakeTree.Lock(ctx, run)
}

func TestCancelWhileResuming(t *testing.T) {
	m := newMortal(DeliverCommits)
	p := &heeding{fakeProvider: m.provider}
	m.cfg.Provider = p
	m.provider.steps = []step{{writes: map[string]string{"forbidden": "x", "a": "a"},
		do: func(_ context.Context, req Request) (Answer, error) {
			_ = req.Started(Process{PID: 7, Start: "then"})
			runtime.Goexit()
			return Answer{}, nil
		}}, done("b")}
	require.Nil(t, m.live(t, 0))
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("interrupted by the user")
	m.cfg.Workspace = &cancelling{m.tree, func() { cancel(stop) }}
	e, err := New(m.cfg)
	require.NoError(t, err)
	r := e.Run(ctx, aTask)
	assert.Equal(t, EndCancelled, r.EndReason)
	assert.Equal(t, []error{nil}, p.ended, "what was left running is ended")
	assert.Equal(t, 1, r.Iterations)
	assert.NotContains(t, m.tree.files, "forbidden")
	assert.Len(t, m.provider.calls, 1)
	assert.True(t, m.tree.released)

	// Cancelled before anything is known, it stays open.
	w := newWorld(reactions(), done("a"))
	w.cfg.Workspace = &cancelling{w.tree, func() {}}
	e, err = New(w.cfg)
	require.NoError(t, err)
	r = e.Run(ctx, aTask)
	assert.Equal(t, EndCancelled, r.EndReason)
	assert.Equal(t, "interrupted by the user", r.Error)
	assert.Equal(t, stop, r.Err)
	assert.Empty(t, r.ErrorCode)
	assert.False(t, w.tree.released)
}

func TestAnotherTaskIsRefused(t *testing.T) {
	for name, ended := range map[string]bool{"ended": true, "open": false} {
		for _, task := range []Task{{Run: "run", ID: "another", Prompt: aTask.Prompt},
			{Run: "run", ID: aTask.ID, Prompt: "Do else."}} {
			w := newWorld(reactions(), done("a"))
			j := &fakeJournal{}
			w.cfg.Journal = j
			assert.Equal(t, EndCompleted, w.run(t).EndReason)
			if !ended {
				j.cut(PointStarted, 1)
			}
			before := len(j.lines)
			e, err := New(w.cfg)
			require.NoError(t, err)
			r := e.Run(context.Background(), task)
			assert.Equal(t, EndRefused, r.EndReason, name)
			assert.Equal(t, "refused", r.ErrorCode)
			assert.Contains(t, r.Error, "the run is refused: task is ")
			assert.Empty(t, r.CommittedFiles)
			assert.Len(t, j.lines, before)
		}
	}
}

func TestUsageThatCannotBe(t *testing.T) {
	odd := func(in int64, cost float64) step {
		return step{answer: Answer{Usage: usage(in, cost)}}
	}
	w := newWorld(nil, odd(-1, math.NaN()), odd(2, math.Inf(1)), odd(math.MaxInt64, -1), odd(1, 1))
	w.provider.steps = append(w.provider.steps, done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, taxonomy.Some(int64(3)), r.Usage.InputTokens)
	assert.Equal(t, taxonomy.Some(1.0), r.Usage.CostUSD)
	assert.Len(t, r.Warnings, 4)
	_, err := json.Marshal(r)
	assert.NoError(t, err)
}

func TestGoexit(t *testing.T) {
	w := newWorld(
		nil, step{do: func(context.Context, Request) (Answer, error) { runtime.Goexit(); return Answer{}, nil }})
	e, err := New(w.cfg)
	require.NoError(t, err)
	r := e.Start(context.Background(), aTask).Wait()
	assert.Equal(t, []any{EndFatal, StatusFailed, errCutShort}, []any{r.EndReason, r.Status, r.Err})
	assert.False(t, w.tree.released)
	w.provider.steps = []step{done()}
	assert.Equal(t, EndCompleted, e.Run(context.Background(), aTask).EndReason, "it can be used again")
}

// side is a filer and notifier of one func.
type side func(ctx context.Context, r *Result) error

func (s side) File(ctx context.Context, r *Result) error   { return s(ctx, r) }
func (s side) Notify(ctx context.Context, r *Result) error { return s(ctx, r) }

func TestWhatIsAsideIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(nil, done())
		w.cfg.Clock, w.cfg.Limits.Grace = retry.System, time.Minute
		over := make(chan struct{})
		w.cfg.Filer = side(func(ctx context.Context, _ *Result) error { <-ctx.Done(); return ctx.Err() })
		w.cfg.Notifier = side(func(_ context.Context, r *Result) error {
			<-over
			r.Warnings = append(r.Warnings, "late")
			return nil
		})
		began := time.Now()
		r := w.run(t)
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Equal(t, 2*time.Minute+lastWord, time.Since(began))
		require.Len(t, r.Warnings, 2)
		assert.Contains(t, r.Warnings[1], "left behind")
		close(over)
		synctest.Wait()
		assert.Len(t, r.Warnings, 2)
	})
}

func TestEachOfTheErrorsOfANotifier(t *testing.T) {
	w := newWorld(reactions(), done())
	failed := func(channel string) error {
		return &taxonomy.Evidence{Source: "notify", Op: "notify", Type: "again", Text: "no",
			Attributes: map[string]string{"resource": channel}}
	}
	w.cfg.Filer = side(func(context.Context, *Result) error { runtime.Goexit(); return nil })
	w.cfg.Notifier = side(
		func(context.Context, *Result) error { return errors.Join(failed("log"), nil, failed("webhook")) })
	r := w.run(t)
	require.Len(t, r.Warnings, 3)
	assert.Contains(t, r.Warnings[0], "file_task: ")
	assert.True(t, strings.HasPrefix(r.Warnings[1], "notify (log): "), r.Warnings[1])
	assert.True(t, strings.HasPrefix(r.Warnings[2], "notify (webhook): "), r.Warnings[2])
	assert.Equal(t, EndCompleted, r.EndReason)
}

// badAsker panics.
type badAsker struct{}

func (badAsker) Ask(context.Context, Question) (bool, error) { panic("no terminal") }

func TestAnAskerThatPanics(t *testing.T) {
	w := newWorld(reactions(), works("ask"))
	w.cfg.Asker = badAsker{}
	r := w.run(t)
	assert.Equal(t, EndFatal, r.EndReason)
	assert.Equal(t, "denied", r.ErrorCode)
	assert.Contains(t, r.Error, "the question could not be put")
	assert.Contains(t, r.Error, "no terminal")
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0], "no terminal")
}

func TestStrategiesWithoutARecoverer(t *testing.T) {
	w := newWorld(
		map[string]taxonomy.Reaction{"mend": {Action: taxonomy.Recover, Strategy: "clean",
			Then: &taxonomy.Reaction{Action: taxonomy.Retry}}},
		breaks("mend"), breaks("mend"), done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(
		t, []string{"there is nobody to run strategy clean, which a reaction asks for: the configuration has no " +
			"Recoverer"}, r.Warnings)
}

func TestAllThatIsMissing(t *testing.T) {
	_, err := New(Config{})
	for _, missing := range []string{"no Table", "no Classify", "no Provider"} {
		assert.ErrorContains(t, err, missing)
	}
	cfg := newWorld(nil).cfg
	cfg.Provider = (*fakeProvider)(nil)
	_, err = New(cfg)
	assert.ErrorContains(t, err, "the Provider is a nil *executor.fakeProvider")
}

func TestPathsThatLookLikeSecretsAreMasked(t *testing.T) {
	const secret = "sk-ant-api03-QQQQqqqqQQQQqqqqQQQQ"
	w := newWorld(
		reactions(), done("a", secret),
		step{writes: map[string]string{"forbidden/" + secret: "x"}, err: fails("again")})
	w.provider.steps = []step{{writes: map[string]string{"forbidden/" + secret: "x"}, answer: Answer{Text: "more"}},
		done("a", secret)}
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.NotContains(t, w.tree.files, "forbidden/"+secret)
	require.Len(t, r.Errors[0].Files, 1)
	assert.NotContains(t, r.Errors[0].Files[0], secret)
	assert.NotContains(t, strings.Join(r.CommittedFiles, " ")+strings.Join(r.Commits[0].Paths, " "), secret)
	assert.Contains(t, w.tree.head, secret)
}

func TestOneRunAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(reactions(), done())
		w.cfg.Clock = retry.System
		w.provider.steps[0].do = func(context.Context, Request) (
			Answer, error) {
			time.Sleep(time.Second)
			return done().answer, nil
		}
		e, err := New(w.cfg)
		require.NoError(t, err)
		first := e.Start(context.Background(), aTask)
		synctest.Wait()
		second := e.Run(context.Background(), Task{Run: "other"})
		assert.Equal(t, EndRefused, second.EndReason)
		assert.Equal(t, "refused", second.ErrorCode)
		assert.Contains(t, second.Error, "serves one run at a time")
		assert.Equal(t, EndCompleted, first.Wait().EndReason)
		assert.Equal(t, EndCompleted, e.Run(context.Background(), aTask).EndReason)
	})
}

// TestADryRunTouchesNoOther has what a run of the same name has kept stay.
func TestADryRunTouchesNoOther(t *testing.T) {
	w := newWorld(nil, done())
	tree := &named{fakeTree: w.tree}
	w.cfg.Workspace, w.cfg.DryRun = tree, true
	assert.Equal(t, EndDryRun, w.run(t).EndReason)
	assert.Len(t, tree.begun, 1)
	assert.NotEqual(t, aTask.Run, tree.begun[0])
	assert.Equal(t, tree.begun, tree.let)
}

// named notes the names of runs.
type named struct {
	*fakeTree
	begun, let []string
}

func (n *named) Begin(ctx context.Context, run string) (Checked, error) {
	n.begun = append(n.begun, run)
	return n.fakeTree.Begin(ctx, run)
}

func (n *named) Release(ctx context.Context, run string) error {
	n.let = append(n.let, run)
	return n.fakeTree.Release(ctx, run)
}
