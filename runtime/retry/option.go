package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option configures [Do] and [Value].
type Option struct {
	// set takes and returns a value, so that the options of a successful call stay off the heap.
	set func(settings) settings
	// policy is the policy of ByPolicy, which has no set.
	policy *taxonomy.Policy
	// early reports that the option has an effect before the first failure.
	early bool
}

type settings struct {
	policy     taxonomy.Policy
	table      taxonomy.Table // if its Taxonomy is nil, policy is used
	classify   func(error) error
	clock      Clock
	random     Random
	retryable  func(error) bool
	notify     []func(Attempt)
	shared     SharedWait
	sharedLane string
	breaker    Breaker
	lane       string // at the breaker
	failFast   bool
	adaptive   *Adaptive
	idempotent taxonomy.Tristate
}

func settingsOf(opts []Option) settings {
	s := settings{clock: System, random: rand.Float64, retryable: Retryable}
	for i := range opts {
		if p := opts[i].policy; p != nil {
			s.policy, s.table = *p, taxonomy.Table{}
		} else {
			s = opts[i].set(s)
		}
	}
	if s.classify == nil && s.table.Classifier != nil {
		s.classify = s.table.Classify
	}
	return s
}

// Attempt is a call, and the decision about the next one.
type Attempt struct {
	// Number counts the calls from 1.
	Number int
	// Began is when the call began, Delay the wait before it by the policy or a hint.
	Began time.Time
	Delay time.Duration
	// Err is the error of the call, classified if a classifier is set; nil after success. It may
	// contain secrets; see [taxonomy.Redact].
	Err error
	// Wait is the wait before the next call, without that of a shared wait or a breaker.
	Wait time.Duration
	// Hinted reports that Wait comes from a hint of the error.
	Hinted bool
	// Last reports that there is no next call.
	Last bool
}

// ByPolicy retries under the policy if [WithRetryable] permits the error. The error's hints replace
// the policy's delay.
func ByPolicy(p taxonomy.Policy) Option {
	return Option{policy: &p}
}

// ByTable follows the reaction that the table specifies for each error, with its profile and
// overrides: the policy of the reaction, the hint if the reaction honors it, and `then` when the
// policy is exhausted. A reaction without a policy uses the profile's policy, or the defaults of
// the language. Each code has a separate count. A reaction that does not retry ends Do immediately;
// [Error].Reaction is that reaction.
//
// The table's classifier classifies errors of other types. An error that stays unclassified has the
// table's reaction to uncategorized errors. The table's classifier has no source, so a rule with a
// source or an op matches only evidence that has them. Name the source with [WithClassifier]:
//
//	retry.Do(ctx, call, retry.ByTable(errs.Table),
//		retry.WithClassifier(errs.Classify, detect.WithSource(errs.SourceGit)))
func ByTable(t taxonomy.Table) Option {
	return Option{set: func(s settings) settings { s.table = t; return s }}
}

// WithClassifier classifies each error before Do decides. It replaces the table's classifier, and
// takes the function Classify of a generated package with options for it:
//
//	retry.Do(ctx, call, retry.ByTable(table),
//		retry.WithClassifier(errs.Classify, detect.WithTable(table)))
func WithClassifier[O any](classify func(raw any, opts ...O) error, opts ...O) Option {
	of := func(err error) error { return classify(err, opts...) }
	return Option{set: func(s settings) settings { s.classify = of; return s }}
}

// WithClock sets the clock. The default is [System].
func WithClock(c Clock) Option {
	return Option{early: true, set: func(s settings) settings { s.clock = c; return s }}
}

// WithRandom sets the source of jitter; nil disables jitter. The default is math/rand/v2.
func WithRandom(r Random) Option {
	return Option{set: func(s settings) settings { s.random = r; return s }}
}

// WithRetryable sets which errors [ByPolicy] retries. The default is [Retryable]. An error marked
// [Permanent] is never retried.
func WithRetryable(is func(error) bool) Option {
	return Option{set: func(s settings) settings { s.retryable = is; return s }}
}

// WithNotify calls f after each call, before the wait. It is the place to log and count calls. If it
// is given several times, all functions are called, in the order of the options. If f is nil, the
// option is ignored.
func WithNotify(f func(Attempt)) Option {
	return Option{early: true, set: func(s settings) settings {
		if f != nil {
			s.notify = append(s.notify, f)
		}
		return s
	}}
}

// WithSharedWait makes Do wait while the lane is closed. If a failure's reaction has `shared:
// credential`, Do closes the lane for the wait before the next call. With [ByPolicy], it does so
// only for the wait of a hint. Waiting for the lane is limited by the context only.
func WithSharedWait(w SharedWait, lane string) Option {
	return Option{early: true, set: func(s settings) settings { s.shared, s.sharedLane = w, lane; return s }}
}

// WithBreaker makes only the calls and retries that the breaker permits. Waiting for the breaker is
// limited by the context only.
func WithBreaker(b Breaker, lane string) Option {
	return Option{early: true, set: func(s settings) settings { s.breaker, s.lane = b, lane; return s }}
}

// FailFast makes Do return the breaker's refusal immediately, in place of waiting.
func FailFast() Option {
	return Option{set: func(s settings) settings { s.failFast = true; return s }}
}

// WithAdaptive adapts each policy with `adapt` for the code of the last failure, and learns from
// the calls.
func WithAdaptive(a *Adaptive) Option {
	return Option{early: true, set: func(s settings) settings { s.adaptive = a; return s }}
}

// Retryable reports whether the call may succeed when it is repeated unchanged: for an error of a
// taxonomy as its row specifies, for any other unless it is [context.Canceled].
func Retryable(err error) bool {
	if _, ok := taxonomy.First(err, nil); ok {
		return taxonomy.IsRetryable(err)
	}
	return !errtree.Is(err, context.Canceled)
}

// Permanent marks err as not to be retried. If err is nil, it returns nil. [Do] keeps the mark, so
// an enclosing Do stops as well.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }

func (p *permanent) Unwrap() error { return p.err }
