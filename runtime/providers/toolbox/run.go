package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/proc"
)

type runArgs struct {
	Command string `json:"command"`
	Dir     string `json:"dir"`
}

// maxCommand bounds a command line in bytes.
const maxCommand = 32 << 10

// run is run_command.
func (t *Toolbox) run(ctx context.Context, a runArgs) (Result, error) {
	if strings.TrimSpace(a.Command) == "" {
		return failed("command is missing"), nil
	}
	if len(a.Command) > maxCommand {
		return failed("the command has more than %d bytes", maxCommand), nil
	}
	argv, err := splitWords(a.Command)
	switch {
	case errors.Is(err, errUnfinished):
		return failed("%s", err), nil
	case err != nil:
		return Result{}, t.blockedCommand(a.Command, err)
	case !t.allowed(argv):
		return Result{}, t.blockedCommand(a.Command, errors.New("it is not among the commands that are allowed"))
	}
	dir, err := t.commandDir(a.Dir)
	if err != nil {
		return t.unread(a.Dir, err), nil
	}
	return t.execute(ctx, dir, argv)
}

// blockedCommand is evidence that the policy refuses a command.
func (t *Toolbox) blockedCommand(command string, why error) error {
	ev := t.evidence()
	ev.Type = "command_blocked"
	ev.Attributes = map[string]string{"command": command, "policy": t.options.Commands.name()}
	ev.Text = fmt.Sprintf("%s: %s", text.Quote(command, maxQuoted), why)
	ev.Err = why
	return ev
}

// commandDir returns the directory to run a command in.
func (t *Toolbox) commandDir(name string) (string, error) {
	dir, err := t.resolve(orText(name, "."))
	if err != nil {
		return "", err
	}
	info, err := t.root.Stat(filepath.FromSlash(dir))
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	return filepath.Join(t.dir, filepath.FromSlash(dir)), err
}

// errCommandLimit is why a command was ended that took too long.
var errCommandLimit = errors.New("the command took too long")

// execute runs a command, and tells the model how it ended.
func (t *Toolbox) execute(ctx context.Context, dir string, argv []string) (Result, error) {
	limited, cancel := context.WithTimeoutCause(ctx, t.limits.Command, errCommandLimit)
	defer cancel()
	out := newClip(t.limits.Output)
	exit, err := proc.Run(limited, proc.Command{
		Path: argv[0], Args: argv[1:], Dir: dir, Env: append(proc.SafeEnv(), t.options.Env...),
		Stdout: out, Stderr: out, Grace: t.limits.Grace, Sweep: true,
	})
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case errors.Is(err, errCommandLimit):
		return failed("ended after %s, which is the limit\n%s", t.limits.Command, out), nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return failed("%s: there is no such command", text.Quote(argv[0], maxQuoted)), nil
	case err != nil:
		return failed("%s could not be started: %s", text.Quote(argv[0], maxQuoted), reason(err)), nil
	case exit.Signal != "":
		return failed("ended by %s\n%s", exit.Signal, out), nil
	}
	return Result{Text: fmt.Sprintf("exit code %d\n%s", exit.Code, out), IsError: exit.Code != 0}, nil
}

// clip keeps the beginning and the end of what is written to it. It is safe for concurrent use.
type clip struct {
	io.Writer
	limit int
	head  *proc.Head
	tail  *proc.Tail
}

func newClip(limit int) *clip {
	c := &clip{limit: limit, head: proc.NewHead(limit), tail: proc.NewTail(limit / 2)}
	c.Writer = io.MultiWriter(c.head, c.tail)
	return c
}

// String returns what is kept, as valid UTF-8.
func (c *clip) String() string {
	text := c.head.String() // masked if that is not all, so that it can be cut again
	if total := c.head.Total(); total > int64(c.limit) {
		half := c.limit - c.limit/2
		text = fmt.Sprintf("%s\n[%d bytes are left out]\n%s", text[:min(len(text), half)], total-int64(c.limit), c.tail)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
