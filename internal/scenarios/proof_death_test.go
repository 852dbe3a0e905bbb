package scenarios_test

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
)

// mortalWorld is a world in which every effect is between two steps of a death.
type mortalWorld struct {
	*madeWorld
	*death
	kept journals
}

func makeMortal(t *testing.T, seed uint64, kept func(*testing.T) journals) *mortalWorld {
	t.Helper()
	w := &mortalWorld{makeWorld(seed, true), &death{kill: runtime.Goexit}, kept(t)}
	w.cfg.Limits.Iteration = time.Hour
	w.cfg.Workspace, w.cfg.Journal = mortalTree{w.tree, w.death, true}, mortalJournal{w.kept.journal(), w.death}
	w.cfg.Validator, w.cfg.Asker = mortalValidator{w.cfg.Validator, w.death}, mortalAsker{w.cfg.Asker, w.death}
	w.cfg.Clock = mortalClock{w.clock, w.death}
	if w.cfg.Recoverer != nil {
		w.cfg.Recoverer = mortalRecoverer{w.cfg.Recoverer, w.death}
	}
	w.actor.around = func(call func()) {
		w.step()
		call()
		w.step()
	}
	return w
}

// liveUntil runs the story until it ends or dies at the step; 0 is never. It returns nil after a
// death.
func (w *mortalWorld) liveUntil(ctx context.Context, step int) (r *executor.Result) {
	w.steps, w.at = 0, step
	over := make(chan struct{})
	go func() {
		defer close(over)
		r = w.run(ctx)
	}()
	<-over
	return r
}

// TestDeathAnywhere has random stories die at random steps, and go on. A run that was killed while
// nothing was being called ends as if nothing had happened; what was lost of a call is the only
// thing that is lost.
func TestDeathAnywhere(t *testing.T) {
	t.Parallel()
	deathAnywhere(t, 300, 3, newMemJournals)
}

// TestDeathAnywhereWithState is [TestDeathAnywhere] with all that is remembered in a file of
// SQLite, and what it says of runs.
func TestDeathAnywhereWithState(t *testing.T) {
	t.Parallel()
	deathAnywhere(t, 40, 1, newStateJournals(t))
}

// deathAnywhere tells so many stories; the first of them die at each step.
func deathAnywhere(t *testing.T, seeds, everywhere uint64, kept func(*testing.T) journals) {
	t.Helper()
	const deaths = 3
	synctest.Test(t, func(t *testing.T) {
		for seed := uint64(0); seed < seeds && !t.Failed(); seed++ {
			if testing.Short() && seed%10 != 0 {
				continue
			}
			whole := makeMortal(t, seed, kept)
			want := whole.liveUntil(t.Context(), 0)
			whole.check(t, want)
			whole.kept.check(t, want)
			again := func() *mortalWorld { return makeMortal(t, seed, kept) }
			for step := 1; seed < everywhere && step <= whole.steps; step++ {
				die(t, whole, again(), want, step)
			}
			for i := range deaths {
				first := 1 + int(seed*31+uint64(i)*17)%whole.steps
				second := 0
				if i%2 == 1 {
					second = 1 + int(seed*13+uint64(i)*7)%40
				}
				die(t, whole, again(), want, first, second)
			}
			interrupt(t, whole, again(), 1+int(seed*29)%whole.steps)
		}
	})
}

// die tells the story of whole again, in w, and has it die twice at most.
func die(t *testing.T, whole, w *mortalWorld, want *executor.Result, steps ...int) {
	t.Helper()
	var got *executor.Result
	for _, step := range append(steps, 0) {
		if got = w.liveUntil(t.Context(), step); got != nil {
			break
		}
		w.tell("--- killed")
	}
	require.NotNil(t, got)
	w.check(t, got)
	w.kept.check(t, got)
	lost := slices.ContainsFunc(got.Errors, func(e executor.ErrorRecord) bool { return e.Op == "resume" })
	// A wait that was cut short begins anew, so that a deadline may come before it is over.
	if timed := !w.cfg.Limits.Deadline.IsZero(); !lost && !timed {
		assert.Equal(t, lasting(want), lasting(got))
		assert.Equal(t, whole.tree.files, w.tree.files)
		assert.Equal(t, whole.tree.head, w.tree.head)
		assert.Equal(t, len(whole.tree.commits), len(w.tree.commits))
	}
	if t.Failed() {
		t.Logf("seed %d dies at %v of %d steps", whole.seed, steps, whole.steps)
		for _, line := range w.lines {
			t.Log(line)
		}
	}
	require.False(t, t.Failed())
}

// interrupt tells the story of whole again, in w, has it die, and interrupts what goes on with it.
// What was begun is ended all the same.
func interrupt(t *testing.T, whole, w *mortalWorld, step int) {
	t.Helper()
	if r := w.liveUntil(t.Context(), step); r != nil {
		w.kept.check(t, r)
		return
	}
	w.tell("--- killed, and interrupted")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.cfg.Observer = executor.Observers(w.cfg.Observer, canceller{cancel})
	got := w.liveUntil(ctx, 0)
	w.check(t, got)
	w.kept.check(t, got)
	if t.Failed() {
		t.Logf("seed %d dies at %d of %d steps", whole.seed, step, whole.steps)
	}
	require.False(t, t.Failed())
}

// canceller interrupts a run when it goes on with an iteration.
type canceller struct{ cancel context.CancelFunc }

func (c canceller) Observe(e executor.Event) {
	if e.Kind == executor.IterationStarted {
		c.cancel()
	}
}

// lasting is what a result says however often its process has died.
func lasting(r *executor.Result) string {
	c := *r
	c.Resumed, c.Waits, c.Waited, c.SavedRefs, c.Warnings = false, nil, 0, nil, nil
	c.StartedAt, c.EndedAt = time.Time{}, time.Time{}
	b, err := json.MarshalIndent(&c, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
