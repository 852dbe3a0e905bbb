package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fakeGate notes what it is asked and told.
type fakeGate struct {
	// opens are when it opens, one for each question; then it is open.
	opens []time.Duration
	// budget is how many retries it allows; less than 0 is no bound.
	budget int
	err    error

	mu  sync.Mutex
	log []string
	in  int
	// asked are the contexts of the questions.
	asked []context.Context
}

func (g *fakeGate) note(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf(format, args...))
}

func (g *fakeGate) Acquire(ctx context.Context, lane string) (func(retry.Result), error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, ctx)
	if g.err != nil {
		return nil, g.err
	}
	if len(g.opens) > 0 {
		wait := g.opens[0]
		if g.opens = g.opens[1:]; wait > 0 {
			g.note("refuse %s", lane)
			return nil, &taxonomy.Evidence{RetryAfter: taxonomy.Some(wait), Err: retry.ErrRefused}
		}
	}
	g.in++
	g.note("acquire %s", lane)
	return g.release, nil
}

func (g *fakeGate) release(end retry.Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in--
	name := ""
	if end.Policy != nil {
		name = " by " + end.Policy.Name
	}
	switch {
	case end.Cancelled:
		g.note("release cancelled")
	case end.Failed:
		g.note("release failed%s", name)
	default:
		g.note("release")
	}
}

func (g *fakeGate) Retry(lane string, p *taxonomy.Policy) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note("retry %s %s", lane, p.Name)
	if g.budget == 0 {
		return false
	}
	g.budget--
	return true
}

// budgeted are reactions whose policies have a budget.
func budgeted() map[string]taxonomy.Reaction {
	all := reactions()
	budget := &taxonomy.Policy{Name: "budgeted", MaxAttempts: 5, InitialDelay: time.Second, Backoff: taxonomy.Constant,
		Budget: &taxonomy.Budget{Retries: 0.2}}
	all["limit"] = taxonomy.Reaction{Action: taxonomy.Retry, Policy: budget}
	all["place"] = taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: budget,
		Then: &taxonomy.Reaction{Name: "later", Action: taxonomy.Retry, CountFailure: true}}
	all["mend"] = taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "mend", Resume: taxonomy.ResumeOperation,
		Policy: budget, Then: &reactBlock}
	all["push"] = taxonomy.Reaction{Action: taxonomy.RetryOperation, Policy: budget, Then: &reactContinue}
	return all
}

func gated(opens []time.Duration, budget int, steps ...step) (*world, *fakeGate) {
	w := newWorld(budgeted(), steps...)
	g := &fakeGate{opens: opens, budget: budget}
	w.cfg.Gate = g
	return w, g
}

func TestGateAroundEachCall(t *testing.T) {
	w, g := gated(nil, -1, works(), breaks("place"), breaks("again"), done())
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, []string{
		"acquire fake/", "release",
		"acquire fake/", "release failed by budgeted", "retry fake/ budgeted",
		"acquire fake/", "release failed",
		"acquire fake/", "release",
	}, g.log)
	assert.Zero(t, g.in)
}

func TestGateIsWaitedFor(t *testing.T) {
	w, g := gated([]time.Duration{2 * time.Second, 3 * time.Second, 0, 4 * time.Second}, -1, breaks("place"), done())
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 1, r.Iterations)
	assert.Equal(t, []Wait{
		{Iteration: 0, For: "breaker", Took: Duration(2 * time.Second)},
		{Iteration: 0, For: "breaker", Took: Duration(3 * time.Second)},
		{Iteration: 1, For: "place", Took: Duration(time.Second)},
		{Iteration: 1, For: "breaker", Took: Duration(4 * time.Second)},
	}, r.Waits)
	assert.Equal(t, "breaker", w.events.first(Waiting).Text)
	assert.Zero(t, g.in)
}

// A gate that is shut for longer than there is time is treated as a lane is.
func TestGateAndTheTimeThatIsLeft(t *testing.T) {
	t.Run("the run's at its head", func(t *testing.T) {
		w, g := gated([]time.Duration{time.Hour}, -1, done())
		w.cfg.Limits.Run = time.Minute
		r := w.run(t)
		assert.Equal(t, EndDeadline, r.EndReason)
		assert.Empty(t, r.Waits)
		assert.Zero(t, r.Calls)
		assert.Zero(t, g.in)
		assert.Error(t, g.asked[0].Err(), "the run has ended, and keeps no place")
	})
	t.Run("the iteration's", func(t *testing.T) {
		w, g := gated([]time.Duration{0, time.Hour, time.Hour}, -1, breaks("place"), done())
		r := w.run(t)
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Equal(t, 2, r.Iterations)
		assert.Equal(t, "retry", r.Errors[0].Action)
		assert.Equal(
			t, []Wait{{Iteration: 1, For: "place", Took: Duration(time.Second)},
				{Iteration: 1, For: "breaker", Took: Duration(time.Hour)}}, r.Waits)
		assert.Zero(t, g.in)
	})
	t.Run("the run's, in place", func(t *testing.T) {
		w, g := gated([]time.Duration{0, time.Hour, time.Hour}, -1, breaks("place"), done())
		w.cfg.Limits.Run = time.Minute
		r := w.run(t)
		assert.Equal(t, EndDeadline, r.EndReason)
		assert.Equal(t, 1, r.Calls)
		assert.Equal(t, "place", r.ErrorCode)
		assert.Zero(t, g.in)
	})
}

// However often the gate is shut again, no call is made that it has not let in.
func TestGateThatStaysShut(t *testing.T) {
	const asked = 1500
	shut := slices.Repeat([]time.Duration{time.Second}, asked)
	t.Run("at the head", func(t *testing.T) {
		w, g := gated(shut, -1, done())
		learner := &pupil{}
		w.cfg.Learners = []retry.Learner{learner}
		r := w.run(t)
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Len(t, g.log, asked+2)
		assert.Equal(t, Duration(asked*time.Second), r.Waited)
		require.Len(t, learner.told, 1)
		assert.Equal(t, asked*time.Second, learner.told[0].Wait, "though not every wait is written down by itself")
	})
	t.Run("in place", func(t *testing.T) {
		w, g := gated(append([]time.Duration{0}, shut...), -1, breaks("place"), done())
		w.cfg.Limits.Iteration = time.Hour
		r := w.run(t)
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Equal(t, 1, r.Iterations)
		assert.Len(t, g.log, asked+5)
		assert.Zero(t, g.in)
	})
	for name, opens := range map[string][]time.Duration{
		"cancelled at the head": shut, "cancelled in place": append([]time.Duration{0}, shut...),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			w, g := gated(opens, -1, breaks("place"), done())
			n := 0
			w.cfg.Observer = observer(func(e Event) {
				if e.Kind == Waiting && e.Text == "breaker" {
					if n++; n == asked {
						cancel()
					}
				}
			})
			w.cfg.Limits.Iteration = time.Hour
			e, err := New(w.cfg)
			require.NoError(t, err)
			r := e.Run(ctx, aTask)
			assert.Equal(t, EndCancelled, r.EndReason)
			assert.Equal(t, len(opens)-asked, r.Calls)
			assert.Zero(t, g.in)
		})
	}
}

// What is waited for is listed up to a bound; what it comes to is exact.
func TestWaitsAreJoined(t *testing.T) {
	var waits []Wait
	for i := range 3 * maxListed {
		waits = joined(waits, Wait{Iteration: i, For: []string{"breaker", "lane", fmt.Sprint(i)}[i%3], Took: 1})
	}
	assert.Len(t, waits, maxListed)
	sum := map[string]Duration{}
	for _, w := range waits {
		sum[w.For] += w.Took
	}
	assert.Equal(t, Duration(maxListed), sum["lane"])
	assert.GreaterOrEqual(t, sum["breaker"], Duration(maxListed), "what is new adds to the last one")
	total := Duration(0)
	for _, d := range sum {
		total += d
	}
	assert.Equal(t, Duration(3*maxListed), total)
}

// What the gate has let in leaves it, whatever becomes of the call.
func TestGateIsAlwaysLeft(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   step
		change func(w *world)
		want   []string
	}{
		{"a panic", step{do: func(context.Context, Request) (Answer, error) { panic("no") }},
			func(w *world) { w.cfg.Limits.Iterations = 1 },
			[]string{"acquire fake/", "release failed"}},
		{"no budget", done(), func(w *world) { w.cfg.Budget = budget{errors.New("none")} },
			[]string{"acquire fake/", "release cancelled"}},
		{"a provider that cannot be used", done(), func(w *world) { w.provider.available = []error{fails("stop")} },
			nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, g := gated(nil, -1, c.step)
			w.cfg.Limits.Iterations = 1
			c.change(w)
			w.run(t)
			assert.Equal(t, c.want, g.log)
			assert.Zero(t, g.in)
		})
	}
	t.Run("the goroutine ends", func(t *testing.T) {
		w, g := gated(
			nil, -1,
			step{do: func(context.Context, Request) (Answer, error) { runtime.Goexit(); return Answer{}, nil }})
		e, err := New(w.cfg)
		require.NoError(t, err)
		e.Start(t.Context(), aTask).Wait()
		assert.Equal(t, []string{"acquire fake/", "release cancelled"}, g.log)
	})
	t.Run("the run is cancelled during the call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, g := gated(
			nil, -1,
			step{do: func(context.Context, Request) (Answer, error) { cancel(); return Answer{}, fails("limit") }})
		e, err := New(w.cfg)
		require.NoError(t, err)
		assert.Equal(t, EndCancelled, e.Run(ctx, aTask).EndReason)
		assert.Equal(t, []string{"acquire fake/", "release cancelled"}, g.log)
	})
	t.Run("the run is cancelled behind the gate", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, g := gated(nil, -1, done())
		w.cfg.Observer = observer(func(e Event) {
			if e.Kind == IterationStarted {
				cancel()
			}
		})
		e, err := New(w.cfg)
		require.NoError(t, err)
		assert.Equal(t, EndCancelled, e.Run(ctx, aTask).EndReason)
		assert.Equal(t, []string{"acquire fake/", "release cancelled"}, g.log)
	})
}

type observer func(Event)

func (o observer) Observe(e Event) { o(e) }

// strategies are a Recoverer.
type strategies func(taxonomy.RecoveryRequest) error

func (s strategies) Recover(_ context.Context, f taxonomy.RecoveryRequest) error { return s(f) }

func TestGateBudgetUsedUp(t *testing.T) {
	for _, c := range []struct {
		typ   string
		step  step
		calls int
		want  EndReason
	}{
		{"limit", breaks("limit"), 2, EndRetriesUsedUp},
		{"mend", breaks("mend"), 2, EndRetriesUsedUp},
		{"place", breaks("place"), 4, EndMaxFailures}, // its `then` repeats the iteration
	} {
		t.Run(c.typ, func(t *testing.T) {
			w, _ := gated(nil, 1, c.step)
			w.cfg.Recoverer = strategies(func(taxonomy.RecoveryRequest) error { return nil })
			r := w.run(t)
			assert.Equal(t, c.want, r.EndReason)
			assert.Equal(t, c.calls, r.Calls, "one retry is left")
			assert.Equal(t, c.typ, r.ErrorCode)
		})
	}
}

// Work that is delivered is nobody's call: it has a budget of its own.
func TestGateBudgetOfOtherWork(t *testing.T) {
	w, g := gated(nil, 0, done("a"))
	w.cfg.Deliver = DeliverPush
	w.tree.fail = map[string][]error{"push": {&taxonomy.Evidence{Source: "git", Op: "push"}, nil}}
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, []string{"acquire fake/", "release", "retry git/ budgeted"}, g.log)
}

func TestGateThatFails(t *testing.T) {
	w, g := gated(nil, -1, breaks("place"), done())
	g.err = errors.New("no gate")
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []string{"ask the gate: no gate", "ask the gate: no gate"}, r.Warnings)
	assert.Equal(t, []string{"retry fake/ budgeted"}, g.log, "whoever was not let in does not leave")

	w = newWorld(budgeted(), breaks("place"), done())
	w.cfg.Gate = panickingGate{}
	r = w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Len(t, r.Warnings, 3)
}

type panickingGate struct{}

func (panickingGate) Acquire(context.Context, string) (func(retry.Result), error) {
	return func(retry.Result) { panic("release") }, nil
}

func (panickingGate) Retry(string, *taxonomy.Policy) bool { panic("retry") }

// Who escalates has the next provider's gate before it.
func TestGateOfTheNextTier(t *testing.T) {
	all := budgeted()
	all["up"] = taxonomy.Reaction{Action: taxonomy.Escalate}
	w := worldOf(tableOf(all, taxonomy.Tier{Name: "high"}), breaks("up"))
	high := &fakeProvider{name: "high", tree: w.tree, steps: []step{done()}}
	g := &fakeGate{budget: -1}
	w.cfg.Gate, w.cfg.Tiers = g, map[string]Provider{"high": high}
	assert.Equal(t, EndCompleted, w.run(t).EndReason)
	assert.Equal(t, []string{"acquire fake/", "release failed", "acquire high/", "release"}, g.log)
}

// The first reaction of the chain that has a budget is what the gate is told of, unless the profile
// switches it off.
func TestGatePolicyOfAChain(t *testing.T) {
	for _, c := range []struct {
		profile *taxonomy.Profile
		want    string
	}{
		{nil, "release failed by budgeted"},
		{&taxonomy.Profile{Retry: taxonomy.RetryDefaults{Enabled: true}}, "release failed by budgeted"},
		{&taxonomy.Profile{}, "release failed"},
	} {
		all := budgeted()
		first := all["limit"]
		all["chain"] = taxonomy.Reaction{Action: taxonomy.Recover, Strategy: "x", Policy: three, Then: &first}
		w := newWorld(all, breaks("chain"))
		g := &fakeGate{}
		w.cfg.Gate, w.cfg.Table.Overlay, w.cfg.Limits.Iterations = g, c.profile, 1
		w.run(t)
		assert.Equal(t, c.want, g.log[1])
	}
}
