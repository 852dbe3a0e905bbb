package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The names of the standard strategies.
const (
	NameWaitForRateLimit  = "wait_for_rate_limit"
	NameRetryWithBackoff  = "retry_with_backoff"
	NameInstallDependency = "install_dependency"
	NameApplyLintFix      = "apply_lint_fix"
	NameApplyTypeFix      = "apply_type_fix"
	NameFixTest           = "fix_test"
	NameFixBuild          = "fix_build"
)

// strategy describes a standard strategy.
type strategy struct {
	Tool   string // key of the tool that it needs; "" if it needs none
	Action string
	Fixes  string // name of its result in messages
	Do     func(*attempt) error
}

// standard are the strategies of [Standard].
var standard = map[string]strategy{
	NameWaitForRateLimit:  {Action: ActionWait, Do: waitForRateLimit},
	NameRetryWithBackoff:  {Action: ActionRetry, Do: retryWithBackoff},
	NameInstallDependency: {Tool: "install", Action: ActionInstall, Do: installThenCheck},
	NameApplyLintFix:      {Tool: "lint", Action: ActionFix, Fixes: "lint fixes", Do: fixThenCheck},
	NameApplyTypeFix:      {Tool: "types", Action: ActionFix, Fixes: "type fixes", Do: fixThenCheck},
	NameFixTest:           {Tool: "tests", Action: ActionFix, Fixes: "test fixes", Do: fixThenCheck},
	NameFixBuild:          {Tool: "build", Action: ActionFix, Fixes: "build fixes", Do: fixThenCheck},
}

// The actions of strategies.
const (
	ActionWait    = "wait"
	ActionRetry   = "retry"
	ActionInstall = "install"
	ActionFix     = "fix"
)

// Options configure the standard strategies. With the zero Options, only the strategies that wait
// work. The others fail because they have no tool.
type Options struct {
	// Tools are the commands of the host by key: install, lint, types, tests and build.
	Tools map[string]Tool
	// Tree has the clones in which fixes run. Without it no fix runs.
	Tree *Tree
	// Guard judges the changes of a command. A fix fails if the guard does not allow a change, if
	// git itself changed, or if a link leads out of the tree. Nil allows other changes.
	Guard executor.Guard
	// Dir is the directory of commands; the default is that of the tree. In a clone, commands run in
	// the same directory of the clone.
	Dir string
	// Env adds to the safe environment of commands: "NAME=value", or "NAME" for the value of this
	// process. Limit is the longest time of a command; 0 is validate.DefaultLimit.
	Env   []string
	Limit time.Duration
	// RateLimitWait is the wait of wait_for_rate_limit if the failure states none; 0 is 1 minute.
	// MaxWait is the longest wait that a failure can ask for; 0 is 15 minutes. For a longer one the
	// strategy fails immediately.
	RateLimitWait, MaxWait time.Duration
	// Backoff is the policy of retry_with_backoff if the reaction's policy has no delay. The
	// default is 1 s, doubled for each attempt, at most 30 s.
	Backoff *taxonomy.Policy
	// Lanes share the wait of a rate limit with other callers of the same source and credential.
	// They may be nil.
	Lanes retry.SharedWait
	// Clock measures waits; nil is [retry.System]. Random is the source of jitter; nil disables
	// jitter.
	Clock  retry.Clock
	Random retry.Random
	// MaxAttempts is only the maximum in records; 0 is 3. The reaction's policy limits the
	// attempts.
	MaxAttempts int
	// Waiting is called before a wait, and Recorded after each attempt. Both can be called from
	// several goroutines simultaneously.
	Waiting  func(strategy string, d time.Duration)
	Recorded func(Record)
}

// Standard has the standard strategies. A host embeds it in the type that implements its generated
// interface Strategies; if the taxonomy names another strategy, the program does not compile until
// the host has a method for it. It is safe for concurrent use. Its errors are *[Error].
type Standard struct {
	opts   Options
	runner *validate.Validator
	busy   chan struct{} // held by the strategy that runs commands
}

// New returns the standard strategies. The error joins evidence of every invalid option; its
// attribute field names the option, such as "Tools.lint.Fix[0]".
func New(o Options) (*Standard, error) {
	if err := errors.Join(problemsOf(o)...); err != nil {
		return nil, err
	}
	o.MaxWait = cmp.Or(o.MaxWait, 15*time.Minute)
	o.RateLimitWait = min(cmp.Or(o.RateLimitWait, time.Minute), o.MaxWait)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 3)
	if o.Clock == nil {
		o.Clock = retry.System
	}
	if o.Backoff == nil {
		policy := taxonomy.DefaultPolicy("default")
		policy.MaxAttempts = 0
		o.Backoff = &policy
	}
	s := &Standard{opts: o, busy: make(chan struct{}, 1)}
	if o.Dir == "" && o.Tree != nil {
		s.opts.Dir = o.Tree.dir
	}
	if len(o.Tools) == 0 {
		return s, nil
	}
	var err error
	s.runner, err = validate.New(validate.Config{Dir: s.opts.Dir, Env: o.Env, Limit: o.Limit})
	return s, err
}

// WaitForRateLimit waits until the failure's reset time, or for the failure's retry-after time. If
// the failure has neither, it waits for Options.RateLimitWait.
func (s *Standard) WaitForRateLimit(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameWaitForRateLimit, f)
}

// RetryWithBackoff waits as long as the reaction's policy specifies for this attempt.
func (s *Standard) RetryWithBackoff(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameRetryWithBackoff, f)
}

// InstallDependency installs the missing package that the failure names, if the tool allows it.
func (s *Standard) InstallDependency(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameInstallDependency, f)
}

// ApplyLintFix runs the tool "lint"; see [Tool].
func (s *Standard) ApplyLintFix(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameApplyLintFix, f)
}

// ApplyTypeFix runs the tool "types"; see [Tool].
func (s *Standard) ApplyTypeFix(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameApplyTypeFix, f)
}

// FixTest runs the tool "tests"; see [Tool].
func (s *Standard) FixTest(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameFixTest, f)
}

// FixBuild runs the tool "build"; see [Tool].
func (s *Standard) FixBuild(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, NameFixBuild, f)
}

// Recover runs the strategy that the failure's reaction names. It implements
// [executor.Recoverer], for programs without a generated interface.
func (s *Standard) Recover(ctx context.Context, f taxonomy.RecoveryRequest) error {
	return s.Run(ctx, f.Reaction.Strategy, f)
}

// End ends the process group of a command that an earlier process of the run started.
func (s *Standard) End(ctx context.Context, p executor.Process) error { return s.runner.End(ctx, p) }

// Run runs a strategy by its name. Nil means that the failed work can be repeated. Programs can
// call it directly, because only f.Err is required.
func (s *Standard) Run(ctx context.Context, name string, f taxonomy.RecoveryRequest) error {
	st, known := standard[name]
	a := &attempt{Standard: s, strategy: st, ctx: ctx, failed: f, Record: Record{
		Strategy: name, Action: st.Action, Code: text.Beginning(taxonomy.CodeOf(f.Err), maxShown),
		Attempts: max(1, f.Attempt), MaxAttempts: s.opts.MaxAttempts, At: s.opts.Clock.Now(), Data: map[string]string{},
	}}
	var err error
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case !known:
		err = unknownStrategy(f, name)
	default:
		err = safely(func() error { return st.Do(a) })
	}
	if err != nil {
		err = errorOf(name, err)
		a.Message = err.Error()
	}
	a.Successful, a.Took = err == nil, s.opts.Clock.Now().Sub(a.At)
	if s.opts.Recorded != nil {
		s.opts.Recorded(a.Record)
	}
	return err
}

func unknownStrategy(f taxonomy.RecoveryRequest, name string) error {
	return &Error{Strategy: name, Message: "No recovery strategy found for error: " +
		cmp.Or(taxonomy.CategoryOf(f.Err), "strategy "+text.Quote(name, maxShown))}
}

// Strategy is a strategy of a host. Nil means that the failed work can be repeated.
type Strategy func(ctx context.Context, failed taxonomy.RecoveryRequest) error

// ByName returns a recoverer with strategies by name. A strategy that is missing or panics fails
// with an [Error].
func ByName(strategies map[string]Strategy) executor.Recoverer { return byName(maps.Clone(strategies)) }

type byName map[string]Strategy

func (b byName) Recover(ctx context.Context, f taxonomy.RecoveryRequest) error {
	name := f.Reaction.Strategy
	if b[name] == nil {
		return unknownStrategy(f, name)
	}
	return errorOf(name, safely(func() error { return b[name](ctx, f) }))
}

// attempt is one run of a strategy.
type attempt struct {
	*Standard
	strategy
	Record
	ctx    context.Context
	failed taxonomy.RecoveryRequest
	dir    string // of the commands
}

// note adds a value to the record's data, unless it is empty.
func (a *attempt) note(key, value string) {
	if value != "" {
		a.Data[key] = text.Ending(value, maxOutput)
	}
}

const (
	maxShown   = 200
	maxMessage = 2 << 10
	maxOutput  = 4 << 10
)

// Record is the result of one run of a strategy.
type Record struct {
	Strategy, Action string
	// Code is the failure's code, or empty.
	Code string
	// Message describes the result or the failure in a line. Secrets are masked.
	Message string
	// Successful reports that the failed work can be repeated.
	Successful bool
	// Attempts counts the runs for this failure, this one included.
	Attempts, MaxAttempts int
	At                    time.Time
	Took                  time.Duration
	// Data has details by their keys, the Data constants. Its values are masked, bounded and
	// untrusted.
	Data map[string]string
}

// The keys of [Record.Data].
const (
	DataWait    = "wait_ms" // the wait in milliseconds
	DataHint    = "hint"    // the origin of the wait: reset_at, retry_after, default or policy
	DataLane    = "lane"    // the lane that was paused
	DataPackage = "package" // the package that was named
	DataCommand = "command" // the last command
	DataOutput  = "output"  // the end of its output
	DataFile    = "file"    // the files that commands got
	DataChanged = "changed" // the first of the changed paths
	DataSaved   = "saved"   // the reference of changes that were reverted
	DataBranch  = "branch"  // the branch of a fix that could not be forwarded, and why
	DataCheck   = "check"   // passed or failed
)

// Log returns a function for [Options.Recorded] that logs records.
func Log(l *slog.Logger) func(Record) {
	return func(r Record) {
		level := slog.LevelInfo
		if !r.Successful {
			level = slog.LevelWarn
		}
		l.LogAttrs(context.Background(), level, r.Message, slog.String("strategy", r.Strategy),
			slog.String("action", r.Action), slog.String("code", r.Code), slog.Bool("successful", r.Successful),
			slog.Int("attempts", r.Attempts), slog.Int("max_attempts", r.MaxAttempts), slog.Duration("took", r.Took))
	}
}

// Error is the failure of a strategy.
type Error struct {
	Strategy string
	// Message is that of the [Record].
	Message string
	// Err is the cause, or nil.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reasons for which a strategy does not run, for errors.Is.
var (
	ErrNoTool     = errors.New("the tool is not configured")
	ErrNoTree     = errors.New("a fix needs a working tree of git, to revert its changes")
	ErrNoPackage  = errors.New("the error names no package")
	ErrNotAllowed = errors.New("it is not among the packages that may be installed")
	ErrNoFile     = errors.New("the error names no file")
)

// errorOf returns an error as the [Error] of a strategy.
func errorOf(name string, err error) error {
	if err == nil {
		return nil
	}
	known := &Error{}
	if e, ok := err.(*Error); ok {
		*known = *e
	} else {
		known.Message, known.Err = text.Error(err, maxMessage), err
	}
	known.Strategy, known.Message = name, text.Beginning(known.Message, maxMessage)
	return known
}

// safely calls f and returns a panic as an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			message := "Recovery strategy failed: " + text.Beginning(fmt.Sprint("panic: ", p), maxMessage)
			err = &Error{Message: message,
				Err: &taxonomy.Evidence{Source: "recovery", Op: "recover", Type: "panic", Text: message}}
		}
	}()
	return f()
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
