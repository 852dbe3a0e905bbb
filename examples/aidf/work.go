package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// work runs a task and returns the exit code.
func (p *program) work(ctx context.Context) (int, error) {
	if err := p.find(ctx); err != nil {
		return exitUsage, err
	}
	progress := p.out
	if p.json {
		progress = p.hints // standard output is for the JSON alone
	}
	p.screen = terminal.New(progress)
	defer context.AfterFunc(ctx, func() {
		fmt.Fprintln(p.hints, "aidf: interrupted, ending the iteration; a second interrupt kills the program")
	})()
	cfg, task, warnings, err := p.setUp(ctx)
	if err != nil {
		return exitFailed, err
	}
	for _, w := range warnings {
		fmt.Fprintln(p.hints, "aidf: warning:", printable(w))
	}
	if !p.unattended {
		cfg.Asker = scope.NewAsker(scope.AskerConfig{Out: p.hints})
	}
	x, err := executor.New(cfg)
	if err != nil {
		return exitFailed, err
	}
	var r *executor.Result
	if p.resume != "" {
		r = x.Reopen(ctx, task, executor.Reopening{Answer: p.answer})
	} else {
		r = x.Run(ctx, task)
	}
	r.Warnings = append(warnings, r.Warnings...)
	if err := p.report(r); err != nil {
		return exitFailed, err
	}
	switch {
	case r.Status == executor.StatusCompleted:
		return exitOK, nil
	case r.Err == nil: // blocked by a question, or cancelled
		return exitFailed, nil
	}
	return taxonomy.ExitCode(r.Err), nil
}

// find sets the name of the run. A run that is over must be continued with the flag for that.
func (p *program) find(ctx context.Context) error {
	name := cmp.Or(p.resume, p.options.run)
	if p.options.run = cmp.Or(name, newName(p.taskFile)); name == "" || p.dryRun {
		return nil
	}
	saved, err := filestore.New(p.state).Peek(ctx, name)
	switch resumed := p.resume != ""; {
	case err != nil:
		return err
	case saved == nil && resumed:
		return misuse("there is no run %q in %s: use the -state with which it began; aidf runs lists the runs", name,
			p.state)
	case saved == nil:
		return nil
	case saved.End == executor.EndCompleted:
		return misuse("run %s is completed", name)
	case saved.End != "" && !resumed:
		return misuse("run %s is %s; continue it with -resume %s", name, saved.End.Status(), name)
	case saved.End == "" && p.answer != "":
		return misuse("run %s has not ended, so it has no question; resume it without -answer", name)
	}
	return nil
}

// newName makes a name for a run of the task.
func newName(task string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(taskID(task)))
	return cmp.Or(strings.Trim(name[:min(len(name), 40)], "-"), "run") + "-" + strings.ToLower(rand.Text()[:6])
}

func taskID(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// observers returns the observers that show and log the run.
func (p *program) observers(s *setup) executor.Observer {
	if !p.verbose {
		return p.screen
	}
	return executor.Observers(p.screen, executor.Slog(p.logger(slog.LevelDebug), s.table))
}

func (p *program) logger(least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(p.hints, &slog.HandlerOptions{Level: least}))
}
