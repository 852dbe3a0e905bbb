package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// fail fails a call as services do.
func (p *Provider) fail(ctx context.Context, f *failing) error {
	ev := &taxonomy.Evidence{Source: p.Name(), Op: "call"}
	switch f.As {
	case rateLimit:
		ev.Type, ev.Status, ev.Text = "rate_limit_error", 429, "this request would exceed the rate limit"
	case overloaded:
		ev.Type, ev.Status, ev.Text = "overloaded_error", 529, "overloaded"
	case down:
		ev.Type, ev.Errno, ev.Text = "network", "ECONNREFUSED", "connect: connection refused"
	default:
		<-ctx.Done()
		return p.over(ctx)
	}
	ev.Text = cmp.Or(f.Text, ev.Text)
	if f.RetryAfter > 0 {
		ev.RetryAfter = taxonomy.Some(f.RetryAfter)
	}
	return ev
}

// over is what a call comes to whose time is over, or that was cancelled.
func (p *Provider) over(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &taxonomy.Evidence{
			Source: p.Name(), Op: "call", Type: "timeout", Text: "the tier took too long",
			Err: context.DeadlineExceeded,
		}
	}
	return fmt.Errorf("call %s: %w", p.Name(), context.Cause(ctx))
}
