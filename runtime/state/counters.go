package state

import "context"

// Counters are what a decision to stop rests on. They are counted when they are asked for.
type Counters struct {
	// ConsecutiveFailures counts the attempts that failed and counted since the last one that succeeded, of all tasks.
	ConsecutiveFailures int
	// Completed and Failed count the tasks of these statuses.
	Completed, Failed int
}

// since are the attempts that failed and counted since the last one that succeeded.
const since = `FROM attempts WHERE counted = 1 AND success = 0
	AND id > coalesce((SELECT max(id) FROM attempts WHERE success = 1), 0)`

// Counters returns the counters, all as of one moment.
func (s *Store) Counters(ctx context.Context) (Counters, error) {
	var c Counters
	err := s.query(ctx, "count failures", `SELECT (SELECT count(*) `+since+`),
		(SELECT count(*) FROM tasks WHERE status = ?), (SELECT count(*) FROM tasks WHERE status = ?)`,
		[]any{string(TaskCompleted), string(TaskFailed)},
		func(r row) error { return r.Scan(&c.ConsecutiveFailures, &c.Completed, &c.Failed) })
	return c, err
}

// ShouldStop reports whether there are at least as many consecutive failures as the limit says. A limit of 0 or less is none.
func (s *Store) ShouldStop(ctx context.Context, limit int) (bool, error) {
	if limit <= 0 {
		return false, nil
	}
	n := 0
	err := s.query(ctx, "count failures", `SELECT count(*) FROM (SELECT 1 `+since+` LIMIT ?)`, []any{limit},
		func(r row) error { return r.Scan(&n) })
	return n >= limit, err
}
