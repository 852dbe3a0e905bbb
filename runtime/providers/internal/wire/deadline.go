package wire

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Deadline returns the evidence of a deadline that was met, and otherwise an error for the end of a
// context: what ended is no failure then and is said as what it is. Limit is how long there was, 0
// if that is not known.
func Deadline(ctx context.Context, elapsed, limit time.Duration) (*taxonomy.Evidence, error) {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(cause, context.DeadlineExceeded) {
		if errors.Is(cause, err) {
			return nil, cause
		}
		return nil, fmt.Errorf("%w: %w", err, cause)
	}
	ev := &taxonomy.Evidence{
		Type: TypeTimeout, Text: "no answer within the time limit", Err: context.DeadlineExceeded,
		Attributes: map[string]string{"elapsed_ms": milliseconds(elapsed)},
	}
	if limit > 0 {
		ev.Attributes["timeout_ms"] = milliseconds(limit)
	}
	return ev, nil
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(d, 0).Milliseconds(), 10)
}

// Limit returns how long a call that begins now may take: limit if there is one, or else what ctx
// leaves it; 0 is no limit.
func Limit(ctx context.Context, limit time.Duration, now time.Time) time.Duration {
	if at, ok := ctx.Deadline(); ok && limit <= 0 {
		return max(at.Sub(now), 0)
	}
	return max(limit, 0)
}
