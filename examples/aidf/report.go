package main

import (
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

// writeReport says what a run came to besides what its last lines of progress have said.
func writeReport(w io.Writer, r *executor.Result) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-12s%s\n", name, printable(value))
		}
	}
	if r.EndReason == executor.EndDryRun {
		line("prompt", "")
		b.WriteString(printable(r.Text))
	}
	for _, c := range r.Commits {
		line("commit", c.ID[:min(len(c.ID), 12)]+" "+strings.Join(c.Paths, ", "))
	}
	if r.Pushed {
		line("pushed", "yes")
	}
	line("opened", r.PullRequest)
	line("saved", strings.Join(r.SavedRefs, ", "))
	if r.Waited > 0 {
		line("waited", time.Duration(r.Waited).Round(100*time.Millisecond).String())
	}
	line("reactions", counts(r.Reactions))
	for _, w := range r.Warnings {
		line("warning", w)
	}
	if about := taxonomy.Describe(r.Err); about != nil && r.Status != executor.StatusCancelled {
		line("what to do", about.Resolution)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counts returns "again 2, wait 1".
func counts(by map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, fmt.Sprintf("%s %d", name, by[name]))
	}
	return strings.Join(out, ", ")
}

// listRuns prints the runs that are remembered.
func (p *program) listRuns() int {
	dir, err := p.journalDir()
	var runs []executor.RunInfo
	if err == nil {
		runs, err = filestore.New(dir).Runs(context.Background())
	}
	if err == nil && p.json {
		err = writeJSON(p.out, listed(runs))
	} else if err == nil {
		err = writeRuns(p.out, runs)
	}
	if err != nil {
		fmt.Fprintln(p.hints, "aidf: list the runs:", printable(err.Error()))
		return exitFailed
	}
	return exitOK
}

// listedRun is a run in the list that is JSON.
type listedRun struct {
	Run       string             `json:"run"`
	Task      string             `json:"task"`
	Dir       string             `json:"dir"`
	Status    executor.Status    `json:"status,omitempty"` // empty for a run that can be resumed
	EndReason executor.EndReason `json:"endReason,omitempty"`
	Iteration int                `json:"iteration"`
	At        time.Time          `json:"at"`
	Question  string             `json:"question,omitempty"`
}

func listed(runs []executor.RunInfo) []listedRun {
	out := make([]listedRun, len(runs))
	for i, r := range runs {
		out[i] = listedRun{
			Run: r.Run, Task: r.Task, Dir: r.Dir, EndReason: r.End, Iteration: r.Iteration, At: r.Updated,
			Question: r.Question,
		}
		if r.End != "" {
			out[i].Status = r.End.Status()
		}
	}
	return out
}

func writeRuns(w io.Writer, runs []executor.RunInfo) error {
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "no run is remembered")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATUS\tITERATION\tLAST\tTASK\tDIRECTORY")
	for _, r := range listed(runs) {
		status := cmp.Or(string(r.Status), "not ended")
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", r.Run, status, r.Iteration, r.At.Local().Format(time.DateTime),
			printable(r.Task), printable(r.Dir))
	}
	return t.Flush()
}
