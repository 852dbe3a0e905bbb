package retry

import (
	"cmp"
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
)

// uncategorized is what errors without a code are learned as.
const uncategorized = "uncategorized"

func (l *loop) adapts() bool { return l.adaptive != nil && l.policy.Adapt != nil }

// learn teaches what became of a call that began at a time, unless it was given up.
func (l *loop) learn(ctx context.Context, began time.Time, err error) {
	if !l.adapts() {
		return
	}
	o := Outcome{At: l.clock.Now(), Lane: l.gateLane, Attempt: l.series.Calls + 1}
	o.Took = o.At.Sub(began)
	if o.Attempt > 1 {
		o.After, o.Policy, o.Wait = l.code, l.policy.Name, began.Sub(l.lastEnd)
	}
	l.lastEnd = o.At
	if err != nil {
		l.code = cmp.Or(l.codeOf(err), uncategorized)
		if ctx.Err() != nil || errtree.Is(err, context.Canceled) {
			return
		}
		o.Code = l.code
	}
	l.adaptive.Learn(o)
}
