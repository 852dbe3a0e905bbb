package state

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
)

// What tasks and runs have cost. A sum is made in two halves, because SQLite refuses one that is
// too large.
const (
	spentBy = `SELECT coalesce(sum(input_tokens >> 32), 0), coalesce(sum(input_tokens & 4294967295), 0),
		coalesce(sum(output_tokens >> 32), 0), coalesce(sum(output_tokens & 4294967295), 0),
		coalesce(sum(cost_microusd >> 32), 0), coalesce(sum(cost_microusd & 4294967295), 0),
		coalesce(sum(unknown_tokens), 0), coalesce(sum(unknown_cost), 0) FROM `
	spentByAll  = spentBy + "tasks"
	spentByTask = spentBy + "tasks WHERE task_id = ?"
	spentByRun  = spentBy + "runs WHERE run = ?"
	ofTheTask   = " AND task_id = ?"
	callsOf     = "SELECT coalesce((SELECT calls FROM runs WHERE run = ?), 0)"
	openCalls   = `SELECT c.run, r.task_id, r.ended_at IS NULL, count(*) FROM calls c JOIN runs r ON r.run = c.run ` +
		`WHERE c.ended_at IS NULL AND c.run <> ? GROUP BY c.run`
)

// openRun are calls of a run whose end is not written down.
type openRun struct {
	run, task string
	going     bool // whether the run has not ended
	calls     int64
}

// books are what a bill is compared with.
type books struct {
	limits        []limit
	ofTask, ofAll spent // by others than the run
	calls         int64 // of the run, that are written down
}

// books returns the limits that hold for a bill, and the rest as far as a limit asks for it.
func (s *Store) books(ctx context.Context, bill *executor.Bill) (k books, err error) {
	var left []openRun
	err = s.view(ctx, "read what was spent", func(v *view) (err error) {
		if k.limits, err = v.limits(bill.Task); err != nil {
			return err
		}
		for _, l := range k.limits {
			switch {
			case l.scope == ScopeAll:
				k.ofAll, err = v.spent(bill.Run, nil)
			case l.scope != ScopeAttempt:
				k.ofTask, err = v.spent(bill.Run, &bill.Task)
			}
			if err != nil {
				return err
			}
		}
		if len(k.limits) == 0 {
			return nil
		}
		if left, err = v.openRuns(bill.Run); err != nil {
			return err
		}
		return v.row(callsOf, []any{bill.Run}, &k.calls)
	})
	for _, o := range left {
		under := s.underWay(o)
		k.ofAll = k.ofAll.plus(under)
		if o.task == bill.Task {
			k.ofTask = k.ofTask.plus(under)
		}
	}
	return k, err
}

// underWay returns what the open calls of a run are: the last one of a run that somebody has is
// under way, and of all others nobody will ever know.
func (s *Store) underWay(o openRun) spent {
	if o.going && s.holder(o.run) != nil {
		return spent{underWay: 1, unknownTokens: o.calls - 1, unknownCost: o.calls - 1}
	}
	return spent{unknownTokens: o.calls, unknownCost: o.calls}
}

// spent returns what others than the run have spent on the task, or on all of them.
func (v *view) spent(run string, task *string) (spent, error) {
	query, args := spentByAll, []any(nil)
	own, ofOwn := spentByRun, []any{run}
	if task != nil {
		query, args = spentByTask, []any{*task}
		own, ofOwn = own+ofTheTask, append(ofOwn, *task)
	}
	all, err := v.sum(query, args)
	if err != nil {
		return spent{}, err
	}
	ofRun, err := v.sum(own, ofOwn)
	return all.minus(ofRun), err
}

func (v *view) sum(query string, args []any) (s spent, err error) {
	var in, out, cost struct{ high, low int64 }
	err = v.row(query, args, &in.high, &in.low, &out.high, &out.low, &cost.high, &cost.low, &s.unknownTokens,
		&s.unknownCost)
	s.tokens = added(joined(in.high, in.low), joined(out.high, out.low))
	s.cost = joined(cost.high, cost.low)
	return s, err
}

// joined returns the sum of which the halves are known; at most [most].
func joined(high, low int64) int64 {
	if high > most>>32 {
		return most
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
