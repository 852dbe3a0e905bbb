// Package notify tells people how a run ended.
//
// A [Notifier] sends a [Message] through its routes, all at once. A [Route] is a [Channel] and the
// runs that it is used for. [NewLog] and [NewWebhook] make channels; [Func] makes one of a
// function:
//
//	desktop := notify.Func("desktop", func(ctx context.Context, m notify.Message) error {
//		return exec.CommandContext(ctx, "notify-send", "--", "Task "+string(m.Status), m.Text).Run()
//	})
//
// A channel that fails does not stop the others, and does not change the outcome of the run.
package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultLimit is how long sending one message may take if [Options] have no limit.
const DefaultLimit = 10 * time.Second

// Channel is a way to reach people. It must be safe for concurrent use.
type Channel interface {
	// Name names the channel in errors, as attribute resource.
	Name() string
	// Send sends a message. It must return when ctx ends. Its error is best a [*taxonomy.Evidence].
	Send(ctx context.Context, m Message) error
}

// Func returns a channel that sends by calling send.
func Func(name string, send func(ctx context.Context, m Message) error) Channel {
	return channelFunc{name, send}
}

type channelFunc struct {
	name string
	send func(context.Context, Message) error
}

func (c channelFunc) Name() string                              { return c.name }
func (c channelFunc) Send(ctx context.Context, m Message) error { return c.send(ctx, m) }

// NewLog returns the channel "log", which writes each message to logger at its level. Nil is
// [slog.Default].
func NewLog(logger *slog.Logger) Channel {
	return Func("log", func(ctx context.Context, m Message) error {
		cmp.Or(logger, slog.Default()).LogAttrs(ctx, m.Level, m.Text, m.attrs()...)
		return nil
	})
}

// Route is a channel and the runs that it is used for. All conditions must hold.
type Route struct {
	Channel Channel
	// Statuses are the statuses of the runs; none means all.
	Statuses []executor.Status
	// Level is the least level of the message; the zero Level is Info, which every message has.
	Level slog.Level
	// Severity is the least severity of the last error; zero also takes runs without one.
	Severity taxonomy.Severity
}

func (r *Route) takes(m *Message) bool {
	return (len(r.Statuses) == 0 || slices.Contains(r.Statuses, m.Status)) && m.Level >= r.Level &&
		m.Severity >= r.Severity
}

// Options configure a [Notifier]. All are optional.
type Options struct {
	// Limit is how long sending one message may take; 0 is DefaultLimit.
	Limit time.Duration
}

// Notifier sends messages through its routes. It is an [executor.Notifier], and safe for concurrent
// use.
type Notifier struct {
	limit  time.Duration
	routes []Route
}

var _ executor.Notifier = (*Notifier)(nil)

// New returns a notifier. Every route must have a channel.
func New(o Options, routes ...Route) *Notifier {
	return &Notifier{cmp.Or(o.Limit, DefaultLimit), routes}
}

// Notify sends the message about r through all routes that take it, at the same time, and waits for
// them. Its error joins one evidence for each channel that failed (source notify, op notify,
// attribute resource), in the order of the routes.
func (n *Notifier) Notify(ctx context.Context, r *executor.Result) error {
	m := NewMessage(r)
	limited, cancel := context.WithTimeout(ctx, n.limit)
	defer cancel()
	errs := make([]error, len(n.routes))
	var wg sync.WaitGroup
	for i := range n.routes {
		if n.routes[i].takes(&m) {
			wg.Go(func() { errs[i] = send(limited, n.routes[i].Channel, m) })
		}
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			errs[i] = n.failure(ctx, n.routes[i].Channel, err)
		}
	}
	return errors.Join(errs...)
}

// send returns a panic of the channel as its error.
func send(ctx context.Context, c Channel, m Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &taxonomy.Evidence{Type: "panic", Text: fmt.Sprint(p)}
		}
	}()
	return c.Send(ctx, m)
}

// failure returns evidence of a channel's error.
func (n *Notifier) failure(ctx context.Context, c Channel, err error) error {
	ev := detect.Of(err)
	ev.Source, ev.Op = "notify", "notify"
	ev.SetAttribute("resource", c.Name())
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		ev.Type = "timeout"
		ev.SetAttribute("timeout_ms", strconv.FormatInt(n.limit.Milliseconds(), 10))
	}
	return &ev
}
