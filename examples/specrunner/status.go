package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
)

// row is a task in the list of all.
type row struct {
	ID       string            `json:"id"`
	Title    string            `json:"title,omitempty"`
	Status   string            `json:"status"`
	Attempts int               `json:"attempts"` // since the task was begun or reset
	At       *time.Time        `json:"lastAttempt,omitempty"`
	Code     string            `json:"code,omitempty"` // of the last attempt, if it failed
	Written  string            `json:"codeAsWritten,omitempty"`
	Error    string            `json:"error,omitempty"`
	Question string            `json:"question,omitempty"` // that a person is asked, if the task is blocked by one
	Spent    executor.Spending `json:"spent"`
}

// interruptedStatus is how a task stands whose run began and did not end, and that nobody works on.
const interruptedStatus = "interrupted"

// showStatus prints how the tasks stand: those of the file in its order, then those that only the
// state knows. It changes nothing, unless the state is of the older form, which it converts.
func (p *cli) showStatus() int {
	s, err := p.prepare()
	if err != nil {
		return p.fail(err)
	}
	defer s.close()
	ctx := context.Background()
	if err := s.look(ctx); err != nil {
		return p.fail(err)
	}
	rows, err := s.rows(ctx)
	if err != nil {
		return p.fail(err)
	}
	if p.json {
		err = writeJSON(p.out, rows)
	} else {
		err = writeRows(p.out, rows)
	}
	if err != nil {
		return p.fail(broke("print the status: %w", err))
	}
	return exitDone
}

// look opens the state to read it. If there is none, none is made.
func (s *setup) look(ctx context.Context) error {
	path := s.statePath()
	_, err := os.Stat(path)
	o := state.Options{Table: s.table, ReadOnly: err == nil}
	if errors.Is(err, fs.ErrNotExist) {
		old := state.LegacyPath(path)
		if _, err := os.Stat(old); old == "" || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if s.store, err = state.Open(ctx, path, o); err != nil {
		return broke("state %s: %w", path, err)
	}
	return nil
}

func (s *setup) rows(ctx context.Context) ([]row, error) {
	known, order, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]row, 0, len(s.tasks))
	listed := make(map[string]bool, len(s.tasks))
	for _, t := range s.tasks {
		r, ok := known[t.ID]
		if !ok {
			r = row{ID: t.ID, Status: string(state.TaskPending)}
		}
		r.Title = t.Title
		if t.Done && r.Status != interruptedStatus && r.Status != string(state.TaskRunning) {
			r.Status, r.Question = string(state.TaskCompleted), ""
		}
		listed[t.ID] = true
		rows = append(rows, r)
	}
	for _, id := range order {
		if !listed[id] {
			rows = append(rows, known[id])
		}
	}
	return rows, nil
}

// known returns the tasks that the state knows, and in which order.
func (s *setup) known(ctx context.Context) (map[string]row, []string, error) {
	known := map[string]row{}
	if s.store == nil {
		return known, nil, nil
	}
	lost, err := s.lost(ctx)
	if err != nil {
		return nil, nil, err
	}
	var order []string
	for st, err := range s.store.Statuses(ctx) {
		if err != nil {
			return nil, nil, broke("%w", err)
		}
		r := row{
			ID: st.ID, Status: string(st.Status), Attempts: st.Attempts, Code: st.LastCode,
			Error: firstLine(st.LastError), Spent: st.Spent,
		}
		if st.LastCodeAsWritten != st.LastCode {
			r.Written = st.LastCodeAsWritten
		}
		if !st.LastAt.IsZero() {
			at := st.LastAt
			r.At = &at
		}
		if lost[st.ID] {
			r.Status = interruptedStatus
		}
		if r.Question, err = s.question(ctx, st); err != nil {
			return nil, nil, err
		}
		known[st.ID] = r
		order = append(order, st.ID)
	}
	return known, order, nil
}

// question returns what a person is asked about a task that is blocked.
func (s *setup) question(ctx context.Context, st state.Status) (string, error) {
	if st.Status != state.TaskBlocked {
		return "", nil
	}
	before, err := s.store.RetryContext(ctx, st.ID, 0)
	if err != nil {
		return "", broke("%w", err)
	}
	if before == nil {
		return "", nil
	}
	return firstLine(before.Question), nil
}

// lost returns the tasks whose run was interrupted.
func (s *setup) lost(ctx context.Context) (map[string]bool, error) {
	runs, err := s.interrupted(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(runs))
	for _, r := range runs {
		out[r.Task] = out[r.Task] || r.Holder == nil
	}
	return out, nil
}

func writeRows(w io.Writer, rows []row) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "there are no tasks")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TASK\tSTATUS\tATTEMPTS\tLAST\tCODE\tSPENT\tERROR")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n",
			shown(r.ID), shown(r.Status), r.Attempts, r.last(), cmp.Or(shown(r.code()), "-"), spent(r.Spent),
			cmp.Or(shown(r.Error), "-"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Question == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "question of %s: %s\n", shown(r.ID), shown(r.Question)); err != nil {
			return err
		}
	}
	return nil
}

func (r row) last() string {
	if r.At == nil {
		return "-"
	}
	return r.At.Local().Format(time.DateTime)
}

// code returns the code, and how it was written if that is another way.
func (r row) code() string {
	if r.Written == "" {
		return r.Code
	}
	return r.Code + " (" + r.Written + ")"
}

// spent returns what calls have cost as people read it: "3 calls, $0.12, 1 of unknown cost".
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

// maxShown bounds an error in a list, in characters.
const maxShown = 100

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if chars := []rune(line); len(chars) > maxShown {
		return string(chars[:maxShown]) + "…"
	} else if more {
		return line + " …"
	}
	return line
}
