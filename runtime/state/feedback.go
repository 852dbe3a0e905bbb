package state

import (
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// detailsOf returns the context of the error that the attempt failed with, a JSON object; empty
// when nothing is known of it.
func detailsOf(v *view, a *Attempt) (string, error) {
	var details sql.Null[string]
	err := v.row(`SELECT details FROM errors WHERE attempt_id = ?1 AND overcome = 0
		ORDER BY (code IS ?2 AND message IS ?3) DESC, seq DESC LIMIT 1`,
		[]any{a.ID, column(a.CodeAsWritten), a.Error}, &details)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return details.V, err
}

// pendingOf returns, by iteration, what the run of the attempt has left to be told of the
// iterations before it: no call was answered that it had gone out with.
func pendingOf(v *view, a *Attempt) (map[int]string, error) {
	if a.Run == "" {
		return nil, nil
	}
	var body sql.Null[string]
	err := v.row(`SELECT json_extract(body, '$.closed.feedback') FROM entries WHERE run = ? AND iteration = ?
		AND point = ?
		ORDER BY seq DESC LIMIT 1`, []any{a.Run, a.Iteration, string(executor.PointClosed)}, &body)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !body.Valid {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []executor.Feedback
	if err := json.Unmarshal([]byte(body.V), &all); err != nil {
		return nil, err
	}
	told := make(map[int]string)
	for _, f := range all {
		if f.Iteration < a.Iteration {
			told[f.Iteration] = strings.TrimPrefix(told[f.Iteration]+"\n\n"+f.Text, "\n\n")
		}
	}
	return told, nil
}

// feedsBack reports whether the taxonomy has the failure of an attempt told to the next one. The
// reaction that was taken may be one that follows another: the last of the tries that a policy
// allows, say, ends the task and tells nobody, but when the task is begun again, the one that it
// stood for counts.
func (s *Store) feedsBack(a *Attempt) bool {
	if s.options.Table.Taxonomy == nil {
		return true
	}
	heads := s.reactionsTo(a)
	for _, head := range heads {
		for r := range head.Chain() {
			if r.Name == a.Reaction {
				return head.FeedBack || r.FeedBack
			}
		}
	}
	return heads[0].FeedBack
}

// reactionsTo returns the reactions that the taxonomy has to what an attempt failed with, never
// none: that of its code, then those of the code's branches.
func (s *Store) reactionsTo(a *Attempt) []*taxonomy.Reaction {
	table := s.options.Table
	code := s.describe(a)
	if code == nil || a.CodeAsWritten == "" && a.Category == "" {
		r := table.Reaction(errUncategorized)
		return []*taxonomy.Reaction{&r}
	}
	row, _ := table.Taxonomy.Find(code.Value)
	var all []*taxonomy.Reaction
	for branch := range len(code.When) + 1 {
		all = append(all, table.Row(row.When(uint8(branch))).Reaction)
	}
	return all
}

// contextText returns the texts in an error's context that its message does not have, each with its
// name.
func contextText(details, message string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(details), &fields) != nil {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		said, ok := fields[name].(string)
		if !ok || strings.Contains(message, strings.TrimSpace(said)) {
			continue
		}
		b.WriteString(name + ": " + strings.TrimRight(said, "\n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
