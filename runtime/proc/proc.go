// Package proc runs programs. Each program has a process group that ends with it. Output is passed
// on and never kept. An [ID] finds a process again after a restart of the host.
//
// Systems differ:
//
//   - Linux and other Unixes: SIGTERM asks a process group to end, SIGKILL ends it. A process can
//     leave its group; on Linux [Command.Sweep] finds it by a mark in its environment.
//   - Windows: a group is a job object, which also ends with this process. CTRL_BREAK asks it to
//     end, and reaches programs of the same console only. A process that a program starts in its
//     first instant can escape the job.
package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/detect"
)

// DefaultGrace is the grace of a [Command] that has none.
const DefaultGrace = 5 * time.Second

// lastBreath is how long the system has for removing killed processes.
const lastBreath = 5 * time.Second

// Command is a program to run.
type Command struct {
	// Path is the program: a path, or a name that is looked up in this process's PATH.
	Path string
	// Args are the arguments after the program's name. No shell reads them.
	Args []string
	// Dir is the working directory; empty is this process's.
	Dir string
	// Env is the whole environment, except for a mark that Sweep and Started add. Nothing is
	// inherited, also if Env is nil; see [SafeEnv].
	Env []string
	// Stdin is the input; nil means no input.
	Stdin io.Reader
	// Stdout and Stderr receive the output; nil discards it. If they are equal, one goroutine
	// writes to them, in the order of the output; otherwise two goroutines write at the same time.
	// After a failed Write the rest is discarded.
	Stdout, Stderr io.Writer
	// Grace is how long the group has to end before it is killed, and how long processes that the
	// program started may go on writing after it ended; 0 is [DefaultGrace].
	Grace time.Duration
	// Started, unless nil, is called once, before any output is passed on. If it returns an error,
	// the group is killed and Run returns that error.
	Started func(ID) error
	// Sweep also ends processes that left the group, after the program ended. It needs Linux, and
	// works as long as they keep their environment.
	Sweep bool
}

// Exit is how a program ended.
type Exit struct {
	// Code is the exit code; -1 if a signal ended the program, or if it never ran.
	Code int
	// Signal is the name of the signal that ended the program, such as "SIGKILL", or empty.
	Signal string
	// Took is how long the program and its output took.
	Took time.Duration
}

// Run runs a program to its end. When it returns, all output was passed on and no process of the
// group is alive: processes that the program left running in its group are killed.
//
// A program that ran is no error, whatever its exit code. The error says that the program could not
// be started (errors.Is with exec.ErrNotFound and fs.ErrNotExist), that Started refused, or that
// ctx ended; then it wraps ctx.Err and the cause of ctx. When ctx ends, the group is asked to end,
// and killed after Grace.
func Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1}, c.ended(ctx)
	}
	began, interrupted, mark := time.Now(), false, ""
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Stdin = c.Dir, c.Stdin
	cmd.Env = append(make([]string, 0, len(c.Env)+1), c.Env...) // never nil, which would inherit
	if c.Sweep || c.Started != nil {
		mark = newMark()
	}
	if mark != "" {
		cmd.Env = append(cmd.Env, markVariable+"="+mark)
	}
	introduced := make(chan struct{}) // is closed after Started returned
	cmd.Stdout, cmd.Stderr = passOn(c.Stdout, introduced), passOn(c.Stderr, introduced)
	if same(c.Stdout, c.Stderr) {
		cmd.Stderr = cmd.Stdout
	}
	cmd.WaitDelay = cmp.Or(max(c.Grace, 0), DefaultGrace)
	cmd.Cancel = func() error {
		interrupted = true
		terminate(cmd.Process)
		return nil
	}
	lead(cmd)
	if err := cmd.Start(); err != nil {
		return Exit{Code: -1}, fmt.Errorf("start %s: %w", filepath.Base(c.Path), err)
	}
	g := groupOf(cmd.Process)
	refused := c.introduce(cmd.Process.Pid, mark)
	close(introduced)
	if refused != nil {
		g.kill()
	}
	_ = cmd.Wait() // ProcessState and interrupted have all of it
	g.kill()
	if c.Sweep {
		sweep(mark)
	}
	g.waitGone(lastBreath)
	g.close()
	exit := exitOf(cmd.ProcessState)
	exit.Took = time.Since(began)
	if refused == nil && interrupted {
		return exit, c.ended(ctx)
	}
	return exit, refused
}

// introduce calls Started.
func (c *Command) introduce(pid int, mark string) error {
	if c.Started == nil {
		return nil
	}
	id, err := identify(pid, mark)
	if err != nil {
		return fmt.Errorf("identify %s: %w", filepath.Base(c.Path), err)
	}
	return c.Started(id)
}

// ended returns the error of a context that ended: ctx.Err and its cause.
func (c *Command) ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("run %s: %w", filepath.Base(c.Path), cause)
	}
	return fmt.Errorf("run %s: %w: %w", filepath.Base(c.Path), err, cause)
}

func exitOf(state *os.ProcessState) Exit {
	if state.Success() {
		return Exit{}
	}
	ev := detect.Of(&exec.ExitError{ProcessState: state})
	return Exit{Code: ev.ExitCode.Or(-1), Signal: ev.Signal}
}

// passOn returns a writer to w that waits for begin, and discards after the first error, so that
// the program goes on. It returns files and nil as they are.
func passOn(w io.Writer, begin <-chan struct{}) io.Writer {
	if _, file := w.(*os.File); file || w == nil {
		return w
	}
	return &passing{w: w, begin: begin}
}

type passing struct {
	w      io.Writer
	begin  <-chan struct{}
	failed bool
}

func (p *passing) Write(b []byte) (int, error) {
	<-p.begin
	if !p.failed {
		_, err := p.w.Write(b)
		p.failed = err != nil
	}
	return len(b), nil
}

// same reports whether both are one writer. Writers of a type that cannot be compared are not.
func same(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }()
	return a != nil && a == b
}
