// Specrunner makes a coding agent do the tasks of a specification, one after the other. After each
// failure it does what taxonomy.yaml specifies: it tries again and explains the failure to the
// agent, gives up, or stops. Its state is an SQLite file, so a killed process loses nothing.
//
//	go run . -dir demo           shows all of it with an agent that needs no account
//	specrunner                   runs the open tasks
//	specrunner -status           lists the tasks
//	specrunner -resume           continues a run whose process died
//	specrunner -reset TASK       lets a task begin anew
//
// The tasks are in spec/tasks.md, the configuration in specrunner.yml, the state in
// spec/.executor-state.db; README.md describes them.
//
// The exit status is 0 if all tasks are done, 1 if work is left, 2 for wrong usage, a faulty
// configuration or a faulty file of tasks, and 3 if the state cannot be opened or written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

//go:generate go tool errgen generate

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	exitDone   = 0
	exitLeft   = 1
	exitUsage  = 2
	exitBroken = 3
)

// exitError is an error with an exit status.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func misuse(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}
func unable(format string, args ...any) error {
	return &exitError{exitLeft, fmt.Errorf(format, args...)}
}
func broken(format string, args ...any) error {
	return &exitError{exitBroken, fmt.Errorf(format, args...)}
}

// program is one command line.
type program struct {
	dir, config, task, reset      string
	status, resume, json, verbose bool

	out, hints io.Writer
	screen     executor.Observer
	settings   settings
	table      taxonomy.Table
	tasks      []task
	stop       stopFile
	store      *state.Store
	claim      *state.Claim
	named      map[string]bool // the runs that were reported
}

// run executes a command line and returns the exit status.
func run(args []string, out, hints io.Writer) int {
	p := &program{out: out, hints: hints, named: map[string]bool{}}
	err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err == nil {
		err = p.load()
	}
	code := exitDone
	if err == nil {
		defer p.close()
		switch ctx := context.Background(); {
		case p.status:
			err = p.showStatus(ctx)
		case p.reset != "":
			err = p.resetTask(ctx)
		default:
			code, err = p.work(ctx)
		}
	}
	if err == nil {
		return code
	}
	code = exitBroken
	if e, ok := errors.AsType[*exitError](err); ok {
		code = e.code
	}
	for _, line := range messages(err) {
		p.hint("%s", line)
	}
	if code == exitUsage {
		p.hint("specrunner -help lists the flags")
	}
	return code
}

// messages returns the lines of an error. Joined errors have one each.
func messages(err error) []string {
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = shown(lines[i])
	}
	return lines
}

// shown returns text as a terminal may show it: on one line, without secrets and escapes.
func shown(text string) string { return terminal.Printable(taxonomy.Redact(text)) }

func (p *program) hint(format string, args ...any) {
	fmt.Fprintln(p.hints, "specrunner:", shown(fmt.Sprintf(format, args...)))
}

// parse reads the command line.
func (p *program) parse(args []string) error {
	fs := flag.NewFlagSet("specrunner", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&p.dir, "dir", ".", "the `directory` of the project, from which other paths are seen")
	fs.StringVar(&p.config, "config", "", "the configuration `file` (default: specrunner.yml, if it exists)")
	fs.StringVar(&p.task, "task", "", "do only the task with this `ID`")
	fs.BoolVar(&p.resume, "resume", false, "first continue the run whose process died")
	fs.StringVar(&p.reset, "reset", "", "let the `task` begin anew; its attempts stay on record")
	fs.BoolVar(&p.status, "status", false, "list the tasks")
	fs.BoolVar(&p.json, "json", false, "print the outcome or the list as JSON, and progress on standard error")
	fs.BoolVar(&p.verbose, "v", false, "log all events on standard error")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(p.out, "specrunner makes a coding agent do the tasks of a specification.")
		fs.SetOutput(p.out)
		fs.PrintDefaults()
		return err
	} else if err != nil {
		return misuse("%w", err)
	}
	switch {
	case fs.NArg() > 0:
		return misuse("unexpected argument %q", fs.Arg(0))
	case p.status && (p.resume || p.reset != "" || p.task != "") || p.reset != "" && (p.resume || p.task != ""):
		return misuse("-status, -reset, and -resume or -task exclude each other")
	}
	return nil
}

// open opens the state, and takes the queue for this process.
func (p *program) open(ctx context.Context) (err error) {
	if p.store, err = state.Open(ctx, p.statePath(), state.Options{Table: p.table}); err != nil {
		return broken("state %s: %w", p.statePath(), err)
	}
	p.claim, err = p.store.Claim(ctx, "queue")
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Op == "lock" {
		return unable("another process is at work: %w", err)
	}
	if err != nil {
		return broken("%w", err)
	}
	return nil
}

func (p *program) close() {
	if p.claim != nil {
		_ = p.claim.Release() // it ends with the process in any case
	}
	if p.store != nil {
		_ = p.store.Close()
	}
}

// signals returns a context that ends with an interrupt, a termination, or the end of the terminal.
// SIGPIPE is caught, so that work continues when its output is no longer read.
func (p *program) signals(ctx context.Context) (context.Context, func()) {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	unhook := context.AfterFunc(ctx, func() {
		stop() // a second signal ends the process
		p.hint("interrupted, ending the attempt; a second interrupt ends the program")
	})
	return ctx, func() {
		unhook()
		stop()
		signal.Stop(pipe)
	}
}
