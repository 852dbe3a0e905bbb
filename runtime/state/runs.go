package state

import (
	"context"
	"database/sql"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Run is a run that the state knows.
type Run struct {
	Name string
	Task string
	// Generation is the one that the task was in when the run was begun. A task that was reset
	// since is in a later one.
	Generation int
	// Begun and Ended are when it was; Ended is zero for a run that can be gone on with.
	Begun time.Time
	Ended time.Time
	// Status and EndReason are empty for a run that has not ended.
	Status    executor.Status
	EndReason executor.EndReason
	// Dir is the working tree; empty without one.
	Dir string
	// Point and At are those of the last entry.
	Point executor.Point
	At    time.Time
	// Iteration is the one that was begun last; 0 before the first.
	Iteration int
	// Calls counts the calls that were begun, Spent is what they have cost.
	Calls int
	Spent executor.Spending
	// Holder is who has the run; nil when nobody has, as of a run whose process was killed.
	Holder *Holder
}

// Holder is a process that has a run.
type Holder struct {
	// PID is its number on Host; both are unknown, 0 and "", for a moment when it begins.
	PID  int
	Host string
	// Since is when it took the run.
	Since time.Time
}

// maxRuns bounds how many runs are returned at once.
const maxRuns = 10_000

const selectRuns = `SELECT r.run, r.task_id, r.generation, r.begun_at, r.ended_at, coalesce(r.status, ''),
	coalesce(r.end_reason, ''),
	coalesce(r.dir, ''), r.calls, r.input_tokens, r.output_tokens, r.cost_microusd, r.unknown_tokens, r.unknown_cost,
	(SELECT count(*) FROM calls c WHERE c.run = r.run AND c.ended_at IS NULL),
	coalesce(e.point, ''), e.at,
	max(coalesce((SELECT max(iteration) FROM calls WHERE run = r.run), 0), coalesce((SELECT max(iteration) FROM
	attempts WHERE run = r.run), 0))
	FROM runs r LEFT JOIN entries e ON e.run = r.run AND e.seq = (SELECT max(seq) FROM entries WHERE run = r.run) `

// Runs returns the runs of a task, of all its generations, the one that was begun last first; of
// very many the last.
func (s *Store) Runs(ctx context.Context, task string) ([]Run, error) {
	return s.runs(ctx, selectRuns+"WHERE r.task_id = ? ORDER BY r.begun_at DESC, r.run LIMIT ?", task, maxRuns)
}

// Unfinished returns the runs that have not ended, the one that was begun last first; of very many
// the last. One that nobody holds is gone on with by an executor that is given its name and its
// task.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	return s.runs(ctx, selectRuns+"WHERE r.ended_at IS NULL ORDER BY r.begun_at DESC, r.run LIMIT ?", maxRuns)
}

func (s *Store) runs(ctx context.Context, query string, args ...any) ([]Run, error) {
	var runs []Run
	err := s.query(ctx, "list the runs", query, args, func(r row) error {
		run, err := scanRun(r)
		runs = append(runs, run)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range runs {
		if runs[i].Ended.IsZero() {
			runs[i].Holder = s.holder(runs[i].Name)
		}
	}
	return runs, nil
}

func scanRun(r row) (Run, error) {
	var run Run
	var begun string
	var ended, at sql.Null[string]
	var in, out, cost int64
	var unknownTokens, unknownCost, open int
	err := r.Scan(&run.Name, &run.Task, &run.Generation, &begun, &ended, &run.Status, &run.EndReason, &run.Dir,
		&run.Calls,
		&in, &out, &cost, &unknownTokens, &unknownCost, &open, &run.Point, &at, &run.Iteration)
	if err != nil {
		return run, err
	}
	run.Spent = spendingOf(run.Calls, in, out, cost, unknownTokens+open, unknownCost+open)
	if run.Begun, err = parseStamp(begun); err != nil {
		return run, err
	}
	if run.Ended, err = parseOptionalStamp(ended); err != nil {
		return run, err
	}
	run.At, err = parseOptionalStamp(at)
	return run, err
}

// spendingOf returns what calls have cost. The sum of what nothing is known of is not known.
func spendingOf(calls int, in, out, cost int64, unknownTokens, unknownCost int) executor.Spending {
	s := executor.Spending{Calls: calls, UnknownTokens: unknownTokens, UnknownCost: unknownCost}
	known := calls > unknownTokens
	if known || in > 0 {
		s.Usage.InputTokens = taxonomy.Some(in)
	}
	if known || out > 0 {
		s.Usage.OutputTokens = taxonomy.Some(out)
	}
	if calls > unknownCost {
		s.Usage.CostUSD = taxonomy.Some(dollars(cost))
	}
	return s
}

// holder returns who has a run, or nil. Where the lock cannot be tried, because it may only be
// looked at, what was noted beside it is believed.
func (s *Store) holder(run string) *Holder {
	if filelock.CheckName(run) != nil {
		return nil
	}
	h, taken, err := filelock.Taken(s.locks(), run)
	if err != nil {
		h, taken = filelock.Noted(s.locks(), run)
	}
	if !taken {
		return nil
	}
	return &Holder{PID: h.PID, Host: h.Host, Since: h.Since}
}
