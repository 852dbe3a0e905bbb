package state

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// RunStore returns a store for an executor. It serves one run at a time; several of them can be
// used concurrently. The run's task is running from the first call until the run is over. Then it
// has the run's status, or is pending after a cancelled run.
func (s *Store) RunStore() executor.Store { return &runStore{s: s} }

type runStore struct {
	s    *Store
	held *filelock.Named
}

// Open implements [executor.Store]. A state that cannot be read is evidence of op "resume", type
// "refused".
func (r *runStore) Open(ctx context.Context, run string) (*executor.RunState, error) {
	if r.held != nil {
		return nil, evidence("executor", executor.OpLock, r.s.path, errors.New("the store has another run open"))
	}
	held, err := r.s.lock(ctx, r.s.locks(), run, "run "+run)
	if err != nil {
		return nil, err
	}
	st, err := r.Peek(ctx, run)
	if err != nil {
		return nil, errors.Join(err, held.Release())
	}
	r.held = held
	return st, nil
}

// Peek implements [executor.Store].
func (r *runStore) Peek(ctx context.Context, run string) (*executor.RunState, error) {
	found, err := list(ctx, r.s, "read run "+run, "SELECT state FROM runs WHERE run = ?", []any{run},
		func(row row) (st *executor.RunState, err error) {
			var body []byte
			if err := row.Scan(&body); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(body, &st); err != nil {
				ev := evidence("executor", executor.OpResume, r.s.path, fmt.Errorf("read the state of run %s: %w",
					run, err))
				ev.Type = "refused"
				return nil, ev
			}
			return st, nil
		})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Close implements [executor.Store].
func (r *runStore) Close() error {
	c := Claim{r.s, r.held}
	r.held = nil
	return c.Release()
}

// Runs implements [executor.Store].
func (r *runStore) Runs(ctx context.Context) ([]executor.RunInfo, error) {
	all, err := r.s.Runs(ctx, "")
	infos := make([]executor.RunInfo, len(all))
	for i := range all {
		infos[i] = all[i].RunInfo
	}
	return infos, err
}

// Save implements [executor.Store]. It writes the state and the rows that follow from it in one
// transaction.
func (r *runStore) Save(ctx context.Context, st *executor.RunState) error {
	body, err := json.Marshal(st)
	if err == nil {
		body, err = maskJSON(body)
	}
	if err == nil {
		err = checkTask(st.Task.ID)
	}
	if err != nil {
		return r.s.failed("state_write", "save run "+st.Task.Run, err)
	}
	return r.s.write(ctx, "save run "+st.Task.Run, func(t *tx) error {
		p := projection{tx: t, st: st, run: st.Task.Run, at: stamp(st.Now)}
		return p.save(string(body))
	})
}

// maskJSON masks the secrets in the texts of a state. Names, trees and marks stay, because they do
// not look like secrets.
func maskJSON(b []byte) ([]byte, error) {
	if s := string(b); !bytes.ContainsRune(b, '\\') && taxonomy.Redact(s) == s {
		return b, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(maskValue(v))
}

func maskValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = maskValue(member)
		}
	case []any:
		for i, member := range v {
			v[i] = maskValue(member)
		}
	case string:
		return taxonomy.Redact(v)
	}
	return v
}

// Run describes a run.
type Run struct {
	executor.RunInfo
	// Generation is that of the task when the run began.
	Generation int
	// Began and Ended are its times; Ended is zero if the run can be resumed.
	Began, Ended time.Time
	Spent        executor.Spending
	// Holder is the process that runs it. It is nil if no process does, for example after a kill.
	Holder *Holder
}

// Runs returns the runs of a task, the latest first. If task is empty, it returns all runs.
func (s *Store) Runs(ctx context.Context, task string) ([]Run, error) {
	return s.runs(ctx, "(?1 = '' OR task_id = ?1)", task)
}

// Unfinished returns the runs that are not over, the latest first. An executor resumes such a run
// by its name.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	return s.runs(ctx, "ended_at IS NULL AND ?1 = ''", "")
}

func (s *Store) runs(ctx context.Context, where, task string) ([]Run, error) {
	return list(ctx, s, "list the runs", `SELECT run, task_id, generation,
		coalesce(json_extract(state, '$.task.title'), ''), coalesce(dir, ''), phase, coalesce(end_reason, ''),
		iteration, coalesce(question, ''), coalesce(json_extract(state, '$.uncommitted'), '[]'), begun_at, updated_at,
		ended_at, calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost
		FROM runs WHERE `+where+` ORDER BY begun_at DESC, run`, []any{task}, func(r row) (run Run, err error) {
		var uncommitted string
		var began, updated, ended sql.Null[string]
		var paid sums
		if err := r.Scan(append([]any{&run.Run, &run.Task, &run.Generation, &run.Title, &run.Dir, &run.Step, &run.End,
			&run.Iteration, &run.Question, &uncommitted, &began, &updated, &ended}, paid.columns()...)...); err != nil {
			return run, err
		}
		run.Spent = paid.spending()
		if !ended.Valid {
			run.Holder = s.holder(run.Run)
		}
		return run, errors.Join(json.Unmarshal([]byte(uncommitted), &run.Uncommitted),
			times(map[*time.Time]sql.Null[string]{&run.Began: began, &run.Updated: updated, &run.Ended: ended}))
	})
}

// Outcomes calls f with the outcome of each call that ended at since or later, in the order of
// their ends, for learners such as retry.Adaptive. It returns the first error of f unchanged.
func (s *Store) Outcomes(ctx context.Context, since time.Time, f func(retry.Outcome) error) error {
	var stopped error
	err := s.view(ctx, "read the outcomes of calls", func(v *tx) error {
		return v.query(`SELECT started_at, ended_at, coalesce(provider, ''), coalesce(lane, ''), coalesce(code, ''),
			coalesce(retry_of, ''), coalesce(policy, ''), coalesce(attempt, 1), coalesce(wait_seconds, 0)
			FROM calls WHERE ended_at >= ? ORDER BY ended_at, run, iteration, call`, []any{stamp(since)},
			func(r row) error {
				var o retry.Outcome
				var began time.Time
				var from, to sql.Null[string]
				var wait float64
				if err := r.Scan(&from, &to, &o.Provider, &o.Lane, &o.Code, &o.After, &o.Policy, &o.Attempt,
					&wait); err != nil {
					return err
				}
				if err := times(map[*time.Time]sql.Null[string]{&began: from, &o.At: to}); err != nil {
					return err
				}
				o.Took, o.Wait = o.At.Sub(began), duration(wait)
				stopped = f(o)
				return stopped
			})
	})
	if stopped != nil {
		return stopped
	}
	return err
}
