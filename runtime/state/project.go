package state

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// progress is what the entries say of the iteration that is under way.
type progress struct {
	iteration int
	began     time.Time // zero when nothing was called
	text      string    // of the last answer
	cancelled bool      // whether the last call was
}

func (p *progress) add(e *executor.Entry) {
	if e.Iteration != p.iteration {
		*p = progress{iteration: e.Iteration}
	}
	if e.Started != nil || e.Answered != nil {
		p.cancelled = e.Answered != nil && e.Answered.Cancelled
	}
	switch {
	case e.Started != nil && p.began.IsZero():
		p.began = e.At
	case e.Answered != nil && e.Answered.Text != "":
		p.text = e.Answered.Text
	}
}

// projection writes an entry, and into the other tables what follows from it.
type projection struct {
	*tx
	run   string
	entry *executor.Entry
	at    string
	seen  *progress
}

// write writes the entry as the seq-th of its run. What is there already is left as it is, with all
// that follows from it.
func (p *projection) write(seq int, body []byte) error {
	e := p.entry
	if e.Begun != nil {
		if err := p.begun(e.Begun); err != nil {
			return err
		}
	}
	fresh, err := p.insert(seq, body)
	if err != nil || !fresh {
		return err
	}
	switch {
	case e.Started != nil:
		return p.started(e.Started)
	case e.Answered != nil:
		return p.answered(e.Answered)
	case e.Closed != nil:
		return p.closed(e.Closed)
	case e.Ended != nil:
		return p.ended(e.Ended)
	}
	return nil
}

// insert writes the row of the entry. It reports whether there was none: there is one if the
// transaction before this one was said to have failed, and had not.
func (p *projection) insert(seq int, body []byte) (fresh bool, err error) {
	e := p.entry
	n, err := p.changed(
		"INSERT INTO entries (run, seq, at, iteration, point, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		p.run, seq, p.at, e.Iteration, string(e.Point), string(body))
	if err != nil || n > 0 {
		return n > 0, err
	}
	var was []byte
	if err := p.one(&was, "SELECT body FROM entries WHERE run = ? AND seq = ?", p.run, seq); err != nil {
		return false, err
	}
	if !same(was, e) {
		return false, fmt.Errorf("entry %d is there already, and is another one", seq)
	}
	return false, nil
}

// begun makes the task, unless it is known, and the run, whose attempts belong to the generation
// that the task is in now.
func (p *projection) begun(b *executor.Begun) error {
	if err := checkTask(b.Task); err != nil {
		return err
	}
	if b.Run != p.run {
		return fmt.Errorf("the entry is one of run %q", textMask.Beginning(b.Run, 256))
	}
	if _, err := p.exec("INSERT INTO tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING", b.Task); err != nil {
		return err
	}
	n, err := p.changed(`INSERT INTO runs (run, task_id, generation, begun_at, dir, taxonomy)
		SELECT ?, task_id, generation, ?, ?, ? FROM tasks WHERE task_id = ? ON CONFLICT DO NOTHING`,
		p.run, p.at, column(b.Dir), b.Taxonomy, b.Task)
	if err != nil || n > 0 {
		return err
	}
	var first string
	if err := p.one(&first, "SELECT task_id FROM runs WHERE run = ?", p.run); err != nil {
		return err
	}
	if first != b.Task {
		return fmt.Errorf("the run was begun with task %q, and not with %q", textMask.Beginning(first, 256),
			textMask.Beginning(b.Task, 256))
	}
	return nil
}

// ofTask is true of the task of a run, as long as it is in the generation that the run belongs to:
// what goes on of an earlier one says nothing about how the task stands.
const ofTask = "(task_id, generation) = (SELECT task_id, generation FROM runs WHERE run = ?)"

// started has a call begin, and the task be running.
func (p *projection) started(s *executor.Started) error {
	if err := p.callBegins(s); err != nil {
		return err
	}
	_, err := p.exec(`UPDATE tasks SET started_at = iif(status = 'running', coalesce(started_at, ?1), ?1),
		status = 'running', completed_at = NULL
		WHERE (task_id, generation) = (SELECT task_id, generation FROM runs WHERE run = ?2)`, p.at, p.run)
	return err
}

// ended has the run be over, and the task be what that says. A run that was cancelled says nothing
// about its task.
func (p *projection) ended(r *executor.Result) error {
	if err := p.callsLost(); err != nil {
		return err
	}
	status := r.Status
	if status == "" {
		status = r.EndReason.Status()
	}
	if _, err := p.exec("UPDATE runs SET ended_at = ?, status = ?, end_reason = ? WHERE run = ?",
		p.at, string(status), column(string(r.EndReason)), p.run); err != nil {
		return err
	}
	task, completed := string(status), sql.Null[string]{V: p.at, Valid: true}
	if status == executor.StatusCancelled {
		task, completed = "pending", sql.Null[string]{}
	}
	_, err := p.exec("UPDATE tasks SET status = ?, completed_at = ? WHERE "+ofTask, task, completed, p.run)
	return err
}

// changed runs a statement and returns how many rows it has changed.
func (p *projection) changed(query string, args ...any) (int64, error) {
	r, err := p.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// one reads the one column of one row.
func (p *projection) one(column any, query string, args ...any) error {
	r, err := p.row(query, args...)
	if err != nil {
		return err
	}
	return r.Scan(column)
}
