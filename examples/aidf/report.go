package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// report prints the result, except the parts that the last lines of progress contain.
func (p *program) report(r *executor.Result) error {
	if p.json {
		return writeJSON(p.out, r)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-12s%s\n", name, printable(strings.ReplaceAll(value, "\n", "\n              ")))
		}
	}
	if r.EndReason == executor.EndDryRun {
		b.WriteString("  prompt\n" + printable(r.Text))
	}
	for _, c := range r.Commits {
		line("commit", c.ID[:min(len(c.ID), 12)]+" "+strings.Join(c.Paths, ", "))
	}
	if r.Pushed {
		line("pushed", "yes")
	}
	line("opened", r.PullRequest)
	if r.Waited > 0 {
		line("waited", time.Duration(r.Waited).Round(100*time.Millisecond).String())
	}
	var reactions []string
	for _, name := range slices.Sorted(maps.Keys(r.Reactions)) {
		reactions = append(reactions, fmt.Sprintf("%s %d", name, r.Reactions[name]))
	}
	line("reactions", strings.Join(reactions, ", "))
	for _, w := range r.Warnings {
		line("warning", w)
	}
	for _, e := range r.Errors {
		if r.Iterations == 0 && !strings.Contains(e.Message, strings.TrimSpace(e.Report)) {
			line("report", e.Report) // of a setup that failed, such as where a file is not YAML
		}
	}
	if len(r.SavedRefs) > 0 {
		command := "aidf attempts "
		if p.repo != "." {
			command += "-repo '" + strings.ReplaceAll(p.repo, "'", `'\''`) + "' "
		}
		line("attempts", "reverted work is saved: "+command+r.Run)
	}
	switch about := taxonomy.Describe(r.Err); {
	case r.Question != "":
		line("what to do", "Answer with -resume "+r.Run+" -answer TEXT.")
	case r.EndReason == executor.EndRefused && p.resume == "":
		line("what to do", "Continue the run with -resume "+r.Run+".")
	case r.EndReason == executor.EndRefused:
		line("what to do", "Restore the task as it was when the run began, or begin a run with another name.")
	case about == nil && r.Status == executor.StatusBlocked:
		line("what to do", "Continue with -resume "+r.Run+"; the limits count anew.")
	case about != nil && r.Status != executor.StatusCancelled:
		line("what to do", about.Resolution)
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

// listRuns prints the runs.
func (p *program) listRuns(ctx context.Context) error {
	runs, err := filestore.New(p.state).Runs(ctx)
	if err != nil {
		return fmt.Errorf("list the runs: %w", err)
	}
	if p.json {
		return writeJSON(p.out, runs)
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATUS\tITERATION\tLAST\tTASK\tDIRECTORY")
	for _, r := range runs {
		status := "not ended"
		if r.End != "" {
			status = string(r.End.Status())
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", r.Run, status, r.Iteration, r.Updated.Local().Format(time.DateTime),
			printable(r.Task), printable(r.Dir))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Question != "" {
			fmt.Fprintf(p.out, "run %s asks: %s\n", r.Run, printable(r.Question))
		}
		if len(r.Uncommitted) > 0 {
			fmt.Fprintf(p.out, "run %s left uncommitted: %s\n", r.Run, printable(strings.Join(r.Uncommitted, ", ")))
		}
	}
	return nil
}

// showAttempts lists the saved attempts of a run, or shows or restores one.
func (p *program) showAttempts(ctx context.Context) error {
	run, name, files := p.args[0], "", []string(nil)
	if len(p.args) > 1 {
		name, files = p.args[1], p.args[2:]
	}
	switch {
	case name == "":
		return p.listAttempts(ctx, run)
	case p.restore:
		restored, err := gittree.RestoreSaved(ctx, p.repo, run, name, files, gittree.Options{})
		for _, f := range restored {
			fmt.Fprintln(p.out, "restored", printable(f))
		}
		if err != nil || len(files) > 0 {
			return err
		}
		return p.showNotRestored(ctx, run, name, restored)
	case len(files) == 0:
		files = []string{""} // all changes, as a patch
	}
	for _, f := range files {
		var b bytes.Buffer
		if err := gittree.ShowSaved(ctx, p.repo, run, name, f, &b, gittree.Options{}); err != nil {
			return err
		}
		if _, err := io.WriteString(p.out, printable(b.String())); err != nil {
			return err
		}
	}
	return nil
}

// showNotRestored prints the files of an attempt that were not restored.
func (p *program) showNotRestored(ctx context.Context, run, name string, restored []string) error {
	all, err := gittree.Saves(ctx, p.repo, run, gittree.Options{})
	for _, a := range all {
		for _, c := range a.Changes {
			if (a.Name == name || a.Ref == name) && !slices.Contains(restored, c.Path) {
				fmt.Fprintln(p.out, "not restored, because git ignores it:", printable(c.Path))
			}
		}
	}
	return err
}

func (p *program) listAttempts(ctx context.Context, run string) error {
	all, err := gittree.Saves(ctx, p.repo, run, gittree.Options{})
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
			printable(cmp.Or(strings.Join(files, ", "), "git itself")))
	}
	return t.Flush()
}
