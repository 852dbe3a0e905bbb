package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// program does what one command line says.
type program struct {
	options
	out, hints io.Writer
	// around, unless nil, puts observers around the one that shows progress.
	around func(executor.Observer) executor.Observer
	screen *terminal.Observer
}

// work runs a task until it has ended or is interrupted. A second interrupt has its usual effect.
func (p *program) work() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.screen = terminal.New(p.progress(), terminal.Options{})
	defer p.screen.Close()
	unhook := context.AfterFunc(ctx, func() {
		stop()
		p.screen.Aside(
			func() { fmt.Fprintln(p.hints, "aidf: interrupted, ending the iteration; once more ends at once") })
	})
	defer unhook()
	return p.perform(ctx)
}

// progress is where progress is shown: with JSON, standard output is for that alone.
func (p *program) progress() io.Writer {
	if p.json {
		return p.hints
	}
	return p.out
}

// perform runs a task and returns the exit code.
func (p *program) perform(ctx context.Context) int {
	s, err := p.setUp(ctx)
	if wrong, ok := errors.AsType[*usageError](err); ok {
		return misused(p.hints, wrong)
	}
	if err != nil {
		return p.unready(ctx, s, err)
	}
	cfg := s.config
	var shown executor.Observer = p.screen
	if p.around != nil {
		shown = p.around(shown)
	}
	cfg.Observer = executor.Observers(shown, p.log(s.table))
	if !p.unattended {
		cfg.Asker = &asker{p.screen, scope.NewAsker(scope.AskerConfig{Out: p.hints})}
	}
	x, err := executor.New(cfg)
	if err != nil {
		return p.unready(ctx, s, invalid(p.configFile, "limits", err))
	}
	if p.resume != "" {
		return p.conclude(x.Reopen(ctx, s.task, executor.Reopening{Answer: p.answer, ByHand: p.byHand}))
	}
	return p.conclude(x.Run(ctx, s.task))
}

// conclude prints a result and returns the exit code.
func (p *program) conclude(r *executor.Result) int {
	var err error
	if p.json {
		err = writeJSON(p.out, r)
	} else {
		err = writeReport(p.out, r)
	}
	if err != nil {
		fmt.Fprintln(p.hints, "aidf: print the result:", err)
		return exitFailed
	}
	if r.Status != executor.StatusCompleted {
		return exitFailed
	}
	return exitOK
}

// log returns an observer that logs everything, if that is wanted.
func (p *program) log(table taxonomy.Table) executor.Observer {
	if !p.verbose {
		return nil
	}
	return executor.Slog(p.logger(slog.LevelDebug), table)
}

func (p *program) logger(least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(aside{p.screen, p.hints}, &slog.HandlerOptions{Level: least}))
}

// aside writes to a terminal that may have a live line.
type aside struct {
	screen *terminal.Observer
	w      io.Writer
}

func (a aside) Write(b []byte) (n int, err error) {
	a.screen.Aside(func() { n, err = a.w.Write(b) })
	return n, err
}

// asker asks at a terminal that may have a live line.
type asker struct {
	screen *terminal.Observer
	asker  *scope.Asker
}

// Ask asks.
func (a *asker) Ask(ctx context.Context, q executor.Question) (approved bool, err error) {
	a.screen.Aside(func() { approved, err = a.asker.Ask(ctx, q) })
	return approved, err
}

// decode reads an error of the taxonomy back from the journal.
func decode(b []byte) (error, error) {
	own, err := errs.UnmarshalError(b)
	if err != nil {
		return nil, err
	}
	return own, nil
}
