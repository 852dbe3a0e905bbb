package toolbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Options are what a [Toolbox] is made of.
type Options struct {
	// Dir is the directory that the tools work in. Providers set it for each call. Without one
	// there are no tools but those with which the model says how its task stands.
	Dir string
	// Source is what evidence names as its source: the provider's name. Providers set it.
	Source string
	// Write, unless nil, is asked before the file of that path is written or deleted: an error
	// refuses it, and ends the call with that error. The path is relative to Dir, slash-separated,
	// clean, and without symbolic links. [WithinScope] makes one of a guard.
	Write func(ctx context.Context, path string) error
	// Read, unless nil, is asked in the same way before the content of a file is read, searched or
	// edited: an error refuses it, and does not end the call. The model is told of it, and a search
	// passes the file over. Lists have the names of all files. [ReadWithinScope] makes one of a
	// guard.
	Read func(ctx context.Context, path string) error
	// Commands says which commands may be run; the zero Policy allows none, and then there is no
	// tool for it.
	Commands Policy
	// ReadOnly leaves out the tools that change files.
	ReadOnly bool
	// Env is what commands find in their environment beside the safe part of this process's own:
	// "NAME=value".
	Env []string
	// Limits bound what the tools do.
	Limits Limits
}

// Check returns what is wrong with the options apart from the directory.
func (o Options) Check() error {
	if _, err := o.Commands.compile(); err != nil {
		return fmt.Errorf("command policy: %w", err)
	}
	return nil
}

// Limits bound the tools. A zero limit has the default that is named.
type Limits struct {
	// Read is how many bytes of files one call returns; 128 KiB.
	Read int
	// Write is how many bytes a file may have that is written or edited; 4 MiB.
	Write int
	// Output is how many bytes of a command's output are returned, its beginning and its end; 32
	// KiB.
	Output int
	// Entries is how many files one call lists, and how many lines it finds; 500.
	Entries int
	// Visit is how many files one call looks at; 50 000.
	Visit int
	// Search is how many bytes of files one call searches; 256 MiB.
	Search int64
	// Command is how long a command may take; 5 minutes.
	Command time.Duration
	// Grace is how long a command that must end has before it is killed; 5 seconds.
	Grace time.Duration
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Read: or(l.Read, 128<<10), Write: or(l.Write, 4<<20), Output: or(l.Output, 32<<10),
		Entries: or(l.Entries, 500), Visit: or(l.Visit, 50_000), Search: or(l.Search, 256<<20),
		Command: or(l.Command, 5*time.Minute), Grace: or(l.Grace, 5*time.Second),
	}
}

func or[T int | int64 | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// Tool is a tool as a model is told of it.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of its arguments: an object.
	Schema json.RawMessage
}

// Result is what a tool returns to the model.
type Result struct {
	// Text is what the model is told.
	Text string
	// IsError reports that the tool did not do what was asked.
	IsError bool
	// Signal is what the model said about its task by calling the tool; the call of the provider
	// ends with it.
	Signal executor.Signal
	// Question is what a person is asked with [executor.SignalBlocked].
	Question string
}

// Toolbox carries out tools in one directory. It must not be used by several goroutines at a time,
// and must be closed.
type Toolbox struct {
	options  Options
	limits   Limits
	dir      string   // absolute
	root     *os.Root // nil without a directory
	commands []pattern
	tools    []tool
}

// New returns the tools for a directory. Its error says that the directory cannot be opened, or
// that the command policy has a pattern that cannot be read.
func New(o Options) (*Toolbox, error) {
	commands, err := o.Commands.compile()
	if err != nil {
		return nil, fmt.Errorf("command policy: %w", err)
	}
	if o.Dir == "" {
		t := &Toolbox{options: o, limits: o.Limits.withDefaults()}
		t.tools = t.ending()
		return t, nil
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the directory of the tools: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of the tools: %w", err)
	}
	t := &Toolbox{options: o, limits: o.Limits.withDefaults(), dir: dir, root: root, commands: commands}
	t.tools = t.offered()
	return t, nil
}

// Close lets go of the directory.
func (t *Toolbox) Close() error {
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// Tools returns the tools that the model is offered, always in the same order.
func (t *Toolbox) Tools() []Tool {
	all := make([]Tool, len(t.tools))
	for i, x := range t.tools {
		all[i] = x.Tool
	}
	return all
}

// Call carries out a tool with the arguments that the model gave. An error ends the call of the
// provider. It is
//
//   - a [*taxonomy.Evidence] of type "tool_arguments" for arguments that are no JSON object or of
//     another type than the tool's schema has;
//   - one of type "command_blocked", with the attributes command and policy, for a command that is
//     not allowed;
//   - one of errno "EACCES", with the attribute path, for writing outside of the directory or to
//     what git keeps;
//   - one with the errno of a disk that is full, read-only or broken;
//   - what [Options.Write] returned;
//   - the cause of ctx's end.
func (t *Toolbox) Call(ctx context.Context, name string, args json.RawMessage) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	for _, x := range t.tools {
		if x.Name == name {
			return x.call(ctx, args)
		}
	}
	return failed("there is no tool %s", text.Quote(name, maxQuoted)), nil
}

// evidence returns the beginning of evidence about a tool.
func (t *Toolbox) evidence() *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: t.options.Source, Op: opCall}
}

// opCall is the operation in which tools are used.
const opCall = "call"

// failed is a result that tells the model why a tool did not do what was asked.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), IsError: true}
}
