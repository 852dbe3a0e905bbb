package recovery

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The defaults of [Options].
const (
	// DefaultRateLimitWait is how long to wait where nobody says how long.
	DefaultRateLimitWait = time.Minute
	// DefaultMaxWait is the longest wait that a failure may ask for.
	DefaultMaxWait = 15 * time.Minute
	// DefaultValidateLimit is how long Options.Validate may take.
	DefaultValidateLimit = 10 * time.Minute
	// DefaultLockWait is how long a working tree that somebody else has is waited for.
	DefaultLockWait = 10 * time.Minute
	// DefaultMaxAttempts is what records say of how many tries there may be, where the host does
	// not.
	DefaultMaxAttempts = 3
)

// Options say how the strategies of a [Standard] work. The zero Options are complete: waits work,
// and everything that would run a command fails and says what is missing.
type Options struct {
	// Tools run commands and put files back; see [NewTools]. Without them no command is run.
	Tools Tools
	// LintFix, TypeFix, TestFix and BuildFix are what apply_lint_fix, apply_type_fix, fix_test and
	// fix_build run.
	LintFix, TypeFix, TestFix, BuildFix Fix
	// Installer is what install_dependency runs; nil never installs anything.
	Installer *Installer
	// Validate runs the validation that has failed, and returns nil when it passes now. A Fix with
	// a Check has no use for it. One that does not return in time is left behind.
	Validate func(ctx context.Context, failure taxonomy.RecoveryRequest) error
	// ValidateLimit is how long Validate may take; DefaultValidateLimit.
	ValidateLimit time.Duration
	// Guard judges what commands have changed: all of it is put back unless all of it is allowed.
	// Nil allows everything but changes of git itself and links that lead out of the working tree.
	Guard executor.Guard

	// RateLimitWait is how long wait_for_rate_limit waits when the failure does not say: at most
	// MaxWait. 0 is DefaultRateLimitWait, or MaxWait where that is less.
	RateLimitWait time.Duration
	// MaxWait is the longest wait that a failure may ask for; a longer one fails at once.
	// DefaultMaxWait. A reaction's policy with a max_retry_after can only lower it.
	MaxWait time.Duration
	// Backoff spaces retry_with_backoff where the reaction's policy has no delay; nil is 1 s,
	// doubled with each try, at most 30 s, without jitter.
	Backoff *taxonomy.Policy
	// Lanes have everybody else in the lane wait along with wait_for_rate_limit; nil tells nobody.
	Lanes retry.SharedWait
	// Lane names the lane of a failure; nil is the failure's source and credential with a slash
	// between them, which is what the executor uses if its provider has the source's name. Without
	// a lane nobody is told.
	Lane func(failure taxonomy.RecoveryRequest) string
	// Clock is what waits are measured with; nil is [retry.System].
	Clock retry.Clock
	// Random is where jitter comes from; nil is no jitter. It need not be safe for concurrent use.
	Random retry.Random

	// LockWait is how long commands wait for a working tree that another mend or run has, in this
	// process or another one; DefaultLockWait. Less than 0 does not wait.
	LockWait time.Duration
	// Waiting is told that a strategy begins to wait, and for how long: exactly, or at most where
	// it waits for the working tree. It may be called by several goroutines at once; what it throws
	// is dropped.
	Waiting func(strategy string, d time.Duration)

	// MaxAttempts is how many tries a failure has: one with a greater number fails at once. 0
	// leaves that to whoever runs the strategies, and records say DefaultMaxAttempts.
	MaxAttempts int
	// Recorded is told what came of each try, before the strategy returns. It may be called by
	// several goroutines at once; what it throws is dropped.
	Recorded func(Record)
}

// Standard has seven strategies as methods, to be embedded in a type that implements a generated
// interface Strategies. It is safe for concurrent use; strategies that run commands wait for each
// other. Their errors are *[Error]. Make it with [New].
type Standard struct {
	opts     Options
	validate *keeper
	busy     chan struct{} // has one who runs commands
	random   chan struct{} // has one who draws a number
	name     string        // begins the names of its runs
}

// New returns the strategies that the options describe. Its error joins evidence of everything that
// cannot work, as numbers below 0 that have no meaning; the attributes field, value and expected of
// each say what it is in terms of [Options]. What is not configured at all is no error here; see
// [Standard.Lacking].
func New(o Options) (*Standard, error) {
	if err := errors.Join(o.wrong()...); err != nil {
		return nil, err
	}
	o.ValidateLimit = cmp.Or(o.ValidateLimit, DefaultValidateLimit)
	o.MaxWait = cmp.Or(o.MaxWait, DefaultMaxWait)
	o.RateLimitWait = cmp.Or(o.RateLimitWait, min(DefaultRateLimitWait, o.MaxWait))
	o.LockWait = cmp.Or(o.LockWait, DefaultLockWait)
	if o.Clock == nil {
		o.Clock = retry.System
	}
	if o.Lane == nil {
		o.Lane = laneOf
	}
	if o.Backoff == nil {
		o.Backoff = &taxonomy.Policy{Name: "default", InitialDelay: time.Second, Multiplier: 2,
			MaxDelay: 30 * time.Second}
	}
	return &Standard{
		opts: o, validate: &keeper{limit: o.ValidateLimit, grace: DefaultContainGrace},
		busy: make(chan struct{}, 1), random: make(chan struct{}, 1), name: runName(),
	}, nil
}

// try is one try of a strategy.
type try struct {
	*Standard
	ctx    context.Context
	failed taxonomy.RecoveryRequest
	record Record
}

// carryOut runs a strategy, whatever becomes of it, and records that.
func (s *Standard) carryOut(ctx context.Context, failed taxonomy.RecoveryRequest, name string, action Action,
	f func(*try) error) error {
	t := &try{Standard: s, ctx: ctx, failed: failed, record: Record{
		Strategy: name, Action: action, Attempts: max(1, failed.Attempt), MaxAttempts: s.opts.MaxAttempts,
		Data: map[string]string{},
	}}
	if t.record.MaxAttempts <= 0 {
		t.record.MaxAttempts = DefaultMaxAttempts
	}
	err := broken(name, safely(func() error {
		t.record.At, t.record.Code = s.opts.Clock.Now(), text.Beginning(taxonomy.CodeOf(failed.Err), maxShown)
		return t.run(f)
	}))
	err = t.concluded(err)
	_ = safely(func() error {
		t.record.Took = s.opts.Clock.Now().Sub(t.record.At)
		if s.opts.Recorded != nil {
			s.opts.Recorded(t.record)
		}
		return nil
	})
	return err
}

func (t *try) run(f func(*try) error) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	if most := t.opts.MaxAttempts; most > 0 && t.record.Attempts > most {
		return failf("Gave up: the maximum of %d recovery attempts is exceeded", most)
	}
	return f(t)
}

// concluded completes the record, and returns the error of the strategy.
func (t *try) concluded(err error) error {
	t.record.Successful = err == nil
	if err == nil {
		return nil
	}
	known, ok := err.(*Error)
	if !ok {
		known = &Error{Message: text.Error(err, maxMessage), Err: err}
	}
	known.Strategy = t.record.Strategy
	known.Message = text.Beginning(known.Message, maxMessage)
	t.record.Message = known.Message
	return known
}

// sleep waits, and tells the host so.
func (t *try) sleep(d time.Duration) error {
	t.waits(d)
	return t.opts.Clock.Sleep(t.ctx, d)
}

// waits tells the host that the strategy is about to wait.
func (t *try) waits(d time.Duration) {
	if d > 0 && t.opts.Waiting != nil && t.ctx.Err() == nil {
		_ = safely(func() error { t.opts.Waiting(t.record.Strategy, d); return nil })
	}
}

// warn notes what went wrong besides.
func (t *try) warn(text string) {
	if known := t.record.Data[DataWarning]; known != "" && text != "" {
		text = known + "; " + text
	}
	t.note(DataWarning, text)
}

// note keeps a particular.
func (t *try) note(key, value string) {
	if value != "" {
		t.record.Data[key] = text.Ending(value, maxOutput)
	}
}
