package recovery

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The defaults of [ContainOptions].
const (
	DefaultContainLimit = 30 * time.Minute
	DefaultContainGrace = 5 * time.Second
	// DefaultContainPutBack is longer than a strategy of [Standard] takes to end its commands and
	// to put back what they have changed.
	DefaultContainPutBack = 5 * time.Minute
)

// ContainOptions say how strategies are held within bounds. The zero ContainOptions are complete.
type ContainOptions struct {
	// Limit is how long a strategy may take before its context ends; DefaultContainLimit.
	Limit time.Duration
	// Grace is how long it has to return then, before it is left behind; DefaultContainGrace.
	Grace time.Duration
	// PutBack is how long beyond the grace a strategy of [Standard] is waited for that has begun to
	// change the working tree, so that the tree is as it was when Recover returns;
	// DefaultContainPutBack.
	PutBack time.Duration
	// Validate is asked after a strategy that says that it has mended; an error is the strategy's.
	// Nil believes what strategies say. It is held within the same bounds.
	Validate func(ctx context.Context, failure taxonomy.RecoveryRequest) error
}

// Contain returns a recoverer that holds the strategies of next within bounds: what a strategy
// throws, and one that does not return in time, is an [Error] whose message begins with "Recovery
// strategy failed". One that hangs is left behind in its goroutine; when eight are, no more are
// begun until one of them has returned. A fix or an installation of [Standard] is not left behind
// before it has put back what it has changed, or the time for that is over. It is safe for
// concurrent use if next is.
func Contain(next executor.Recoverer, o ContainOptions) executor.Recoverer {
	c := &contained{next: next, validate: o.Validate,
		keeper: keeper{limit: o.Limit, grace: o.Grace, putBack: o.PutBack}}
	if c.keeper.limit <= 0 {
		c.keeper.limit = DefaultContainLimit
	}
	if c.keeper.grace <= 0 {
		c.keeper.grace = DefaultContainGrace
	}
	if c.keeper.putBack <= 0 {
		c.keeper.putBack = DefaultContainPutBack
	}
	return c
}

type contained struct {
	next     executor.Recoverer
	validate func(ctx context.Context, failure taxonomy.RecoveryRequest) error
	keeper   keeper
}

func (c *contained) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	name := failed.Reaction.Strategy
	err := c.keeper.run(ctx, func(ctx context.Context) error { return c.next.Recover(ctx, failed) })
	if err != nil || c.validate == nil {
		return broken(name, err)
	}
	err = c.keeper.run(ctx, func(ctx context.Context) error { return c.validate(ctx, failed) })
	if err == nil {
		return nil
	}
	if wrong := broken(name, err); wrong != err {
		return wrong
	}
	refuted := failure(brokenPrefix+"it says that it has mended, but the validation does not pass", err)
	refuted.Strategy = name
	return refuted
}

// broken returns err as what it says of a strategy: evidence where the strategy itself is broken,
// otherwise as it is.
func broken(name string, err error) error {
	var threw *panicked
	var hangs *hung
	kind := ""
	switch {
	case err == nil:
		return nil
	case errors.As(err, &threw):
		kind = typePanic
	case errors.As(err, &hangs):
		kind = typeTimeout
	case errors.Is(err, errCutShort), errors.Is(err, errCrowded), errors.Is(err, errOvertime):
	default:
		return err
	}
	if known, ok := err.(*Error); ok && strings.HasPrefix(known.Message, brokenPrefix) {
		return known
	}
	ev := evidence(name, kind, text.Error(err, maxMessage))
	ev.Err = err
	return &Error{Strategy: name, Message: brokenPrefix + text.Error(err, maxMessage), Err: ev}
}
