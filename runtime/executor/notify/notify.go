// Package notify tells people how a run ended.
//
// A [Notifier] sends a [Message] through its routes, all at once. A [Route] is a [Channel] and the
// runs that it is used for. [NewLog] and [NewWebhook] make channels, and any function can be one:
//
//	send := func(ctx context.Context, m notify.Message) error {
//		title := "Task " + string(m.Status)
//		return exec.CommandContext(ctx, "notify-send", "--", title, m.Text).Run()
//	}
//	desktop := notify.Channel{Name: "desktop", Send: send}
//	failures := notify.Route{Channel: desktop, Level: slog.LevelWarn}
//	notifier := &notify.Notifier{Routes: []notify.Route{failures}}
//
// A channel that fails does not stop the others, and does not change the outcome of the run.
package notify

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
)

// DefaultLimit limits the time of sending one message if a [Notifier] has no limit.
const DefaultLimit = 10 * time.Second

// Channel is a way to reach people.
type Channel struct {
	// Name names the channel in errors, as attribute resource.
	Name string
	// Send sends a message. It must return when ctx ends, and be safe for concurrent use. Its error
	// is best a [*taxonomy.Evidence].
	Send func(ctx context.Context, m Message) error
}

// NewLog returns the channel "log", which writes each message to logger at its level. Nil is
// [slog.Default].
func NewLog(logger *slog.Logger) Channel {
	return Channel{"log", func(ctx context.Context, m Message) error {
		cmp.Or(logger, slog.Default()).LogAttrs(ctx, m.Level, m.Text, m.attrs()...)
		return nil
	}}
}

// Route is a channel and the runs that it is used for. All conditions must hold.
type Route struct {
	Channel Channel
	// Statuses are the statuses of the runs; none means all.
	Statuses []executor.Status
	// Level is the least level of the message; the zero Level is Info, which every message has.
	Level slog.Level
}

func (r *Route) takes(m *Message) bool {
	return (len(r.Statuses) == 0 || slices.Contains(r.Statuses, m.Status)) && m.Level >= r.Level
}

// Notifier sends messages through its routes. It is an [executor.Notifier], and safe for concurrent
// use.
type Notifier struct {
	Routes []Route
	// Limit limits the time of sending one message; 0 is DefaultLimit.
	Limit time.Duration
}

var _ executor.Notifier = (*Notifier)(nil)

// Notify sends the message about r through all routes that take it, at the same time, and waits for
// them. Its error joins one evidence for each channel that failed (source notify, op notify,
// attribute resource), in the order of the routes.
func (n *Notifier) Notify(ctx context.Context, r *executor.Result) error {
	m := NewMessage(r)
	limited, cancel := context.WithTimeout(ctx, cmp.Or(n.Limit, DefaultLimit))
	defer cancel()
	errs := make([]error, len(n.Routes))
	var wg sync.WaitGroup
	for i, route := range n.Routes {
		if route.takes(&m) {
			wg.Go(func() {
				if err := route.Channel.Send(limited, m); err != nil {
					errs[i] = n.failure(ctx, route.Channel, err)
				}
			})
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

// failure returns evidence of a channel's error.
func (n *Notifier) failure(ctx context.Context, c Channel, err error) error {
	ev := detect.Of(err)
	ev.Source, ev.Op = "notify", "notify"
	ev.SetAttribute("resource", c.Name)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		ev.Type = "timeout"
		ev.SetAttribute("timeout_ms", strconv.FormatInt(cmp.Or(n.Limit, DefaultLimit).Milliseconds(), 10))
	}
	return &ev
}
