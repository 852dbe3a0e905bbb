package executor

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fakePreventer gives its precautions, one after the other, and then none.
type fakePreventer struct {
	give     []Precaution
	err      error
	asked    []Coming
	released int
}

func (p *fakePreventer) Before(_ context.Context, c Coming) (Precaution, error) {
	p.asked = append(p.asked, c)
	given := Precaution{}
	if len(p.give) > 0 {
		given, p.give = p.give[0], p.give[1:]
	}
	if given.Wait <= 0 && p.err == nil {
		given.Release = func() { p.released++ }
	}
	return given, p.err
}

// checks are a Checker.
type checks func(ctx context.Context, name string) error

func (c checks) Check(ctx context.Context, name string) error { return c(ctx, name) }

func preventing(p *fakePreventer, steps ...step) *world {
	w := newWorld(policies(), steps...)
	w.cfg.Preventer = p
	return w
}

func TestPreventerIsAskedBeforeEachCall(t *testing.T) {
	p := &fakePreventer{}
	w := preventing(p, breaks("place"), breaks("again"), done())
	began := w.clock.Now()
	require.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, []Coming{
		{Provider: "fake", Lane: "fake/", Run: "run", Now: began},
		{Provider: "fake", Lane: "fake/", Run: "run", Now: began.Add(time.Second)},
		{Provider: "fake", Lane: "fake/", Run: "run", Now: began.Add(time.Second)},
	}, p.asked)
	assert.Equal(t, 3, p.released, "once for each call")
	assert.NotContains(t, w.events.kinds(), Prevented, "nothing was done")
}

func TestPreventionWaits(t *testing.T) {
	p := &fakePreventer{give: []Precaution{{Code: "later", Wait: 2 * time.Second}, {},
		{Code: "later", Wait: 3 * time.Second}}}
	w := preventing(p, breaks("place"), done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []Wait{
		{Iteration: 0, For: "prevent: later", Took: Duration(2 * time.Second)},
		{Iteration: 1, For: "place", Took: Duration(time.Second)},
		{Iteration: 1, For: "prevent: later", Took: Duration(3 * time.Second)},
	}, r.Waits)
	e := w.events.first(Prevented)
	assert.Equal(t, "later", e.Code)
	assert.Equal(t, "wait 2s", e.Text)
	assert.Equal(t, 2, p.released)
}

// Such a wait is bounded as a lane's is.
func TestPreventionAndTheTimeThatIsLeft(t *testing.T) {
	p := &fakePreventer{give: []Precaution{{Code: "later", Wait: time.Hour}}}
	w := preventing(p, done())
	w.cfg.Limits.Run = time.Minute
	assert.Equal(t, EndDeadline, w.run(t).EndReason)

	p = &fakePreventer{give: []Precaution{{}, {Code: "later", Wait: time.Hour}}}
	w = preventing(p, breaks("place"), done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Iterations)
	assert.Equal(t, 2, p.released)
}

func TestPreventionChecks(t *testing.T) {
	for _, c := range []struct {
		name     string
		check    checks
		end      EndReason
		calls    int
		errors   []string
		warnings int
	}{
		{"passes", func(context.Context, string) error { return nil }, EndCompleted, 1, nil, 0},
		{"fails as the provider would",
			func(context.Context, string) error { return &taxonomy.Evidence{Type: "again"} }, EndCompleted, 1,
			[]string{"again"}, 0},
		{"fails in place", func(context.Context, string) error { return fails("place") }, EndCompleted, 1,
			[]string{"place"}, 0},
		{"stops", func(context.Context, string) error { return fails("stop") }, EndFatal, 0, []string{"stop"}, 0},
		{"panics", func(context.Context, string) error { panic("oh") }, EndCompleted, 1, []string{"panic"}, 0},
		{"nobody checks", nil, EndCompleted, 1, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &fakePreventer{give: []Precaution{{Code: "later", Check: "disk"}}}
			w := preventing(p, done())
			g, learner := &fakeGate{budget: -1}, &pupil{}
			w.cfg.Gate, w.cfg.Learners = g, []retry.Learner{learner}
			if c.check != nil {
				w.cfg.Checker = checks(func(ctx context.Context, name string) error {
					assert.Equal(t, "disk", name)
					_, bounded := ctx.Deadline()
					assert.True(t, bounded)
					return c.check(ctx, name)
				})
			}
			r := w.run(t)
			assert.Equal(t, c.end, r.EndReason)
			assert.Equal(t, c.calls, r.Calls, "what was not made is no call")
			assert.Zero(t, r.UnknownCost-c.calls)
			assert.Len(t, learner.told, c.calls)
			assert.Len(t, r.Warnings, c.warnings)
			var codes []string
			for _, e := range r.Errors {
				codes = append(codes, e.Code)
				assert.Equal(t, "call", e.Op)
				assert.Equal(t, "fake", e.Source)
			}
			assert.Equal(t, c.errors, codes)
			assert.Equal(t, len(p.asked), p.released)
			assert.Zero(t, g.in)
			if c.check != nil {
				e := w.events.first(Prevented)
				assert.Equal(t, "later", e.Code)
				assert.Equal(t, "check disk", e.Text)
				assert.Equal(t, c.errors == nil, e.Err == nil)
			}
		})
	}
}

// A check that outlasts the iteration fails the call as a call that does.
func TestPreventionCheckWithoutEnd(t *testing.T) {
	p := &fakePreventer{give: []Precaution{{Check: "disk"}}}
	w := preventing(p, done())
	w.cfg.Limits.Iteration = time.Millisecond
	w.cfg.Checker = checks(func(ctx context.Context, _ string) error { <-ctx.Done(); return nil })
	w.cfg.Limits.Iterations = 1
	r := w.run(t)
	assert.Equal(t, EndMaxIterations, r.EndReason)
	assert.Equal(t, "timeout", r.ErrorCode)
	assert.Zero(t, r.Calls)
}

// A check that does not heed its context holds neither the iteration nor the run.
func TestCheckThatIsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits Limits
		cancel time.Duration
		end    EndReason
		took   time.Duration
	}{
		{"the iteration's time", Limits{Iteration: 30 * time.Second, Iterations: 1}, 0, EndMaxIterations,
			31 * time.Second},
		{"the check's own time", Limits{Iteration: time.Hour, Check: 5 * time.Second, Iterations: 1}, 0,
			EndMaxIterations, 6 * time.Second},
		{"the check's own time, as it is", Limits{Iteration: math.MaxInt64, Iterations: 1}, 0, EndMaxIterations,
			time.Minute + time.Second},
		{"the run is cancelled", Limits{Iteration: time.Hour, Check: time.Hour}, time.Minute, EndCancelled,
			time.Minute + time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				hangs := make(chan struct{})
				defer close(hangs)
				p := &fakePreventer{give: []Precaution{{Code: "later", Check: "disk"}}}
				w := preventing(p, done())
				g := &fakeGate{budget: -1}
				w.cfg.Gate, w.cfg.Limits = g, c.limits
				w.cfg.Checker = checks(func(context.Context, string) error { <-hangs; return nil })
				e, err := New(w.cfg)
				require.NoError(t, err)
				began := time.Now()
				r := e.Run(ctx, aTask)
				assert.Equal(t, c.end, r.EndReason)
				assert.Equal(t, c.took, time.Since(began))
				assert.Zero(t, r.Calls)
				assert.Equal(t, 1, p.released)
				assert.Zero(t, g.in)
				assert.ErrorContains(t, w.events.first(Prevented).Err,
					"check disk does not return, and was left behind")
				if c.end != EndCancelled {
					assert.Equal(t, "timeout", r.ErrorCode)
					assert.Contains(t, r.Error, "left behind")
				}
			})
		})
	}
}

func TestCheckThatEndsItsGoroutine(t *testing.T) {
	w := preventing(&fakePreventer{give: []Precaution{{Check: "disk"}}}, done())
	w.cfg.Checker = checks(func(context.Context, string) error { runtime.Goexit(); return nil })
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	require.Len(t, r.Errors, 1)
	assert.Equal(t, "panic", r.Errors[0].Code)
}

func TestCancelledDuringACheck(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &fakePreventer{give: []Precaution{{Check: "disk"}}}
	w := preventing(p, done())
	w.cfg.Checker = checks(func(ctx context.Context, _ string) error { cancel(); return ctx.Err() })
	e, err := New(w.cfg)
	require.NoError(t, err)
	r := e.Run(ctx, aTask)
	assert.Equal(t, EndCancelled, r.EndReason)
	assert.Zero(t, r.Calls)
	assert.Empty(t, r.Errors)
	assert.Equal(t, 1, p.released)
}

// What a preventer does wrong is a warning.
func TestPreventerThatFails(t *testing.T) {
	p := &fakePreventer{err: errors.New("no forecast")}
	w := preventing(p, done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []string{"ask what is to be done before a call: no forecast"}, r.Warnings)

	w.cfg.Preventer, w.provider.calls = panickingPreventer{}, nil
	r = w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Len(t, r.Warnings, 1)

	w.cfg.Preventer, w.provider.calls = panickingRelease{}, nil
	assert.Equal(t, []string{"give back the place of a call: executor call: panic: panic: release"}, w.run(t).Warnings)
}

type panickingPreventer struct{}

func (panickingPreventer) Before(context.Context, Coming) (Precaution, error) { panic("before") }

type panickingRelease struct{}

func (panickingRelease) Before(context.Context, Coming) (Precaution, error) {
	return Precaution{Release: func() { panic("release") }}, nil
}

// Nothing is held while somebody waits at the gate.
func TestNoPlaceIsHeldAtTheGate(t *testing.T) {
	p := &fakePreventer{}
	w := preventing(p, done())
	w.cfg.Gate = &fakeGate{opens: []time.Duration{time.Second}, budget: -1}
	w.cfg.Observer = observer(func(e Event) {
		if e.Kind == Waiting {
			assert.Equal(t, 1, p.released)
		}
	})
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, 2, p.released)
}

// openingGate can be looked at.
type openingGate struct {
	fakeGate
	looks []time.Duration
}

func (g *openingGate) OpensIn(string) time.Duration {
	if len(g.looks) == 0 {
		panic("no more")
	}
	wait := g.looks[0]
	g.looks = g.looks[1:]
	return wait
}

// A gate that shows that it is shut is waited for before anybody is asked what prevents failures.
func TestGateThatIsLookedAt(t *testing.T) {
	p := &fakePreventer{}
	w := preventing(p, breaks("again"), done())
	w.cfg.Gate = &openingGate{fakeGate{budget: -1}, []time.Duration{2 * time.Second, 3 * time.Second, 0}}
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason, "also where looking at it panics")
	assert.Equal(
		t, []Wait{{For: "breaker", Took: Duration(2 * time.Second)}, {For: "breaker", Took: Duration(3 * time.Second)}},
		r.Waits)
	assert.Len(t, p.asked, 2)
	assert.Equal(t, 2, p.released)
}

// Nor is it used up: what would stay taken by a call that has ended is taken back.
func TestWithdrawnAtTheGate(t *testing.T) {
	withdrawn := 0
	p := &fakePreventer{give: []Precaution{{Code: "later", Withdraw: func() { withdrawn++ }},
		{Code: "later", Withdraw: func() { t.Error("the call was made") }}}}
	w := preventing(p, done())
	w.cfg.Gate = &fakeGate{opens: []time.Duration{time.Second}, budget: -1}
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, 1, withdrawn)
	assert.Equal(t, 1, p.released, "of the call that was made")
}

// A check that has failed is not run again by a run that goes on, as a call is not.
func TestReplayOfAFailedCheck(t *testing.T) {
	m := mortalOf(DeliverCommits, policies(), done("a"))
	ran := 0
	m.cfg.Preventer = &fakePreventer{give: []Precaution{{Check: "disk"}}}
	m.cfg.Checker = checks(func(context.Context, string) error { ran++; return fails("place") })
	m.diesAt(t, PointClosed, 1)
	r := m.live(t, 0)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 1, ran)
	assert.Equal(t, 1, r.Calls)
	assert.Equal(t, 1, r.Iterations)
	require.Len(t, r.Errors, 1)
	assert.True(t, r.Errors[0].Overcome)
	assert.Equal(t, "fake", r.Errors[0].Source)
}
