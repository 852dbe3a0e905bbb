package state

import (
	"database/sql"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// stretch is what became of a task since its last clean attempt. Its newest failure that is the
// agent's is what the next attempt has to know; what came after it says nothing about the work.
type stretch struct {
	latest  mark   // its ID is 0 when there are no attempts
	failure int64  // the attempt that failed by the agent's fault; 0 is none
	asked   string // the run that ended with a question, if that came later
	asking  int64  // its last attempt
}

// mark is an attempt without its texts.
type mark struct {
	Attempt
	interrupted bool // its process died
	asks        bool // its run ended with a question
}

// stopped reports that it ended without anything being wrong with the work.
func (m *mark) stopped() bool { return m.interrupted || m.cancelled() }

// cancelled reports that the attempt was stopped by a person.
func (a *Attempt) cancelled() bool { return a.Action == actionCancelled }

const selectMarks = `
	SELECT a.id, a.success, a.counted, a.run, a.iteration, a.error_code, a.understood_code, a.category, a.reaction,
	a.action,
		EXISTS (SELECT 1 FROM errors e WHERE e.attempt_id = a.id AND e.source = 'executor' AND e.op = 'resume'),
		coalesce((SELECT r.end_reason = ?2 FROM runs r WHERE r.run = a.run), 0)
	FROM attempts a WHERE a.task_id = ?1 AND a.generation = (SELECT generation FROM tasks WHERE task_id = ?1)
	ORDER BY a.id DESC`

// stretchOf looks at the attempts, the newest first, until it comes upon one that was clean or
// failed by the agent's fault.
func (s *Store) stretchOf(v *view, task string) (st stretch, err error) {
	run := "" // the last that was seen
	err = v.query(selectMarks, []any{task, string(executor.EndBlockedSignal)}, func(r row) error {
		m, err := s.mark(r)
		if err != nil {
			return err
		}
		if st.latest.ID == 0 {
			st.latest = m
		}
		asks := m.asks && m.Run != run // of its attempts the last one
		if m.Run != "" {
			run = m.Run
		}
		if asks && st.asked == "" {
			st.asked, st.asking = m.Run, m.ID
		}
		if m.Success {
			return errEnough
		}
		if m.Counted.Or(false) || !asks && !m.stopped() && s.feedsBack(&m.Attempt) {
			st.failure = m.ID
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return st, err
}

// mark reads a row of selectMarks.
func (s *Store) mark(r row) (m mark, err error) {
	var (
		run, code, understood, category, reaction, action sql.Null[string]
		iteration                                         sql.Null[int64]
		counted                                           bool
	)
	err = r.Scan(&m.ID, &m.Success, &counted, &run, &iteration, &code, &understood, &category, &reaction, &action,
		&m.interrupted, &m.asks)
	m.Run, m.Iteration, m.CodeAsWritten, m.Category, m.Reaction, m.Action = run.V, int(iteration.V), code.V, category.V,
		reaction.V, action.V
	m.Counted, m.Code = taxonomy.Some(counted), s.codeOf(&m.Attempt, understood.V)
	return m, err
}

// codeOf returns the code of an attempt as it is understood: none of a success, and none of one
// that was cancelled and has none.
func (s *Store) codeOf(a *Attempt, stored string) string {
	if a.Success || a.cancelled() && a.CodeAsWritten == "" {
		return ""
	}
	return s.understood(a.CodeAsWritten, stored)
}

// questionOf returns what a person was asked by the run; empty when it asked nothing.
func questionOf(v *view, run string) (string, error) {
	if run == "" {
		return "", nil
	}
	var question sql.Null[string]
	err := v.row(
		`SELECT json_extract(body, '$.ended.question') FROM entries WHERE run = ? AND point = ? ORDER BY seq DESC `+
			`LIMIT 1`,
		[]any{run, string(executor.PointEnded)}, &question)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return textMask.Beginning(question.V, maxError), err
}
