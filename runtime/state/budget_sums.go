package state

import (
	"context"
	"math"

	"github.com/errgen/errgen/runtime/executor"
)

// What others have spent: the run is left out, which is named, and the task, unless it is NULL, is the only one that counts. A sum
// is made in two halves, because SQLite refuses one that is too large.
const (
	sums = `SELECT coalesce(sum(input_tokens >> 32), 0), coalesce(sum(input_tokens & 4294967295), 0),
		coalesce(sum(output_tokens >> 32), 0), coalesce(sum(output_tokens & 4294967295), 0),
		coalesce(sum(cost_microusd >> 32), 0), coalesce(sum(cost_microusd & 4294967295), 0), `
	spentByRuns = sums + `coalesce(sum(unknown_tokens), 0), coalesce(sum(unknown_cost), 0) FROM runs WHERE run <> ?`
	spentByHand = sums + `coalesce(sum(input_tokens IS NULL OR output_tokens IS NULL), 0), coalesce(sum(cost_microusd IS NULL), 0)
		FROM attempts WHERE run IS NULL`
	openCalls = `SELECT c.run, r.task_id, r.ended_at IS NULL, count(*) FROM calls c JOIN runs r ON r.run = c.run ` +
		`WHERE c.ended_at IS NULL AND c.run <> ? GROUP BY c.run`
)

// openRun are calls of a run whose end is not written down.
type openRun struct {
	run, task string
	going     bool // whether the run has not ended
	calls     int64
}

// spent returns the limits that hold for a bill, and what others have spent on its task and on all of them, as far as a limit
// asks for it.
func (s *Store) spent(ctx context.Context, bill *executor.Bill) (limits []limit, ofTask, ofAll spent, err error) {
	var left []openRun
	err = s.view(ctx, "read what was spent", func(v *view) (err error) {
		if limits, err = v.limits(bill.Task); err != nil {
			return err
		}
		for _, l := range limits {
			switch {
			case l.scope == ScopeAll:
				ofAll, err = v.spent(bill.Run, nil)
			case l.scope != ScopeAttempt:
				ofTask, err = v.spent(bill.Run, &bill.Task)
			}
			if err != nil {
				return err
			}
		}
		if len(limits) > 0 {
			left, err = v.openRuns(bill.Run)
		}
		return err
	})
	for _, o := range left {
		under := s.underWay(o)
		ofAll = ofAll.plus(under)
		if o.task == bill.Task {
			ofTask = ofTask.plus(under)
		}
	}
	return limits, ofTask, ofAll, err
}

// underWay returns what the open calls of a run are: the last one of a run that somebody has is under way, and of all others
// nobody will ever know.
func (s *Store) underWay(o openRun) spent {
	if o.going && s.holder(o.run) != nil {
		return spent{underWay: 1, unknownTokens: o.calls - 1, unknownCost: o.calls - 1}
	}
	return spent{unknownTokens: o.calls, unknownCost: o.calls}
}

// spent returns what others than the run have spent on the task, or on all of them.
func (v *view) spent(run string, task *string) (spent, error) {
	byRuns, byHand := spentByRuns, spentByHand
	ofRuns, ofHand := []any{run}, []any(nil)
	if task != nil {
		byRuns, byHand = byRuns+" AND task_id = ?", byHand+" AND task_id = ?"
		ofRuns, ofHand = append(ofRuns, *task), append(ofHand, *task)
	}
	a, err := v.sum(byRuns, ofRuns)
	if err != nil {
		return spent{}, err
	}
	b, err := v.sum(byHand, ofHand)
	return a.plus(b), err
}

func (v *view) sum(query string, args []any) (s spent, err error) {
	var in, out, cost struct{ high, low int64 }
	err = v.row(query, args, &in.high, &in.low, &out.high, &out.low, &cost.high, &cost.low, &s.unknownTokens, &s.unknownCost)
	s.tokens = added(joined(in.high, in.low), joined(out.high, out.low))
	s.cost = joined(cost.high, cost.low)
	return s, err
}

// joined returns the sum of which the halves are known, or the greatest number.
func joined(high, low int64) int64 {
	if high > math.MaxInt64>>32 {
		return math.MaxInt64
	}
	return added(max(0, high)<<32, max(0, low))
}

// openRuns returns the calls of others than the run whose end is not written down.
func (v *view) openRuns(run string) (all []openRun, err error) {
	err = v.query(openCalls, []any{run}, func(r row) error {
		var o openRun
		err := r.Scan(&o.run, &o.task, &o.going, &o.calls)
		all = append(all, o)
		return err
	})
	return all, err
}
