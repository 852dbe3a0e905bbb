package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/detect"
)

// DefaultGrace is how long a group that is asked to end has for it, unless a [Command] says
// otherwise.
const DefaultGrace = 5 * time.Second

// Command is a program to run.
type Command struct {
	// Path is the program: a path, or a name that is looked up in this process's PATH.
	Path string
	// Args are the arguments after the program's name. No shell reads them.
	Args []string
	// Dir is the working directory; empty is this process's.
	Dir string
	// Env is the whole environment, but for a mark that Sweep and Started add. Nothing is
	// inherited, also when it is nil: see [SafeEnv].
	Env []string
	// Stdin is what the program reads; nil is nothing. Its Read must not block for ever, unless it
	// is an *os.File.
	Stdin io.Reader
	// Stdout and Stderr take what the program writes, piece by piece; nil drops it. If they are
	// equal, they get the pieces in the order in which they were written; otherwise two goroutines
	// write at once. What is left once a Write has failed is dropped.
	Stdout, Stderr io.Writer
	// Grace is how long the group has to end by itself before it is killed, and how long what the
	// program has left running may go on writing; 0 is [DefaultGrace].
	Grace time.Duration
	// Started, unless nil, is called once, before any output is passed on. If it returns an error,
	// the group is killed and Run returns that error.
	Started func(ID) error
	// Sweep also ends processes that left the group, when the program has ended. It needs Linux,
	// and an environment that they have not emptied.
	Sweep bool
}

// Exit is how a program ended.
type Exit struct {
	// Code is what the program exited with; -1 if a signal ended it, or if it never ran.
	Code int
	// Signal is the name of the signal that ended it: "SIGKILL". Empty if none did.
	Signal string
	// Took is how long it ran, with all its output.
	Took time.Duration
}

// Run runs a program to its end and waits for everything: all of its output was passed on, and
// nothing of its group is alive, when it returns. What the program has left running in its group is
// killed.
//
// An error says that the program could not be started (see errors.Is with exec.ErrNotFound and
// fs.ErrNotExist), that Started refused, or that ctx ended, and then it is ctx.Err and the cause of
// ctx. A program that ran to its end is no error, however it ended. When ctx ends, the group is
// asked to end, and killed when Grace is over.
func Run(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1}, c.ended(ctx)
	}
	began := time.Now()
	r, err := start(c)
	if err != nil {
		return Exit{Code: -1}, fmt.Errorf("start %s: %w", c.name(), err)
	}
	err = r.run(ctx)
	exit := exitOf(r.result)
	exit.Took = time.Since(began)
	return exit, err
}

// run passes on the output until the program and its group have ended.
func (r *running) run(ctx context.Context) error {
	refused := r.introduce()
	r.out.begin()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		r.result = r.cmd.Wait()
	}()
	interrupted := r.await(ctx, exited, refused)
	r.settle(ctx, interrupted)
	switch {
	case refused != nil:
		return refused
	case interrupted:
		return r.ended(ctx)
	}
	return nil
}

// introduce tells Started who runs.
func (r *running) introduce() error {
	if r.Started == nil {
		return nil
	}
	id, err := identify(r.cmd.Process.Pid, r.mark)
	if err != nil {
		return fmt.Errorf("identify %s: %w", r.name(), err)
	}
	return r.Started(id)
}

// await waits until the program has exited, and ends its group if it must not go on. It reports
// whether that was so.
func (r *running) await(ctx context.Context, exited <-chan struct{}, refused error) bool {
	if refused != nil {
		r.group.kill()
		<-exited
		return true
	}
	select {
	case <-exited:
		return false
	case <-ctx.Done():
	}
	r.group.terminate()
	grace := time.NewTimer(r.grace())
	defer grace.Stop()
	select {
	case <-exited:
	case <-grace.C:
		r.group.kill()
		<-exited
	}
	return true
}

const (
	// lastOutput is how long killed processes have for closing their ends of the pipes.
	lastOutput = 500 * time.Millisecond
	// lastBreath is how long the system has for removing killed processes.
	lastBreath = 5 * time.Second
)

// settle ends what the program left behind and waits for the last output.
func (r *running) settle(ctx context.Context, interrupted bool) {
	if !interrupted {
		r.out.wait(ctx, r.grace())
	}
	r.group.kill()
	if r.Sweep {
		sweep(r.mark)
	}
	r.group.waitGone(lastBreath)
	r.group.close()
	if !r.out.wait(context.Background(), lastOutput) {
		r.out.abandon()
	}
}

func (c *Command) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return DefaultGrace
}

func (c *Command) name() string { return filepath.Base(c.Path) }

// ended is the error of a context that ended: ctx.Err, which callers compare with, and its cause,
// which says more.
func (c *Command) ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return fmt.Errorf("run %s: %w", c.name(), cause)
	}
	return fmt.Errorf("run %s: %w: %w", c.name(), err, cause)
}

// exitOf reads what Wait has said.
func exitOf(err error) Exit {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return Exit{}
	case errors.As(err, &exit):
		ev := detect.Of(exit)
		return Exit{Code: ev.ExitCode.Or(-1), Signal: ev.Signal}
	}
	return Exit{Code: -1}
}
