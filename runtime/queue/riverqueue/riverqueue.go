// Package riverqueue makes the workers of River follow the reactions of a taxonomy.
//
//	config := &river.Config{Workers: workers, Queues: queues}
//	riverqueue.Configure(config, errs.Table)
//	client, err := river.NewClient(riverpgxv5.New(pool), config)
//
// Each attempt of a job ends as [queue.Decide] decides: a retry at the time of the policy, a parked
// job in the state cancelled, a dead job in the state discarded. The workers are not changed.
package riverqueue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures [Configure].
type Option func(*middleware)

// WithRetry passes options to [queue.Decide], such as [retry.WithClassifier].
func WithRetry(opts ...retry.Option) Option {
	return func(m *middleware) { m.retry = append(m.retry, opts...) }
}

// OnDecision sets a function that receives each decision, for logs and metrics.
func OnDecision(f func(ctx context.Context, job *rivertype.JobRow, d queue.Decision)) Option {
	return func(m *middleware) { m.onDecision = f }
}

// Configure makes a client decide by the table. It adds a middleware before all others, sets the
// retry policy, and keeps parked jobs for ever unless CancelledJobRetentionPeriod is set. The retry
// policy of c, or River's default, remains for jobs that no worker attempted: of a kind that the
// client does not work, or rescued from a worker that died. A worker with a NextRetry of its own
// overrides the wait.
func Configure(c *river.Config, t taxonomy.Table, opts ...Option) {
	m := &middleware{table: t}
	for _, option := range opts {
		option(m)
	}
	c.Middleware = slices.Insert(c.Middleware, 0, rivertype.Middleware(m))
	c.RetryPolicy = retryPolicy{cmp.Or[river.ClientRetryPolicy](c.RetryPolicy, &river.DefaultClientRetryPolicy{})}
	c.CancelledJobRetentionPeriod = cmp.Or(c.CancelledJobRetentionPeriod, -1)
	c.MaxAttempts = max(cmp.Or(c.MaxAttempts, river.MaxAttemptsDefault), queue.MaxAttempts(t)+1)
}

type middleware struct {
	river.MiddlewareDefaults
	table      taxonomy.Table
	retry      []retry.Option
	onDecision func(ctx context.Context, job *rivertype.JobRow, d queue.Decision)
}

// Work makes an attempt of a job, and returns the error that makes River carry out the decision.
func (m *middleware) Work(ctx context.Context, job *rivertype.JobRow, inner func(context.Context) error) error {
	h := m.history(job)
	d, poisoned := queue.Poisoned(m.table, h)
	if !poisoned {
		err := queue.Call(func() error { return inner(ctx) })
		if isDecided(err) {
			return err
		}
		d = queue.Decide(ctx, m.table, err, h, m.retry...)
	}
	if d.Action == queue.Retry && !d.Uncounted && job.Attempt >= job.MaxAttempts {
		d.Action, d.Why = queue.Dead, retry.StoppedAttempts
	}
	if m.onDecision != nil {
		m.onDecision(ctx, job, d)
	}
	if d.Action == queue.Ack {
		return nil
	}
	failed := &failure{d}
	switch {
	case d.Action == queue.Park:
		return river.JobCancel(failed)
	case d.Action == queue.Dead:
		job.MaxAttempts = job.Attempt // River discards a job after its last attempt
	case d.Uncounted:
		return river.JobSnooze(d.Wait)
	default:
		job.ScheduledAt = decided(job).Add(d.Wait) // for the retry policy
	}
	return failed
}

// isDecided reports whether a worker decided itself, by river.JobSnooze or river.JobCancel.
func isDecided(err error) bool {
	_, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	_, cancelled := errors.AsType[*rivertype.JobCancelError](err)
	return snoozed || cancelled
}

// history returns the attempts since the job was inserted, or since a person started it again. It
// does not count attempts of clients that do not work the kind of the job.
func (m *middleware) history(job *rivertype.JobRow) queue.History {
	var h queue.History
	before := 0
	for _, e := range job.Errors {
		action, code := parse(e.Error)
		if h.First.IsZero() {
			h.First = e.At
		}
		switch _, known := m.table.Taxonomy.Find(code); {
		case action == queue.Park || action == queue.Dead || strings.HasPrefix(e.Error, cancelPrefix):
			h, before = queue.History{}, e.Attempt
		case e.Error == (&rivertype.UnknownJobKindError{Kind: job.Kind}).Error():
			before++
		case action == queue.Retry && (known || code == retry.Uncategorized):
			h.Codes = append(h.Codes, code)
		}
	}
	h.Attempts = job.Attempt - before
	return h
}

// failure is the error of an attempt, as River stores it: "retry CODE: text".
type failure struct{ queue.Decision }

func (f *failure) Error() string {
	return f.Action.String() + " " + cmp.Or(f.Code, retry.Uncategorized) + ": " + taxonomy.Redact(f.Err.Error())
}

func (f *failure) Unwrap() error { return f.Err }

// Last returns the decision about the last attempt of a job that failed with a code, and the code. If
// there was none, it returns Ack and "".
func Last(job *rivertype.JobRow) (action queue.Action, code string) {
	for _, e := range slices.Backward(job.Errors) {
		if action, code = parse(e.Error); code != "" {
			return action, code
		}
	}
	return queue.Ack, ""
}

// cancelPrefix begins the stored text of a job that its worker or a decision cancelled.
const cancelPrefix = "JobCancelError: "

// parse returns the action and the code in the text of a failure. Another text has no code.
func parse(text string) (queue.Action, string) {
	text = strings.TrimPrefix(text, cancelPrefix)
	for _, action := range []queue.Action{queue.Retry, queue.Park, queue.Dead} {
		if rest, ok := strings.CutPrefix(text, action.String()+" "); ok {
			if code, _, ok := strings.Cut(rest, ": "); ok && !strings.Contains(code, " ") {
				return action, code
			}
		}
	}
	return queue.Ack, ""
}

// retryPolicy returns the time that the middleware set, or the present if that has passed, because
// River takes its default policy in place of a time in the past.
type retryPolicy struct {
	other river.ClientRetryPolicy // for jobs without a decision
}

func (p retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	if job.AttemptedAt == nil || !job.ScheduledAt.After(*job.AttemptedAt) {
		return p.other.NextRetry(job)
	}
	if now := time.Now(); job.ScheduledAt.Before(now) {
		return now
	}
	return job.ScheduledAt
}

// decided returns the time of a decision. It is after the beginning of the attempt also if the clock of
// the database, which sets that, is ahead. So the retry policy distinguishes a decided job.
func decided(job *rivertype.JobRow) time.Time {
	now := time.Now()
	if job.AttemptedAt != nil && !now.After(*job.AttemptedAt) {
		return job.AttemptedAt.Add(time.Microsecond)
	}
	return now
}
