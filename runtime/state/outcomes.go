package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// Outcomes tells f what became of each call of all runs that ended at since or later, in the order
// in which they ended and as of one moment, so that whoever learns from calls can learn from those
// of before. The zero time is all of them. What the entries of a call do not say is empty; a call
// that was cancelled, or that nobody saw the end of, is left out.
//
// That f returns an error ends it, and is what it returns. It holds one outcome at a time.
func (s *Store) Outcomes(ctx context.Context, since time.Time, f func(retry.Outcome) error) error {
	var stopped error
	err := s.view(ctx, "read what became of calls", func(v *view) error {
		// The bodies are read one by one, so that they need not be sorted.
		return v.query("SELECT run, seq, at FROM entries WHERE point = ? AND at >= ? ORDER BY at, run, seq",
			[]any{string(executor.PointAnswered), stamp(since)}, func(r row) error {
				o, ok, err := v.outcome(r)
				if err != nil || !ok {
					return err
				}
				if stopped = f(o); stopped != nil {
					return errEnough
				}
				return nil
			})
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// outcome returns what became of the call whose end is named by a row; ok is false when that is
// nothing to learn from.
func (v *view) outcome(r row) (o retry.Outcome, ok bool, err error) {
	var run, at string
	var seq int
	if err := r.Scan(&run, &seq, &at); err != nil {
		return o, false, err
	}
	ended, err := parseStamp(at)
	if err != nil {
		return o, false, err
	}
	var body []byte
	if err := v.row("SELECT body FROM entries WHERE run = ? AND seq = ?", []any{run, seq}, &body); err != nil {
		return o, false, err
	}
	e, err := entryOf(run, seq, body)
	if err != nil || e.Answered == nil || e.Answered.Cancelled {
		return o, false, err
	}
	started, err := v.startOf(run, seq, e)
	if err != nil || started == nil {
		return o, false, err
	}
	return started.Outcome(e.Answered, ended), true, nil
}

// startOf returns the beginning of a call whose end is an entry of a run, or nil.
func (v *view) startOf(run string, seq int, end *executor.Entry) (started *executor.Started, err error) {
	err = v.query(
		`SELECT seq, iteration, CASE point WHEN 'started' THEN body END FROM entries WHERE run = ? AND seq < ? `+
			`ORDER BY seq DESC`,
		[]any{run, seq}, func(r row) error {
			var n, iteration int
			var body []byte
			if err := r.Scan(&n, &iteration, &body); err != nil {
				return err
			}
			if iteration != end.Iteration {
				return errEnough
			}
			if body == nil {
				return nil
			}
			e, err := entryOf(run, n, body)
			if err == nil && e.Started != nil && e.Started.Call == end.Answered.Call {
				started, err = e.Started, errEnough
			}
			return err
		})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return started, err
}

func entryOf(run string, seq int, body []byte) (*executor.Entry, error) {
	var e executor.Entry
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, &damage{run: run, entry: seq, err: fmt.Errorf("read it: %w", err)}
	}
	return &e, nil
}
