package retry

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Decide returns the decision of [Do] after a failure, for a caller that stores its history between
// two calls, as a queue does. The options are those of Do; err is classified as they specify.
// earlier returns the failures before this one with a code, or with [Uncategorized]: their number
// and the sum of their waits.
//
// The *Error has the classified error and the reaction that applies now. If its Why is
// [StoppedNot], the next call follows after the wait in Next.
func Decide(err error, earlier func(code string) State, opts ...Option) (Next, *Error) {
	ctx := context.Background()
	l := loop{settings: settingsOf(opts)}
	l.last = l.classified(ctx, err)
	l.effect = observed(l.last, l.raw)
	before := earlier(learnedCode(l.last))
	l.calls, l.waited = before.Calls+1, before.Waited
	l.replay(l.last, before)
	next, why, reaction := l.decide(ctx, l.last)
	e := l.stopped(why, nil)
	e.Reaction = *reaction
	return next, e
}

// maxReplayed bounds the failures of a stored history that are replayed.
const maxReplayed = 1000

// replay counts earlier failures with the code of err. Their hints are unknown.
func (l *loop) replay(err error, earlier State) {
	states := l.history(err)
	for range min(earlier.Calls, maxReplayed) {
		l.walk(err, func(depth int, r *taxonomy.Reaction) bool {
			next := states[depth].Next(l.policyOf(r), taxonomy.Opt[time.Duration]{}, nil)
			states[depth] = next.State
			return next.Stop != StoppedNot
		})
	}
	states[0].Waited = max(0, earlier.Waited)
}
