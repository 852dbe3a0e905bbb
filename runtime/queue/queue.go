// Package queue decides what a worker does with a job that failed: whether the queue delivers it
// again and when, or whether it is parked for a person or ends as dead.
//
//	d := queue.Decide(ctx, errs.Table, err, queue.History{Attempts: n, First: first})
//	switch d.Action {
//	case queue.Retry:
//		deliverAfter(d.Wait)
//
// The decision follows the reactions of the taxonomy, as [retry.Do] does within one call. Modules
// below this package connect it to queues: riverqueue and natsqueue. An adapter for another queue
//
//   - calls [Poisoned] before the attempt, because a job that ends its worker stores no code,
//   - makes the attempt through [Call], which turns a panic into an error,
//   - stores the code of a counted attempt, if the queue can, for [History],
//   - delivers an uncounted attempt again after its wait, without counting it,
//   - stores a parked or dead job with its code before the queue drops it.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Action is what the worker does with a job. The zero Action acknowledges it.
type Action uint8

// The actions.
const (
	Ack   Action = iota // the job is done
	Retry               // the queue delivers it again
	Park                // the job waits for a person, who can start it again
	Dead                // the job failed, and no repetition helps
)

var actionWords = [...]string{"ack", "retry", "park", "dead"}

// String returns the action as a word.
func (a Action) String() string {
	if int(a) < len(actionWords) {
		return actionWords[a]
	}
	return fmt.Sprintf("Action(%d)", uint8(a))
}

// History describes the attempts of a job.
type History struct {
	// Attempts counts the attempts, including the one that failed. 0 counts as 1.
	Attempts int
	// First is the time of the first attempt, from which max_elapsed of a policy is counted. If it
	// is zero, max_elapsed has no effect.
	First time.Time
	// Codes are the codes of the earlier attempts, oldest first. Each code then has a separate limit.
	// An attempt that is in Attempts but not in Codes counts for every code: its worker died, or
	// the queue stores no codes.
	Codes []string
}

// Decision is what the worker does with a job, and the reason.
type Decision struct {
	Action Action
	// Wait is the time until the next attempt, if Action is Retry.
	Wait time.Duration
	// Uncounted reports that the attempt does not count, because the job was not tried: the breaker
	// refused the call, or the worker shuts down.
	Uncounted bool
	// Code is the code of the error; "" without an error of a taxonomy.
	Code string
	// Why is the reason why the job is not retried, or why the attempt does not count.
	Why retry.Stop
	// Reaction is the reaction of the table that applies.
	Reaction taxonomy.Reaction
	// Err is the classified error; nil after success.
	Err error
}

// LogValue returns the action, the code, the reason and the wait. The error has its own attribute.
func (d Decision) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("action", d.Action.String())}
	if d.Code != "" {
		attrs = append(attrs, slog.String("code", d.Code))
	}
	if d.Why != retry.StoppedNot {
		attrs = append(attrs, slog.String("why", d.Why.String()))
	}
	if d.Action == Retry {
		attrs = append(attrs, slog.Duration("wait", d.Wait), slog.Bool("counted", !d.Uncounted))
	}
	return slog.GroupValue(attrs...)
}

// uncountedWait is the wait after a refusal that has none, so that a job does not occupy a worker
// while the breaker is open.
const uncountedWait = time.Second

// Decide returns what a worker does with a job whose attempt ended with err. ctx is the context of
// the attempt. The options are those of [retry.Do] that concern errors, such as
// [retry.WithClassifier]; [retry.ByTable] is set.
//
//   - A nil err is Ack.
//   - A reaction that retries is Retry until its policy is exhausted, then its `then` applies:
//     `continue` is Ack, `block` Park, and `abort` Dead. No strategy and no higher tier runs in a
//     queue, so `recover` and `escalate` are Park.
//   - If the reaction retries but the effect of the error is done, the job is Ack.
//   - The result of a retry.Do with a table has the reaction that applies after its calls.
//   - A breaker's refusal of the first call is Retry after its wait, and a cancellation while ctx is
//     cancelled is Retry without a wait. Such an attempt does not count. If calls failed before the
//     refusal, the attempt counts, and the job waits for the breaker.
//   - If the call was cancelled but ctx was not, the default policy of the language applies, because
//     the cancellation may repeat for ever.
func Decide(ctx context.Context, t taxonomy.Table, err error, h History, opts ...retry.Option) Decision {
	if err == nil {
		return Decision{}
	}
	next, e := retry.Decide(err, h.before, append([]retry.Option{retry.ByTable(t)}, opts...)...)
	d := Decision{Wait: next.Wait, Code: taxonomy.CodeOf(e.Err), Why: e.Why, Reaction: e.Reaction, Err: e.Err}
	inner, _ := errors.AsType[*retry.Error](err)
	refusedFor, _ := retry.RefusedFor(err)
	// The order matters: what ended the attempt comes before the reaction of the error.
	switch {
	case isCancelled(ctx) && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))):
		d.Action, d.Uncounted, d.Wait, d.Why = Retry, true, 0, retry.StoppedCancelled
	case errors.Is(err, retry.ErrRefused) && (inner == nil || inner.Calls == 0):
		d.Action, d.Uncounted, d.Wait, d.Why = Retry, true, max(refusedFor, uncountedWait), retry.StoppedRefused
	case errors.Is(err, context.Canceled):
		d.cancelled(h)
	case inner != nil && inner.Reaction.Name != "" && !inner.Reaction.Retries():
		d.Why, d.Reaction, d.Wait = inner.Why, inner.Reaction, 0
		d.Action = actionOf(inner.Reaction.Action)
	default:
		d.Action = actionOf(e.Reaction.Action)
	}
	if d.Why == retry.StoppedDone {
		d.Action = Ack
	}
	if d.Action == Retry {
		d.Wait = max(d.Wait, refusedFor)
	}
	return d
}

func isCancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// cancelled decides about a call that was cancelled although the worker runs.
func (d *Decision) cancelled(h History) {
	policy := taxonomy.DefaultPolicy("default")
	next := retry.State{Calls: h.attempts() - 1}.Next(&policy, taxonomy.Opt[time.Duration]{}, nil)
	d.Action, d.Why, d.Wait = Retry, next.Stop, next.Wait
	if next.Stop != retry.StoppedNot {
		d.Action = Dead
	}
}

func actionOf(a taxonomy.Action) Action {
	switch a {
	case taxonomy.Retry, taxonomy.RetryOperation:
		return Retry
	case taxonomy.Continue:
		return Ack
	case taxonomy.Block, taxonomy.Escalate, taxonomy.Recover:
		return Park
	}
	return Dead
}

func (h History) attempts() int { return max(1, h.Attempts) }

// withoutCode returns the number of earlier attempts without a code.
func (h History) withoutCode() int { return max(0, h.attempts()-1-len(h.Codes)) }

// before returns the earlier failures that count for a code.
func (h History) before(code string) retry.State {
	s := retry.State{Calls: h.withoutCode()}
	for _, c := range h.Codes {
		if c == code || c == "" && code == retry.Uncategorized {
			s.Calls++
		}
	}
	if !h.First.IsZero() {
		s.Waited = time.Since(h.First)
	}
	return s
}

// maxWithoutCode is the limit of attempts without a code if a policy has no limit of attempts.
const maxWithoutCode = 1000

// MaxAttempts returns the most attempts that the reactions of a table permit to a job that always
// fails in the same way: with one code, with an error that no rule matches, or by a cancelled call.
// The limit of the queue should not be lower.
func MaxAttempts(t taxonomy.Table) int {
	standard := taxonomy.DefaultPolicy("default")
	most := standard.MaxAttempts // of cancelled calls, and of unknown codes that are retryable
	count := func(r *taxonomy.Reaction) {
		calls := 1
		for _, r := range t.Overlay.Chain(r) {
			if !r.Retries() {
				break
			}
			p := cmp.Or(t.Overlay.PolicyOf(r), &standard)
			if p.MaxAttempts <= 0 {
				calls = maxWithoutCode
				break
			}
			calls += p.MaxAttempts - 1
		}
		most = max(most, calls)
	}
	uncategorized := t.Reaction(errors.New(retry.Uncategorized))
	count(&uncategorized)
	for row := range t.Taxonomy.Rows() {
		count(t.Row(row).Reaction)
	}
	return min(most, maxWithoutCode)
}

// Poisoned reports whether the attempts without a code have reached [MaxAttempts], because each
// worker died or the queue stores no codes. Then it returns Dead. Call it before the attempt.
func Poisoned(t taxonomy.Table, h History) (Decision, bool) {
	most := MaxAttempts(t)
	if h.withoutCode() < most {
		return Decision{}, false
	}
	ev := &taxonomy.Evidence{Type: "poison",
		Text: fmt.Sprintf("%d attempts have no stored result (limit %d)", h.withoutCode(), most)}
	err := error(ev)
	if t.Classifier != nil {
		err = t.Classify(ev)
	}
	return Decision{Action: Dead, Code: taxonomy.CodeOf(err), Why: retry.StoppedAttempts, Err: err}, true
}

// Call calls f, and returns a panic as evidence of the type "panic", with its stack.
func Call(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = taxonomy.PanicEvidence(v)
		}
	}()
	return f()
}
