package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// RunStore returns a store for an executor. It serves one run at a time; several of them can be
// used concurrently. The run's task is running from the first call until the run is over. Then it
// has the run's status. After a cancelled run or a dry run it is pending.
func (s *Store) RunStore() executor.Store { return &runStore{s: s} }

type runStore struct {
	s    *Store
	lock *filelock.Named // of the open run; nil if none is open
}

// Open implements [executor.Store]. A state that cannot be read is evidence of op "resume", type
// "refused".
func (r *runStore) Open(ctx context.Context, run string) (*executor.RunState, error) {
	if r.lock != nil {
		return nil, fileEvidence("executor", loop.OpLock, r.s.path, errors.New("the store has another run open"))
	}
	lock, err := r.s.lock(ctx, r.s.locks(), run, "run "+run)
	if err != nil {
		return nil, err
	}
	st, err := r.Peek(ctx, run)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	r.lock = lock
	return st, nil
}

// Peek implements [executor.Store].
func (r *runStore) Peek(ctx context.Context, run string) (st *executor.RunState, err error) {
	found, err := list[string](ctx, r.s, "read run "+run, "SELECT json_quote(state) FROM runs WHERE run = ?", run)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := json.Unmarshal([]byte(found[0]), &st); err != nil {
		ev := fileEvidence("executor", loop.OpResume, r.s.path, fmt.Errorf("read the state of run %s: %w", run, err))
		ev.Type = "refused"
		return nil, ev
	}
	return st, nil
}

// Close implements [executor.Store].
func (r *runStore) Close() error {
	c := Claim{r.s, r.lock}
	r.lock = nil
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

// Save implements [executor.Store]. It writes the state, in which the executor has masked secrets,
// and the rows that follow from it in one transaction.
func (r *runStore) Save(ctx context.Context, st *executor.RunState) error {
	body, err := json.Marshal(st)
	if err == nil {
		err = checkTask(st.Task.ID)
	}
	if err != nil {
		return r.s.failed("state_write", "save run "+st.Task.Run, err)
	}
	return r.s.write(ctx, "save run "+st.Task.Run, func(t *tx) error {
		p := projection{tx: t, st: st, run: st.Task.Run}
		return p.save(string(body))
	})
}

// Run describes a run.
type Run struct {
	executor.RunInfo
	// Generation is that of the task when the run began.
	Generation int `json:"generation"`
	// Began and Ended are its times; Ended is zero if the run can be resumed.
	Began time.Time         `json:"began"`
	Ended time.Time         `json:"ended,omitzero"`
	Spent executor.Spending `json:"spent"`
	// Holder is the process that has the run. It is nil if no process has it, for example after a
	// kill.
	Holder *Holder `json:"holder,omitempty"`
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
	all, err := list[Run](ctx, s, "list the runs", `SELECT json_object('run', run, 'task', task_id,
			'title', state ->> '$.task.title', 'dir', dir, 'step', phase, 'end', end_reason, 'iteration', iteration,
			'updated', updated_at, 'question', question, 'uncommitted', state -> '$.uncommitted',
			'generation', generation, 'began', begun_at, 'ended', ended_at, 'spent', json(spent))
		FROM runs WHERE `+where+` ORDER BY begun_at DESC, run`, task)
	for i := range all {
		if all[i].Ended.IsZero() {
			all[i].Holder = s.holder(all[i].Run)
		}
	}
	return all, err
}

// call is the row of a call. Lane, Code, Usage and Ended are set after the call.
type call struct {
	Provider string            `json:"provider,omitzero"`
	Tier     taxonomy.Opt[int] `json:"tier,omitzero"`
	Started  time.Time         `json:"started_at,omitzero"`
	Ended    time.Time         `json:"ended_at,omitzero"`
	Lane     string            `json:"lane,omitzero"`
	Code     string            `json:"code,omitzero"`
	Usage    executor.Usage    `json:"usage,omitzero"`
	RetryOf  string            `json:"retry_of,omitzero"`
	Policy   string            `json:"policy,omitzero"`
	Attempt  int               `json:"attempt,omitzero"`
	Wait     time.Duration     `json:"wait,omitzero"`
}

// Outcomes calls f with the outcome of each call that ended at since or later, in the order of
// their ends, for learners such as retry.Adaptive. It returns the first error of f unchanged.
func (s *Store) Outcomes(ctx context.Context, since time.Time, f func(retry.Outcome) error) error {
	// JSON has times with different numbers of digits, so within a second the texts do not sort
	// like the times.
	all, err := list[call](ctx, s, "read the outcomes of calls", `SELECT record FROM calls WHERE ended_at >= ?
		ORDER BY run, iteration, call`, since.UTC().Format("2006-01-02T15:04:05"))
	slices.SortStableFunc(all, func(a, b call) int { return a.Ended.Compare(b.Ended) })
	for _, c := range all {
		if c.Ended.Before(since) {
			continue
		}
		if err := f(retry.Outcome{At: c.Ended, Took: c.Ended.Sub(c.Started), Provider: c.Provider, Lane: c.Lane,
			Code: c.Code, After: c.RetryOf, Policy: c.Policy, Attempt: max(1, c.Attempt), Wait: c.Wait}); err != nil {
			return err
		}
	}
	return err
}
