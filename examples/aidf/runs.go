package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// runInfo describes a run: its state, if this store has it, and its clone, if it exists.
type runInfo struct {
	executor.RunInfo
	// Status is that of a run that is over, or alive, died or no state. The state of a run without
	// one is in another store, or is lost.
	Status string           `json:"status"`
	Clone  *workspace.Clone `json:"clone,omitempty"`
}

const (
	statusAlive   = "alive"
	statusDied    = "died"
	statusNoState = "no state"
)

// all returns the runs of the store, and those that have a clone of the repository.
func (p *program) all(ctx context.Context, home string) ([]runInfo, error) {
	stored, err := filestore.New(p.state).Runs(ctx)
	clones, failed := workspace.List(ctx, p.repo, home)
	byName := map[string]*workspace.Clone{}
	for i := range clones {
		byName[clones[i].Run] = &clones[i]
	}
	var runs []runInfo
	for _, r := range stored {
		info := runInfo{RunInfo: r, Status: string(r.End.Status())}
		if c := byName[r.Run]; c != nil && within(c.Home, r.Dir) {
			info.Clone = c
			delete(byName, r.Run)
		}
		if r.End == "" {
			info.Status = statusDied
			if info.Clone != nil && info.Clone.State == statusAlive {
				info.Status = statusAlive
			}
		}
		runs = append(runs, info)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		c := byName[name]
		info := runInfo{RunInfo: executor.RunInfo{Run: name, Dir: c.Home, Updated: c.Updated}, Clone: c,
			Status: statusNoState}
		if c.State == statusAlive {
			info.Status = statusAlive
		}
		runs = append(runs, info)
	}
	return runs, errors.Join(err, failed)
}

// leftover returns a warning about another run of the repository that has not ended or is not
// delivered, with the commands for it.
func (p *program) leftover(ctx context.Context, c workspace.Clone) string {
	saved, err := filestore.New(p.state).Peek(ctx, c.Run)
	what := ""
	switch {
	case err != nil || saved == nil || !within(c.Home, saved.Dir):
		what = "has no state in " + p.state + ": continue it with the -state with which it began"
	case saved.End == "":
		what = "has not ended: -resume " + c.Run + " continues it"
	case c.State == "delivered":
		return ""
	case saved.End == executor.EndCompleted:
		what = "is completed, and its work is not delivered"
	default:
		status := saved.End.Status()
		what = cmp.Or(map[executor.Status]string{"blocked": "is blocked", "cancelled": "was cancelled"}[status],
			string(status)) + ": -resume " + c.Run + " continues it"
	}
	return "run " + c.Run + " " + what + "; " + p.commandFor("diff", c.Run) + " shows its work, " +
		p.commandFor("remove", c.Run) + " removes it"
}

// setHome makes the commands that are shown name the configuration, if it sets where the clones are.
func (p *program) setHome(s *settings) {
	if s.Workspace.Home != "" {
		p.home = evaluated(p.configFile)
	}
}

// inspect carries out a command about runs.
func (p *program) inspect(ctx context.Context) error {
	var s settings
	if p.configFile != "" {
		if _, err := config.Load(p.configFile, &s); err != nil {
			return err
		}
		p.setHome(&s)
	}
	if p.command == "runs" {
		return p.listRuns(ctx, s.Workspace.Home)
	}
	if p.command == "remove" {
		return p.remove(ctx, s.Workspace.Home)
	}
	w, err := workspace.New(ctx, p.repo, p.args[0], s.options())
	if err != nil {
		return err
	}
	if made, _ := w.Exists(); !made && p.command != "attempts" {
		return fmt.Errorf("no run of %s is named %s, or its clone was removed after its delivery", w.Root(), p.args[0])
	}
	switch p.command {
	case "dir":
		_, err = fmt.Fprintln(p.out, w.Dir())
		return err
	case "diff":
		return w.Patch(ctx, p.out)
	}
	return p.showAttempts(ctx, w)
}

// listRuns prints the runs.
func (p *program) listRuns(ctx context.Context, home string) error {
	runs, err := p.all(ctx, home)
	if len(runs) == 0 && err != nil {
		return fmt.Errorf("list the runs: %w", err)
	}
	if p.json {
		return writeJSON(p.out, runs)
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATUS\tITERATION\tLAST\tSIZE\tTASK\tDIRECTORY")
	for _, r := range runs {
		size := "-"
		if r.Clone != nil {
			size = fmt.Sprintf("%.1f MB", float64(r.Clone.Size())/1e6)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", r.Run, r.Status, r.Iteration,
			r.Updated.Local().Format(time.DateTime), size, printable(cmp.Or(r.Task, "-")), printable(r.Dir))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Question != "" {
			fmt.Fprintf(p.out, "run %s asks: %s\n", r.Run, printable(r.Question))
		}
		if len(r.Uncommitted) > 0 && r.Clone != nil {
			fmt.Fprintf(p.out, "run %s has uncommitted: %s\n", r.Run, printable(strings.Join(r.Uncommitted, ", ")))
		}
	}
	return err
}

// remove removes runs with their clones and states.
func (p *program) remove(ctx context.Context, home string) error {
	runs, err := p.all(ctx, home)
	if err != nil {
		return err
	}
	names, clones := p.args, map[string]bool{}
	for _, r := range runs {
		clones[r.Run] = r.Clone != nil
		if p.older > 0 && r.Clone != nil && r.Status != statusAlive && time.Since(r.Clone.Updated) > p.older {
			names = append(names, r.Run)
		}
	}
	var all []error
	for _, name := range names {
		var err error
		if cloned, stored := clones[name]; cloned || !stored { // the clone of a delivered run is removed
			err = workspace.Remove(ctx, p.repo, name, home)
		}
		if err == nil {
			err = filestore.New(p.state).Remove(ctx, name)
		}
		if err == nil {
			_, err = fmt.Fprintln(p.out, "removed", name)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// showAttempts lists the saved attempts of a run, or shows one.
func (p *program) showAttempts(ctx context.Context, w *workspace.Workspace) error {
	if len(p.args) == 1 {
		return p.listAttempts(ctx, w)
	}
	name, files := p.args[1], p.args[2:]
	if len(files) == 0 {
		files = []string{""} // all changes, as a patch
	}
	for _, f := range files {
		var b bytes.Buffer
		if err := w.ShowSaved(ctx, name, f, &b); err != nil {
			return err
		}
		shown := b.String()
		if !p.patch {
			shown = printable(shown)
		}
		if _, err := io.WriteString(p.out, shown); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) listAttempts(ctx context.Context, w *workspace.Workspace) error {
	all, err := w.Saved(ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ATTEMPT\tSAVED\tFILES")
	for _, a := range all {
		var files []string
		for _, c := range a.Changes {
			files = append(files, fmt.Sprintf("%s (%s)", c.Path, c.Kind))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", a.Name, a.At.Local().Format(time.DateTime),
			printable(strings.Join(files, ", ")))
	}
	return t.Flush()
}
