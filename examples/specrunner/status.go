package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/executor/state"
)

// outcome is the result of the work on the queue.
type outcome struct {
	Exit int `json:"exit"`
	// Done counts the tasks that are done, of All.
	Done int `json:"done"`
	All  int `json:"all"`
	// Why is the reason why tasks were left.
	Why    string        `json:"why,omitempty"`
	Errors []string      `json:"errors,omitempty"`
	Tasks  []taskOutcome `json:"tasks"`
}

type taskOutcome struct {
	ID         string             `json:"id"`
	Status     state.TaskStatus   `json:"status"`
	EndReason  executor.EndReason `json:"endReason,omitempty"`
	Why        string             `json:"why,omitempty"`
	Run        string             `json:"run,omitempty"`
	Attempts   int                `json:"attempts,omitempty"`
	Code       string             `json:"code,omitempty"`
	Error      string             `json:"error,omitempty"`
	Question   string             `json:"question,omitempty"`
	Resolution string             `json:"resolution,omitempty"`
	Usage      executor.Usage     `json:"usage,omitzero"`
	Warnings   []string           `json:"warnings,omitempty"`
}

func (q *queue) add(o taskOutcome) { q.outcome.Tasks = append(q.outcome.Tasks, o) }

// failed records a task that is not done.
func (q *queue) failed(t *task, o taskOutcome) {
	q.results[t.ID] = o.Status
	q.add(o)
	if q.settings.OnFailure == "stop" {
		q.end("stopped, because task " + t.ID + " is not done")
	}
}

// end lets no further task begin.
func (q *queue) end(why string) {
	if !q.ended {
		q.ended, q.outcome.Why = true, shown(why)
	}
}

// conclude prints the outcome and returns the exit status. If err is not nil, it ended the work.
func (q *queue) conclude(err error) (int, error) {
	o := &q.outcome
	for _, t := range q.tasks {
		if q.results[t.ID] == state.TaskCompleted {
			o.Done++
		}
	}
	o.All, o.Exit = len(q.tasks), exitLeft
	if o.Tasks == nil {
		o.Tasks = []taskOutcome{}
	}
	if err != nil {
		o.Errors = messages(err)
	} else if o.Done == o.All || q.task != "" && q.results[q.task] == state.TaskCompleted {
		o.Exit = exitDone
	}
	if q.json {
		return o.Exit, q.printJSON(o)
	}
	line := func(format string, args ...any) { fmt.Fprintln(q.out, shown(fmt.Sprintf(format, args...))) }
	for _, t := range o.Tasks {
		if t.Status == state.TaskCompleted {
			continue
		}
		text := "task " + t.ID + " is " + string(t.Status)
		if t.Code != "" {
			text += " (" + t.Code + ")"
		}
		for _, more := range []string{t.Error, t.Why} {
			if more != "" {
				text += ": " + more
			}
		}
		line("%s", text)
		if t.Question != "" {
			line("  question: %s", t.Question)
		}
		if t.Resolution != "" {
			line("  what to do: %s", t.Resolution)
		}
		for _, w := range t.Warnings {
			line("  warning: %s", w)
		}
	}
	if o.Why != "" {
		line("specrunner: %s", o.Why)
	}
	line("specrunner: %d of %d tasks are done", o.Done, o.All)
	return o.Exit, nil
}

// printableJSON returns b with a JSON escape in place of each character that is not printable, so
// that no information is lost. Line feeds stay.
func printableJSON(b []byte) []byte {
	out := make([]byte, 0, len(b)+1)
	for _, r := range string(b) {
		if r == '\n' || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

func (p *program) printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		_, err = p.out.Write(append(printableJSON(b), '\n'))
	}
	if errors.Is(err, syscall.EPIPE) { // the reader has left
		return nil
	}
	return err
}

// listed is a task in the list of -status.
type listed struct {
	ID       string            `json:"id"`
	Title    string            `json:"title,omitempty"`
	Status   string            `json:"status"`
	Attempts int               `json:"attempts"`
	At       *time.Time        `json:"lastAttempt,omitempty"`
	Code     string            `json:"code,omitempty"`
	Written  string            `json:"codeAsWritten,omitempty"` // if the taxonomy does not have it
	Error    string            `json:"error,omitempty"`
	Question string            `json:"question,omitempty"`
	Spent    executor.Spending `json:"spent"`
}

// showStatus prints the tasks of the file, and those that only the state has. It writes nothing,
// except that it imports the state of an older runner.
func (p *program) showStatus(ctx context.Context) error {
	known, order := map[string]listed{}, []string{}
	_, err := os.Stat(p.statePath())
	_, old := os.Stat(state.LegacyPath(p.statePath()))
	if err == nil || old == nil {
		if p.store, err = state.Open(ctx, p.statePath(), state.Options{Table: p.table,
			ReadOnly: err == nil}); err != nil {
			return broken("state %s: %w", p.statePath(), err)
		}
		if order, err = p.list(ctx, known); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return broken("state: %w", err)
	}
	rows := []listed{}
	for _, t := range p.tasks {
		r := known[t.ID]
		delete(known, t.ID)
		r.ID, r.Title, r.Status = t.ID, t.Title, cmp.Or(r.Status, "pending")
		if t.Done && r.Status != "running" && r.Status != "interrupted" {
			r.Status, r.Question = "completed", ""
		}
		rows = append(rows, r)
	}
	for _, id := range order {
		if r, ok := known[id]; ok {
			rows = append(rows, r)
		}
	}
	if p.json {
		return p.printJSON(rows)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tSTATUS\tATTEMPTS\tLAST\tCODE\tSPENT\tERROR")
	for _, r := range rows {
		at, code := "-", cmp.Or(r.Code, "-")
		if r.At != nil {
			at = r.At.Local().Format(time.DateTime)
		}
		if r.Written != "" {
			code += " (" + r.Written + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", shown(r.ID), shown(r.Status), r.Attempts, at, shown(code),
			spent(r.Spent), cmp.Or(shown(r.Error), "-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Question != "" {
			fmt.Fprintf(p.out, "question of %s: %s\n", shown(r.ID), shown(r.Question))
		}
	}
	return nil
}

// list reads the tasks of the state, and returns their order.
func (p *program) list(ctx context.Context, known map[string]listed) (order []string, err error) {
	runs, err := p.interrupted(ctx)
	if err != nil {
		return nil, err
	}
	all, err := p.store.Statuses(ctx)
	if err != nil {
		return nil, broken("%w", err)
	}
	for _, st := range all {
		r := listed{ID: st.ID, Status: string(st.Status), Attempts: st.Attempts, Code: st.Last.Code,
			Error:    st.Last.Error,
			Question: st.Question, Spent: st.Spent}
		if st.Last.Outcome == state.Question {
			r.Error = ""
		}
		if st.Last.CodeAsWritten != st.Last.Code {
			r.Written = st.Last.CodeAsWritten
		}
		if st.Last.ID != 0 {
			r.At = &st.Last.At
		}
		for _, run := range runs {
			if run.Task == st.ID && run.Holder == nil {
				r.Status = "interrupted"
			}
		}
		known[st.ID] = r
		order = append(order, st.ID)
	}
	return order, nil
}

// spent returns costs for people: "3 calls, $0.12, 1 of unknown cost".
func spent(s executor.Spending) string {
	if s.Calls == 0 {
		return "-"
	}
	text := fmt.Sprintf("%d calls", s.Calls)
	if s.Calls == 1 {
		text = "1 call"
	}
	if tokens := s.Usage.InputTokens.Or(0) + s.Usage.OutputTokens.Or(0); tokens > 0 {
		text += fmt.Sprintf(", %d tokens", tokens)
	}
	if usd, ok := s.Usage.CostUSD.Get(); ok {
		text += fmt.Sprintf(", $%.2f", usd)
	}
	if s.UnknownCost > 0 {
		text += fmt.Sprintf(", %d of unknown cost", s.UnknownCost)
	}
	return text
}

// resetTask lets a task begin anew, and ends the processes that an interrupted run of it left.
func (p *program) resetTask(ctx context.Context) error {
	if err := p.open(ctx); err != nil {
		return err
	}
	t, err := p.store.Task(ctx, p.reset)
	if err != nil {
		return broken("%w", err)
	}
	if p.find(p.reset) == nil && t.Status == state.TaskPending && t.Attempts == 0 && t.Generation == 1 {
		return misuse("-reset %s is a task neither of the file nor of the state", p.reset)
	}
	runs, err := p.interrupted(ctx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		st, err := p.store.RunStore().Peek(ctx, r.Run)
		if r.Task != p.reset || err != nil || st == nil {
			continue
		}
		for _, left := range st.Processes {
			if err := proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, p.settings.Agent.Grace); err != nil {
				p.hint("warning: end process %d of run %s: %v", left.PID, r.Run, err)
			}
		}
	}
	if err := p.store.Reset(ctx, p.reset); err != nil {
		return broken("%w", err)
	}
	fmt.Fprintln(p.out, "specrunner: task", shown(p.reset), "begins anew with the next start")
	return nil
}
