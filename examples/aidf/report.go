package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
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

// commandFor returns a command about a run that can be used in any directory.
func (p *program) commandFor(command, run string) string {
	text := "aidf " + command + " "
	for flag, value := range map[string]string{"-repo": p.repo, "-config": p.home} {
		if value != "" && value != "." {
			text += flag + " '" + strings.ReplaceAll(value, "'", `'\''`) + "' "
		}
	}
	return text + run
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
	line("branch", r.Branch)
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
	if len(r.UncommittedFiles) > 0 && r.State != nil {
		line("uncommitted", strings.Join(r.UncommittedFiles, ", ")+" in "+r.State.Dir+": "+p.commandFor("diff", r.Run)+
			" | git apply")
	}
	if len(r.SavedRefs) > 0 {
		line("attempts", "reverted work is saved: "+p.commandFor("attempts", r.Run))
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
