package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations that evidence of providers is about.
const (
	OpCall      = "call"
	OpAvailable = "available"
)

// Source is whose evidence it is.
type Source struct {
	// Name is the provider's name, and Credential that of its key.
	Name, Credential string
	// Clock tells how long something took.
	Clock retry.Clock
}

// Stamp says in the evidence whose it is, and returns it.
func (s Source) Stamp(ev *taxonomy.Evidence, op string) *taxonomy.Evidence {
	ev.Source, ev.Op, ev.Credential = s.Name, op, s.Credential
	return ev
}

// Failed returns the error of something that was started then and had so much time, 0 if that is
// not known. A deadline is evidence of its own, whatever broke off when it came; a cancellation is
// no failure and is returned as what it is. Of all else why makes the evidence; it is not called
// unless ctx goes on.
func (s Source) Failed(ctx context.Context, op string, started time.Time, limit time.Duration,
	why func() *taxonomy.Evidence) error {
	if ctx.Err() == nil {
		return s.Stamp(why(), op)
	}
	ev, err := Deadline(ctx, s.Clock.Now().Sub(started), limit)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", op, s.Name, err)
	}
	return s.Stamp(ev, op)
}
