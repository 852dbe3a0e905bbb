package breaker

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// endless is the time that is left to a caller without a deadline.
const endless = time.Duration(math.MaxInt64)

const (
	defaultMaxLanes = 4096
	defaultIdle     = 15 * time.Minute
	// room is which part of the lanes, as a divisor, is forgotten at once: to look at all of them
	// for each new one would take too long.
	room = 64
)

// Options are how gates are made. The zero Options are good ones.
type Options struct {
	// Ramp is how those who wait enter a lane that opens again; its zero value begins with one in
	// the first second. With a negative Step everybody enters at once. Its Random is not used.
	Ramp retry.Ramp
	// MaxLanes bounds the lanes that are remembered; 4096 when it is 0 or less, which takes some
	// megabytes. Beyond it those are forgotten in which nothing has failed, then those with the
	// fewest failures, and those with an open breaker last; of equal ones those that nobody has
	// used for longest. So when more lanes are in trouble than there is room for, some have a
	// breaker and others have none.
	MaxLanes int
	// Idle is for how long nobody has used a lane that is forgotten; 15 minutes when it is 0 or
	// less. A lane with an open breaker is not.
	Idle time.Duration
	// OnState is told when a breaker changes its state; nil is nobody. It is called by those who
	// enter and leave, may be called by several at once, and may use the gates.
	OnState func(Change)
}

// Change is a breaker's change of state.
type Change struct {
	Lane, Policy string
	From, To     State
	At           time.Time
}

// Gates are the gates of all lanes of a process. They are safe for concurrent use. Time is the
// clock of the machine; the time that Enter is given is only what its answer counts from.
type Gates struct {
	options Options

	mu      sync.Mutex
	lanes   map[string]*lane
	cleaned time.Time
}

var (
	_ retry.Gate      = (*Gates)(nil)
	_ retry.TryGate   = (*Gates)(nil)
	_ retry.Explainer = (*Gates)(nil)
)

// New returns gates that are all open.
func New(o Options) *Gates {
	if o.MaxLanes <= 0 {
		o.MaxLanes = defaultMaxLanes
	}
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	return &Gates{options: o, lanes: make(map[string]*lane), cleaned: time.Now()}
}

// Enter asks to make a call; see [retry.Gate]. It fails only when ctx has ended, with its cause. A
// caller that would have less than half of the time until its deadline left takes no place in the
// queue of a lane that opens again, and is told to wait beyond the deadline for a probe. It gives
// its place up when ctx ends, so ctx must be that of the whole wait.
func (g *Gates) Enter(ctx context.Context, name, caller string, now time.Time) (time.Time, error) {
	patience := endless
	if deadline, ok := ctx.Deadline(); ok {
		patience = deadline.Sub(now)
	}
	return g.enter(ctx, name, caller, now, patience)
}

// TryEnter is Enter for a caller that will not wait: it takes no place in the queue.
func (g *Gates) TryEnter(ctx context.Context, name, caller string, now time.Time) (time.Time, error) {
	return g.enter(ctx, name, caller, now, 0)
}

func (g *Gates) enter(
	ctx context.Context, name, caller string, now time.Time, patience time.Duration,
) (time.Time, error) {
	if ctx.Err() != nil {
		return now, context.Cause(ctx)
	}
	real := time.Now()
	g.mu.Lock()
	l := g.lane(name, real)
	at, ticket := l.enter(caller, real, patience)
	if ticket != nil && ctx.Done() != nil {
		ticket.forget = context.AfterFunc(ctx, func() { g.gaveUp(l, caller, ticket) })
	}
	changes := l.changed(name, real, g.options.OnState)
	g.mu.Unlock()
	g.tell(changes)
	return now.Add(max(0, at.Sub(real))), nil
}

// gaveUp takes the ticket of a caller whose context has ended.
func (g *Gates) gaveUp(l *lane, caller string, t *ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.entry.gaveUp(caller, t, time.Now())
}

// Leave says what became of a call; see [retry.Gate].
func (g *Gates) Leave(name, caller string, end retry.CallEnd) {
	now := time.Now()
	g.mu.Lock()
	l := g.lane(name, now)
	l.leave(caller, end, now, g.options.Ramp)
	changes := l.changed(name, now, g.options.OnState)
	g.mu.Unlock()
	g.tell(changes)
}

// Retry asks whether a failed call may be tried again; see [retry.Gate].
func (g *Gates) Retry(name string, p *taxonomy.Policy) bool {
	if p == nil || p.Budget == nil || p.Budget.Retries < 0 {
		return true
	}
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lane(name, now).bound(p, now).retry(now)
}

func (g *Gates) tell(changes []Change) {
	for _, c := range changes {
		g.options.OnState(c)
	}
}

// lane returns the lane, which is made if nobody has used it.
func (g *Gates) lane(name string, now time.Time) *lane {
	l := g.lanes[name]
	if l == nil {
		g.clean(now)
		l = newLane(now)
		g.lanes[name] = l
	}
	l.used = now
	return l
}

// clean forgets the lanes that are idle when there is no room for another, and every now and then.
func (g *Gates) clean(now time.Time) {
	if len(g.lanes) < g.options.MaxLanes && now.Sub(g.cleaned) < g.options.Idle {
		return
	}
	g.cleaned = now
	needs := make([]need, 0, len(g.lanes))
	for name, l := range g.lanes {
		if l.isOpen() && now.Sub(l.used) >= g.options.Idle {
			delete(g.lanes, name)
			continue
		}
		needs = append(needs, l.need(name))
	}
	if len(needs) < g.options.MaxLanes {
		return
	}
	slices.SortFunc(needs, need.compare)
	for _, n := range needs[:max(1, len(needs)/room)] {
		delete(g.lanes, n.lane)
	}
}
