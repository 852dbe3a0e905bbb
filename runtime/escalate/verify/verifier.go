package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/validate"
)

// The defaults of [Options].
const (
	DefaultLimit     = 10 * time.Minute
	DefaultDialLimit = 5 * time.Second
	DefaultMaxRead   = 16 << 20
	DefaultOutput    = 16 << 10
)

// Options are what a [Verifier] works with. Dir is required.
type Options struct {
	// Dir is the root of the tree. Commands run in it.
	Dir string
	// Limit is how long a command may take that has no limit of its own, and how long a criterion
	// may be looked into; 0 is DefaultLimit.
	Limit time.Duration
	// DialLimit is how long connecting to an address may take; 0 is DefaultDialLimit.
	DialLimit time.Duration
	// MaxRead is how many bytes a file may have that is read as a whole; 0 is DefaultMaxRead. A
	// larger one does not meet its criterion, which the evidence says.
	MaxRead int64
	// Output is how many bytes of the end of what a command prints are kept; 0 is DefaultOutput.
	Output int
	// Env adds to the commands' environment: "NAME=value", or "NAME" for this process's value.
	Env []string
	// Grace is how long a command that is stopped has to end by itself; 0 is proc.DefaultGrace.
	Grace time.Duration
}

// Verifier is an [escalate.Tracked] verifier. It is safe for concurrent use; commands that are
// asked for at once run at once.
type Verifier struct {
	o        Options
	commands *validate.Validator
	started  func(executor.Process) error // nil tells nobody
}

var _ escalate.Tracked = (*Verifier)(nil)

// New returns a verifier. Its error says that Dir is no directory.
func New(o Options) (*Verifier, error) {
	if o.Dir == "" {
		return nil, errors.New("verifier: no directory is given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("verifier: find the tree: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("verifier: open the tree: %w", err)
	}
	_ = root.Close()
	o.Dir = dir
	o.Limit, o.DialLimit = orDefault(o.Limit, DefaultLimit), orDefault(o.DialLimit, DefaultDialLimit)
	o.MaxRead, o.Output = orDefault(o.MaxRead, DefaultMaxRead), orDefault(o.Output, DefaultOutput)
	commands, err := validate.New(validate.Config{
		Dir: dir, Limit: o.Limit, Output: o.Output, Env: o.Env, Grace: o.Grace,
	})
	if err != nil {
		return nil, fmt.Errorf("verifier: %w", err)
	}
	return &Verifier{o: o, commands: commands}, nil
}

// Tracking returns a verifier that does the same, and tells started which process each command is,
// as soon as there is one. An error of started ends the process, and is in the evidence of its
// command.
func (v *Verifier) Tracking(started func(executor.Process) error) escalate.Verifier {
	tracking := *v
	tracking.started = started
	return &tracking
}

// End ends the group of a command that an earlier process has left behind, and waits until it is
// gone.
func (v *Verifier) End(ctx context.Context, p executor.Process) error { return v.commands.End(ctx, p) }

func orDefault[T int | int64 | time.Duration](n, def T) T {
	if n <= 0 {
		return def
	}
	return n
}
