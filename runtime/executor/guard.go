package executor

import (
	"context"
	"errors"
)

// Verdict is what a [Guard] says of one path. A greater one outweighs a lesser one. The zero
// Verdict is none, which is taken as [Forbidden].
type Verdict uint8

// The verdicts.
const (
	Allowed   Verdict = iota + 1
	NeedsAsk          // a person decides
	Outside           // not among what is allowed
	Forbidden         // among what is forbidden
)

// Guard says which paths a task may change. It must be safe for concurrent use.
type Guard interface {
	// Judge returns a verdict for each change, in their order. An error judges none of them.
	Judge(ctx context.Context, changes []Change) ([]Verdict, error)
	// Mode names how strictly it judges; evidence has it as attribute scope_mode.
	Mode() string
}

// Question is what a person is asked.
type Question struct {
	Run  string
	Task string
	// Paths are the files in question. They are untrusted text.
	Paths []string
	Mode  string
}

// Asker asks a person.
type Asker interface {
	// Ask returns whether all the paths may be changed. It returns [ErrUnattended] when there is
	// nobody to ask.
	Ask(ctx context.Context, q Question) (approved bool, err error)
}

// ErrUnattended says that there is nobody to ask. It counts as a denial.
var ErrUnattended = errors.New("nobody is there to be asked")

// Phase is when a [Validator] is asked.
type Phase string

// The phases.
const (
	PreCommit Phase = "pre_commit"
	PrePush   Phase = "pre_push"
	PrePR     Phase = "pre_pr"
)

// phases are the phases in their order.
var phases = []Phase{PreCommit, PrePush, PrePR}

// Validator checks work before it leaves. Its errors are best a *[taxonomy.Evidence] of source
// "validator".
type Validator interface {
	// Validate returns nil when the work passes. What it changes is judged as what a provider
	// changes is; what is allowed of that is committed as if the provider had done it, and not
	// checked again.
	Validate(ctx context.Context, phase Phase) error
}

// Tracked is a [Validator] whose checks are processes. They can outlive this process, and are ended
// by its End then before the run goes on.
type Tracked interface {
	Validator
	Ender
	// ValidateTracked is Validate, which is not called then. It calls started with each process
	// that checks, one at a time, as soon as there is one. When started returns an error the
	// process is ended and the check fails with that error.
	ValidateTracked(ctx context.Context, phase Phase, started func(Process) error) error
}

// Selective is a [Validator] that may have nothing to check in a phase. Then it is not asked, and
// nothing is said of a check.
type Selective interface {
	Validator
	// Checks reports whether there is something to check.
	Checks(phase Phase) bool
}
