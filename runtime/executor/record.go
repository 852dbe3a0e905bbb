package executor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxQueue bounds the entries that wait for a journal that fails.
const maxQueue = 10_000

// recorder writes to the journal. What it cannot write waits, in order, and is tried again before
// the next entry.
type recorder struct {
	mu      sync.Mutex
	journal Journal
	queue   []Entry
	failing bool
}

// record makes an entry durable, which is of now unless it says another time. That it fails changes
// nothing but the warnings.
func (r *runner) record(ctx context.Context, e Entry) {
	if r.log.journal == nil {
		return
	}
	e.Iteration = r.number
	if e.At.IsZero() {
		e.At = r.cfg.Clock.Now()
	}
	if err := r.log.append(context.WithoutCancel(ctx), e); err != nil {
		r.warn("write to the journal", err)
	}
}

// append returns an error when the journal begins to fail, and not for each entry while it does.
func (l *recorder) append(ctx context.Context, e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) < maxQueue {
		l.queue = append(l.queue, e)
	}
	for len(l.queue) > 0 {
		err := contained(operation{name: "state_write", source: "state"},
			func() error { return l.journal.Append(ctx, l.queue[0]) })
		if err != nil {
			begins := !l.failing
			l.failing = true
			if begins {
				return err
			}
			return nil
		}
		l.queue[0] = Entry{}
		l.queue = l.queue[1:]
	}
	l.failing = false
	return nil
}

// settled reports that all entries are written down; without a journal there are none.
func (l *recorder) settled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) == 0
}

// answered returns how a call ended, as it is written down.
func (r *runner) answered(it *iteration, a Answer, f *failure, took time.Duration) *Answered {
	done := &Answered{
		Call: it.calls, Signal: a.Signal, Question: text.Beginning(a.Question, maxMessage),
		Text:    text.Ending(a.Text, maxAnswer),
		Session: a.Session, Usage: a.Usage, Took: Duration(took),
	}
	if f != nil {
		rec := f.record
		done.Error = &rec
	}
	return done
}

// recordAnswer writes down how a call ended, and when.
func (r *runner) recordAnswer(ctx context.Context, done *Answered, at time.Time) {
	r.record(ctx, Entry{Point: PointAnswered, Answered: done, At: at})
}

// recordJudged writes down what was found and is about to be put back, together with what was put
// back already. Without anything to be put back it keeps the errors, if there are new ones: a
// replay does not come by those of what is done.
func (r *runner) recordJudged(ctx context.Context, it *iteration, j Judged) {
	if it.judged && len(j.Revert) == 0 && it.noted == len(it.failures) {
		return
	}
	it.judged, it.noted = true, len(it.failures)
	j.Changes, j.Verdicts, j.Passed = it.changes, it.verdicts, it.passed
	j.Revert = slices.Clone(j.Revert)
	for _, c := range it.changes {
		if it.reverted[c.Path] {
			j.Revert = append(j.Revert, c)
		}
	}
	for _, f := range it.failures {
		j.Errors = append(j.Errors, f.recorded())
	}
	r.record(ctx, Entry{Point: PointReverting, Judged: &j})
}

// takeWaits returns the waits that were not written down yet.
func (r *runner) takeWaits() []Wait {
	waits := r.waits
	r.waits = nil
	return waits
}
