package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultLimit is how long a channel may take for a message, unless [Options] say otherwise.
const DefaultLimit = 10 * time.Second

// Channel is a way to reach people. Several messages may be sent at once.
type Channel interface {
	// Name names the channel in errors, as attribute resource.
	Name() string
	// Send sends a message. It returns soon after ctx has ended. Its error is best a
	// *[taxonomy.Evidence].
	Send(ctx context.Context, m Message) error
}

// Route is a channel and what it is told about. Of the conditions that are set all must hold.
type Route struct {
	Channel Channel
	// Statuses are those of the runs that it is told about; none are all.
	Statuses []executor.Status
	// Level is the least level; the zero Level is that of Info, which every message has.
	Level slog.Level
	// Severity is the least severity of the last error. A message without one passes unless it is
	// set.
	Severity taxonomy.Severity
}

// takes reports whether the route is told about m.
func (r *Route) takes(m *Message) bool {
	return (len(r.Statuses) == 0 || slices.Contains(r.Statuses, m.Status)) && m.Level >= r.Level &&
		m.Severity >= r.Severity
}

// Options say how a [Notifier] works. The zero Options are complete.
type Options struct {
	// Limit is how long a channel may take for a message; 0 is DefaultLimit.
	Limit time.Duration
}

// Notifier sends messages through its routes. It is an [executor.Notifier] and safe for concurrent
// use.
type Notifier struct {
	limit  time.Duration
	routes []Route
}

var _ executor.Notifier = (*Notifier)(nil)

// New returns a notifier. Routes without a channel are passed over.
func New(o Options, routes ...Route) *Notifier {
	n := &Notifier{limit: cmp.Or(max(o.Limit, 0), DefaultLimit)}
	for _, r := range routes {
		if r.Channel != nil {
			n.routes = append(n.routes, r)
		}
	}
	return n
}

// Notify sends the message about a result through all routes that take it, at once, and waits for
// them, for the limit at most. Its error joins one evidence for each channel that failed (source
// notify, op notify, attribute resource), in the order of the routes.
//
// A channel that does not return when its context has ended is left behind in a goroutine of its
// own.
func (n *Notifier) Notify(ctx context.Context, r *executor.Result) error {
	m := NewMessage(r)
	limited, cancel := context.WithTimeout(ctx, n.limit)
	defer cancel()
	errs := n.sendAll(limited, m)
	for i, err := range errs {
		if err != nil {
			errs[i] = n.failure(ctx, &n.routes[i], err)
		}
	}
	return errors.Join(errs...)
}

// sent is what came of sending a message through a route.
type sent struct {
	route int
	err   error
}

// sendAll sends m through the routes that take it and returns the error of each.
func (n *Notifier) sendAll(ctx context.Context, m Message) []error {
	errs := make([]error, len(n.routes))
	done := make(chan sent, len(n.routes))
	pending := map[int]bool{}
	for i := range n.routes {
		if n.routes[i].takes(&m) {
			pending[i] = true
			go func() { done <- sent{i, send(ctx, n.routes[i].Channel, m)} }()
		}
	}
	over, late := ctx.Done(), (<-chan time.Time)(nil)
	for len(pending) > 0 {
		select {
		case s := <-done:
			errs[s.route] = s.err
			delete(pending, s.route)
		case <-over:
			// A channel that heeds its context is about to return.
			grace := time.NewTimer(lastWord)
			defer grace.Stop()
			over, late = nil, grace.C
		case <-late:
			for i := range pending {
				errs[i] = fmt.Errorf("the channel does not return: %w", ctx.Err())
			}
			return errs
		}
	}
	return errs
}

// lastWord is how long channels have to return once their time is over.
const lastWord = time.Second

// send sends a message. A panic of the channel is an error.
func send(ctx context.Context, c Channel, m Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{Type: "panic", Text: fmt.Sprint(p)}
		}
	}()
	return c.Send(ctx, m)
}

// failure returns what a channel has said as evidence.
func (n *Notifier) failure(ctx context.Context, r *Route, err error) error {
	ev := detect.Of(err)
	ev.Source, ev.Op = "notify", "notify"
	attributes := map[string]string{}
	maps.Copy(attributes, ev.Attributes)
	attributes["resource"] = nameOf(r.Channel)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		ev.Type = "timeout"
		attributes["timeout_ms"] = fmt.Sprint(n.limit.Milliseconds())
	}
	ev.Attributes = attributes
	return &ev
}

// nameOf returns the name of a channel, also if its method panics.
func nameOf(c Channel) (name string) {
	defer func() {
		if recover() != nil {
			name = fmt.Sprintf("%T", c)
		}
	}()
	return c.Name()
}
