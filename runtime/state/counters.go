package state

import "context"

// Counters are what a decision to stop rests on. They are counted when they are asked for.
type Counters struct {
	// ConsecutiveFailures counts the attempts that failed and counted since the last one that
	// succeeded, of all tasks. Failures before a task's last [Store.Reset] are not among them.
	ConsecutiveFailures int
	// Completed and Failed count the tasks of these statuses.
	Completed, Failed int
}

const (
	sinceSuccess = "id > coalesce((SELECT max(id) FROM attempts WHERE success = 1), 0)"
	// failures are those in a row, a task after the other.
	failures = `FROM tasks t CROSS JOIN attempts a ON a.task_id = t.task_id AND a.generation = t.generation
		WHERE a.counted = 1 AND a.success = 0 AND a.` + sinceSuccess
	// newest are the last ones of whatever generation, and how many of them are of the present
	// ones.
	newest = `SELECT count(*), count(*) FILTER (WHERE generation = (SELECT generation FROM tasks t
		WHERE t.task_id = a.task_id)) FROM (
		SELECT task_id, generation FROM attempts WHERE counted = 1 AND success = 0 AND ` + sinceSuccess + `
		ORDER BY id DESC LIMIT ?) a`
)

// Counters returns the counters, all as of one moment.
func (s *Store) Counters(ctx context.Context) (Counters, error) {
	var c Counters
	err := s.query(ctx, "count failures", `SELECT (SELECT count(*) `+failures+`),
		(SELECT count(*) FROM tasks WHERE status = ?), (SELECT count(*) FROM tasks WHERE status = ?)`,
		[]any{string(TaskCompleted), string(TaskFailed)},
		func(r row) error { return r.Scan(&c.ConsecutiveFailures, &c.Completed, &c.Failed) })
	return c, err
}

// ShouldStop reports whether there are at least as many consecutive failures as the limit says. A
// limit of 0 or less is none.
//
// It reads as many attempts as the limit, and goes through the tasks only if some of those are of
// earlier generations.
func (s *Store) ShouldStop(ctx context.Context, limit int) (stop bool, err error) {
	if limit <= 0 {
		return false, nil
	}
	err = s.view(ctx, "count failures", func(v *view) error {
		var all, present int
		if err := v.row(newest, []any{limit}, &all, &present); err != nil {
			return err
		}
		if stop = present >= limit; stop || all < limit {
			return nil
		}
		err := v.row("SELECT count(*) FROM (SELECT 1 "+failures+" LIMIT ?)", []any{limit}, &present)
		stop = present >= limit
		return err
	})
	return stop && err == nil, err
}
