// Package toolbox contains the tools of a model over an API. The tools read, write, edit, list,
// search and delete files of one directory, run the commands that a policy allows, and report that
// the task is done or blocked. The tools of MCP servers can be added.
//
//	tools, err := toolbox.New(ctx, toolbox.Options{
//		Dir:      dir,
//		Guard:    scope,
//		Commands: toolbox.Policy{Allow: []string{"go test ..."}},
//	})
//
// [Toolbox.Tools] describes the tools to the model, and [Toolbox.Call] runs one. Ordinary failures,
// such as a missing file or a command that exits with 1, are a [Result] for the model. If a
// safeguard refuses a tool, Call returns an error, which ends the call of the provider.
//
// Files are accessed through an [os.Root]: neither ".." nor a symbolic link leads out of the
// directory, and git's own files can neither be read nor changed. A command policy decides which
// commands start, not what they do. It is no sandbox: a test runner runs code that the model wrote.
// The same applies to MCP servers.
package toolbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// opCall is the operation of the evidence of tools.
const opCall = "call"

// maxQuoted bounds the bytes of an argument in an error.
const maxQuoted = 200

// Options configure a [Toolbox].
type Options struct {
	// Dir is the directory of the tools. Without it, the only tools are task_done and task_blocked.
	// Providers set it for each call.
	Dir string
	// Source is the source of evidence: the provider's name. Providers set it.
	Source string
	// Started, unless nil, is called with each process that a tool starts. If it returns an error,
	// the process is ended. Providers set it.
	Started func(executor.Process) error
	// Guard, unless nil, judges a file before it is accessed. The path has no symbolic links. A
	// change of a file that it does not allow ends the call of the provider. A file that needs a
	// person's approval can be changed, because the executor asks about all files of a call
	// together. Reading a forbidden file fails. Lists contain the names of all files.
	Guard executor.Guard
	// Commands are the commands that may run. The zero Policy allows none. Then there is no tool
	// for commands.
	Commands Policy
	// Servers are MCP servers, whose tools are added.
	Servers []Server
	// ReadOnly omits the tools that change files.
	ReadOnly bool
	// Env is added to the environment of commands and MCP servers, which is [proc.SafeEnv]:
	// "NAME=value".
	Env []string
	// Timeout limits the time of a command, or of a tool of an MCP server; 5 minutes by default.
	Timeout time.Duration
	// Grace is the time in which a command can end by itself before it is killed;
	// [proc.DefaultGrace] by default.
	Grace time.Duration
}

// Check validates the options, apart from the directory.
func (o Options) Check() error {
	if _, err := o.Commands.compile(); err != nil {
		return fmt.Errorf("command policy: %w", err)
	}
	for _, s := range o.Servers {
		if err := s.check(); err != nil {
			return fmt.Errorf("MCP server %s: %w", text.Quote(s.Name, maxQuoted), err)
		}
	}
	return nil
}

// limits bound a call of a tool.
type limits struct {
	read    int // bytes of files in the result
	file    int // bytes of a file that is read or written
	output  int // bytes of the output of a command, or of an MCP server, in the result
	entries int // listed files, or found lines
	visit   int // visited files and directories
	search  int // searched bytes
}

var defaultLimits = limits{
	read: 128 << 10, file: 4 << 20, output: 32 << 10, entries: 500, visit: 50_000, search: 256 << 20,
}

// Tool describes a tool to a model.
type Tool struct {
	Name        string
	Description string
	// Schema is the JSON Schema of its arguments: an object.
	Schema json.RawMessage
}

// Result is the result of a tool.
type Result struct {
	// Text is for the model.
	Text string
	// IsError reports that the tool failed.
	IsError bool
	// Signal is the state of the task that the model reports by the tool. It ends the call of the
	// provider.
	Signal executor.Signal
	// Question is the question to a person of [executor.SignalBlocked].
	Question string
}

// failed returns a result that reports to the model why a tool failed.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), IsError: true}
}

// Toolbox runs tools in one directory. It must not be used concurrently, and must be closed.
type Toolbox struct {
	options  Options
	limits   limits
	dir      string   // absolute, without symbolic links
	root     *os.Root // nil without a directory
	commands []pattern
	servers  []*server
	tools    []tool
}

// tool is a tool with its implementation.
type tool struct {
	Tool
	call func(ctx context.Context, args json.RawMessage) (Result, error)
}

// New returns the tools for a directory, and starts the MCP servers. Its error is evidence if an
// MCP server fails.
func New(ctx context.Context, o Options) (*Toolbox, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	t := &Toolbox{options: o, limits: defaultLimits}
	t.options.Timeout = cmp.Or(max(o.Timeout, 0), 5*time.Minute)
	t.options.Grace = cmp.Or(max(o.Grace, 0), proc.DefaultGrace)
	t.commands, _ = o.Commands.compile() // Check has compiled them
	ending := []tool{
		define(t, "task_done", "Reports that the task is done, completely. Call it last, and only then.", t.done),
		define(t, "task_blocked", "Reports that the task cannot continue without a person. Call it only if nothing "+
			"else is left to do.", t.blocked),
	}
	if o.Dir == "" {
		t.tools = ending
		return t, nil
	}
	var err error
	if t.dir, err = filepath.Abs(o.Dir); err == nil {
		t.dir, err = filepath.EvalSymlinks(t.dir)
	}
	if err == nil {
		t.root, err = os.OpenRoot(t.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the directory of the tools: %w", err)
	}
	t.tools = []tool{
		define(t, "read_file", "Reads a text file, or some of its lines.", t.read),
		define(t, "list_files", "Lists the files under a directory, at any depth.", t.list),
		define(t, "search_files", "Finds lines in text files by a regular expression (RE2 syntax).", t.search),
	}
	if !o.ReadOnly {
		t.tools = append(t.tools,
			define(t, "write_file", "Writes a whole file. It creates the file and its directories, or replaces it.",
				t.write),
			define(t, "edit_file", "Replaces a text in a file. The old text must occur once, unless all is true.",
				t.edit),
			define(t, "delete_file", "Deletes a file.", t.delete))
	}
	if len(t.commands) > 0 {
		t.tools = append(t.tools, define(t, "run_command",
			commandDescription+strings.Join(o.Commands.Allow, "\n"), t.run))
	}
	for _, s := range o.Servers {
		if err := t.connect(ctx, s); err != nil {
			_ = t.Close() // the first error is reported
			return nil, err
		}
	}
	t.tools = append(t.tools, ending...)
	return t, nil
}

// Close ends the MCP servers and releases the directory.
func (t *Toolbox) Close() error {
	for _, s := range t.servers {
		s.close()
	}
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// Tools returns the tools for the model, always in the same order.
func (t *Toolbox) Tools() []Tool {
	all := make([]Tool, len(t.tools))
	for i, x := range t.tools {
		all[i] = x.Tool
	}
	return all
}

// Call runs a tool with the arguments of the model. An error ends the call of the provider. It is
//
//   - a [*taxonomy.Evidence] of type "tool_arguments" for arguments that are not a JSON object, or
//     do not have the types of the schema;
//   - evidence of type "command_blocked", with the attributes command and policy, for a command
//     that is not allowed;
//   - evidence of errno "EACCES", with the attribute path, for a change outside of the directory or
//     of git's files;
//   - evidence with the errno of a disk that is full, read-only or broken;
//   - evidence with the attribute mcp_server for an MCP server that has ended;
//   - evidence of source and op "scope", with the type "forbidden" or "outside_allowed", for a
//     change that the guard does not allow;
//   - an error of the guard, or of [Server.Check];
//   - the cause of ctx, if it has ended.
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

// define returns a tool whose arguments are decoded to an A. The schema follows from the fields of
// A. Fields without omitempty are required.
func define[A any](t *Toolbox, name, description string, do func(context.Context, A) (Result, error)) tool {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		panic(err) // the types of this package have schemas
	}
	raw, _ := json.Marshal(schema) // a schema of these types always marshals
	return tool{
		Tool: Tool{Name: name, Description: description, Schema: raw},
		call: func(ctx context.Context, raw json.RawMessage) (Result, error) {
			var args A
			given, err := object(raw)
			if err == nil && len(given) > 0 {
				err = json.Unmarshal(raw, &args)
			}
			if err != nil {
				return Result{}, t.badArguments(name, err)
			}
			for _, required := range schema.Required {
				if given[required] == nil {
					return failed("%s is missing", required), nil
				}
			}
			return do(ctx, args)
		},
	}
}

// object decodes the arguments of a model, which must be a JSON object or empty.
func object(raw json.RawMessage) (o map[string]json.RawMessage, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	err = json.Unmarshal(raw, &o)
	if _, is := errors.AsType[*json.UnmarshalTypeError](err); is || err == nil && o == nil {
		err = errors.New("not a JSON object")
	}
	return o, err
}

// evidence returns evidence about a tool, with source and op.
func (t *Toolbox) evidence() *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: t.options.Source, Op: opCall}
}

// badArguments returns the evidence of arguments that cannot be decoded.
func (t *Toolbox) badArguments(name string, err error) error {
	ev := t.evidence()
	ev.Type, ev.Text, ev.Err = "tool_arguments", err.Error(), err
	ev.Attributes = map[string]string{"tool": name}
	return ev
}

// started passes a process of a tool to Options.Started.
func (t *Toolbox) started(id proc.ID) error {
	if t.options.Started == nil {
		return nil
	}
	return t.options.Started(executor.Process{PID: id.PID, Start: id.Start})
}

type doneArgs struct {
	Summary string `json:"summary,omitempty" jsonschema:"What was done, in a few sentences."`
}

// done implements task_done.
func (t *Toolbox) done(_ context.Context, a doneArgs) (Result, error) {
	return Result{Text: cmp.Or(a.Summary, "done"), Signal: executor.SignalDone}, nil
}

type blockedArgs struct {
	Question string `json:"question" jsonschema:"The question to the person."`
}

// blocked implements task_blocked.
func (t *Toolbox) blocked(_ context.Context, a blockedArgs) (Result, error) {
	if a.Question == "" {
		return failed("question is missing"), nil
	}
	return Result{Text: a.Question, Signal: executor.SignalBlocked, Question: a.Question}, nil
}

// Label describes a call of a tool on one line: "write_file src/a.go".
func Label(name string, args []byte) string {
	var a struct{ Path, Command, Regexp string }
	if json.Unmarshal(args, &a) == nil {
		if about := cmp.Or(a.Path, a.Command, a.Regexp); about != "" {
			return text.Name(name) + " " + text.Name(text.Head(about, maxShown))
		}
	}
	return text.Name(text.Head(name, maxShown))
}
