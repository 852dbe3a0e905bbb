// Package proc runs programs. Each program has a process group that ends with it. Output is passed
// to writers and not stored. An [ID] identifies a process after a restart of the host.
//
// Systems differ:
//
//   - Linux and other Unixes: a process group gets SIGTERM, and then SIGKILL. A process can leave
//     its group. On Linux, [Command.Sweep] finds it by a mark in its environment.
//   - Windows: a group is a job object, which also ends with this process. It gets CTRL_BREAK,
//     which reaches programs of the same console only. A process that a program starts immediately
//     can escape the job.
package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultGrace is the grace of a [Command] that has none.
const DefaultGrace = 5 * time.Second

// removal limits the time in which the system removes killed processes.
const removal = 5 * time.Second

// Command is a program to run.
type Command struct {
	// Path is the program: a path, or a name that is looked up in the PATH of this process.
	Path string
	// Args are the arguments without the program's name. No shell interprets them.
	Args []string
	// Dir is the working directory; by default that of this process.
	Dir string
	// Env is the whole environment, apart from a mark that Sweep and Started add. Nothing is
	// inherited, even if Env is nil; see [SafeEnv].
	Env []string
	// Stdin is the input; nil means no input.
	Stdin io.Reader
	// Stdout and Stderr receive the output; nil discards it. If they are equal, one goroutine
	// writes to them, in the order of the output. Otherwise two goroutines write concurrently.
	// After a failed Write the rest is discarded.
	Stdout, Stderr io.Writer
	// Grace limits the time between SIGTERM and SIGKILL. After the end of the program it also
	// limits the time in which its children can write; 0 is [DefaultGrace].
	Grace time.Duration
	// Started, unless nil, is called once, before any output is written. If it returns an error,
	// the group is killed and Run returns that error.
	Started func(ID) error
	// Sweep also ends the processes that left the group, after the program ended. It requires
	// Linux, and finds processes that have not changed their environment.
	Sweep bool
}

// Exit describes the end of a program.
type Exit struct {
	// Code is the exit code. It is -1 if a signal ended the program, or the program did not run.
	Code int
	// Signal is the name of the signal that ended the program, such as "SIGKILL", or empty.
	Signal string
	// Took is the time that the program and its output took.
	Took time.Duration
}

// Run runs a program to its end. When it returns, all output is written and no process of the group
// is running: processes that the program left in its group are killed.
//
// Run returns nil for every exit code. It returns an error if the program could not be started
// (errors.Is with exec.ErrNotFound and fs.ErrNotExist), Started returned one, or ctx ended. After
// the end of ctx, the error wraps ctx.Err and the cause of ctx. Then the group gets SIGTERM, and
// SIGKILL after Grace.
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
	started := make(chan struct{}) // closed after Started returned
	cmd.Stdout, cmd.Stderr = delayed(c.Stdout, started), delayed(c.Stderr, started)
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
	refused := c.started(cmd.Process.Pid, mark)
	close(started)
	if refused != nil {
		g.kill()
	}
	_ = cmd.Wait() // ProcessState and interrupted contain the result
	g.kill()
	if c.Sweep {
		sweep(mark)
	}
	g.waitGone(removal)
	g.close()
	exit := exitOf(cmd.ProcessState)
	exit.Took = time.Since(began)
	if refused == nil && interrupted {
		return exit, c.ended(ctx)
	}
	return exit, refused
}

// started calls Started.
func (c *Command) started(pid int, mark string) error {
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

// delayed returns a writer to w that waits for begin. After the first error it discards the output,
// so that the program continues. A file and nil are returned unchanged.
func delayed(w io.Writer, begin <-chan struct{}) io.Writer {
	if _, file := w.(*os.File); file || w == nil {
		return w
	}
	return &delayedWriter{w: w, begin: begin}
}

type delayedWriter struct {
	w      io.Writer
	begin  <-chan struct{}
	failed bool
}

func (d *delayedWriter) Write(b []byte) (int, error) {
	<-d.begin
	if !d.failed {
		_, err := d.w.Write(b)
		d.failed = err != nil
	}
	return len(b), nil
}

// same reports whether the writers are equal. It is false for a type that cannot be compared.
func same(a, b io.Writer) (equal bool) {
	defer func() { _ = recover() }()
	return a != nil && a == b
}

// safe are the variables that programs need. None of them is a secret.
var safe = []string{"PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TERM", "USER", "LOGNAME", "SHELL", "TZ"}

// safeWindows are further variables that programs on Windows need.
var safeWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "OS",
}

// SafeEnv returns the part of this process's environment that a program may have that is not
// trusted: the locations of programs, home and temporary files, the language and the terminal. It
// contains no API keys. The variables of extra follow: "NAME=value" sets a variable, and "NAME"
// passes the value of this process, if it has one.
func SafeEnv(extra ...string) []string {
	var env []string
	for _, entry := range os.Environ() {
		if name, _, ok := strings.Cut(entry, "="); ok && isSafe(name) {
			env = append(env, entry)
		}
	}
	for _, entry := range extra {
		if strings.Contains(entry, "=") {
			env = append(env, entry)
		} else if value, ok := os.LookupEnv(entry); ok {
			env = append(env, entry+"="+value)
		}
	}
	return env
}

func isSafe(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name) // names have no case
		if slices.Contains(safeWindows, name) {
			return true
		}
	}
	return slices.Contains(safe, name) || strings.HasPrefix(name, "LC_")
}

// Failure returns the evidence of a failed [Run]: exit code or signal, and the name of the program
// as the attribute command. If the program did not run, the type is "not_found" or "start". After
// the deadline of the context, it is "timeout". The caller adds the output. If the program exited
// with 0, Failure returns nil.
func Failure(source, op, path string, exit Exit, err error) *taxonomy.Evidence {
	if err == nil && exit.Code == 0 && exit.Signal == "" {
		return nil
	}
	ev := &taxonomy.Evidence{}
	if err != nil {
		*ev = detect.Of(err)
	}
	ev.Source, ev.Op = source, op
	ev.SetAttribute("command", filepath.Base(path))
	switch {
	case missing(err):
		ev.Type = "not_found"
	case exit.Signal != "":
		ev.Signal = exit.Signal
	case err == nil:
		ev.ExitCode = taxonomy.Some(exit.Code)
	}
	return ev
}

// missing reports whether a program could not be started because its file does not exist. It is
// false if the working directory or the interpreter does not exist.
func missing(err error) bool {
	if errors.Is(err, exec.ErrNotFound) {
		return true
	}
	var path *fs.PathError
	if !errors.As(err, &path) || path.Op != "fork/exec" || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err = os.Stat(path.Path)
	return errors.Is(err, fs.ErrNotExist)
}
