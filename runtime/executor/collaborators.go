package executor

import (
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Classifier returns err as an error of the taxonomy, and one line with the reason. The arguments
// source and op apply if err does not name its own. An error of the taxonomy is returned unchanged.
// The function detect.Classifier makes one from a generated package's Explain.
type Classifier func(err error, source, op string) (classified error, why string)

// Guard judges which paths a task may change. It must be safe for concurrent use.
type Guard interface {
	// Judge returns a verdict for each change, in their order. If it returns an error, no change is
	// judged.
	//
	//errgen:errors foreign
	Judge(ctx context.Context, changes []Change) ([]Verdict, error)
	// Mode returns the name of the guard's strictness, which evidence has as attribute scope_mode.
	Mode() string
}

// Question is a question for a person.
type Question struct {
	Run  string
	Task string
	// Paths are the files in question. They are untrusted text.
	Paths []string
	Mode  string
}

// Asker asks a person.
type Asker interface {
	// Ask reports whether all the paths may be changed. If no person can answer, it returns
	// [ErrUnattended].
	//
	//errgen:errors foreign
	Ask(ctx context.Context, q Question) (approved bool, err error)
}

// ErrUnattended reports that no person can answer. It counts as a denial, unless
// Config.ApproveUnattended is set.
var ErrUnattended = errors.New("no person can be asked")

// Validator checks work before it is delivered. Its errors should be a *[taxonomy.Evidence] of
// source "validator". A Validator whose checks are processes should also be an [Ender].
type Validator interface {
	// Validate returns nil if the work passes. If it changes files, the changes are judged like
	// those of a provider. The allowed ones are committed with the work, and not checked again.
	Validate(ctx context.Context, c Check) error
}

// Check describes a check to a [Validator].
type Check struct {
	Phase     Phase
	Run       string
	Iteration int
	Tier      int
	// Base is the tree at the last delivery, Tree the tree to check. Both are empty without a
	// workspace.
	Base, Tree Tree
	// Text is the provider's last answer.
	Text string
	// Started, unless nil, is called with each process that checks, immediately after it started.
	// If it returns an error, the process is ended and the check fails with that error.
	Started func(Process) error
}

// Selective is a [Validator] that may have nothing to check in a phase. Then it is not called in
// that phase.
type Selective interface {
	Validator
	// Checks reports whether there is something to check.
	Checks(phase Phase) bool
}

// Recoverer runs the strategies of reactions. The generated function Recover is one way to
// implement it.
type Recoverer interface {
	// Recover runs failed.Reaction.Strategy. Nil means that the failed work may be repeated.
	Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error
}

// Filer files a finished task according to its result. It cannot change the outcome.
type Filer interface {
	// File files the task. Its context ends after Limits.Grace. A cancellation of the run does not
	// end it.
	//
	//errgen:errors foreign
	File(ctx context.Context, r *Result) error
}

// Notifier notifies people about a finished run. It cannot change the outcome.
type Notifier interface {
	// Notify sends the notification. Its context ends like that of [Filer].
	//
	//errgen:errors foreign
	Notify(ctx context.Context, r *Result) error
}

// Store stores the states of runs. One Store value serves one run at a time.
type Store interface {
	// Open locks the run and returns its last saved state. The state of a new run is nil. If
	// another living process has the lock, the error is evidence of source "executor" and op
	// "lock".
	//
	//errgen:errors foreign
	Open(ctx context.Context, run string) (*RunState, error)
	// Save replaces the state. When it returns nil, the state is durable. It refuses a state with
	// fewer Saves than the stored one.
	//
	//errgen:errors foreign
	Save(ctx context.Context, s *RunState) error
	// Close unlocks the run. It does not remove the state.
	//
	//errgen:errors foreign
	Close() error
	// Peek returns the state of any run without locking it. If the run does not exist, it is nil.
	//
	//errgen:errors foreign
	Peek(ctx context.Context, run string) (*RunState, error)
	// Runs describes all runs, the latest first.
	Runs(ctx context.Context) ([]RunInfo, error)
}
