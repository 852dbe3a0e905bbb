package state

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStatuses reads how all tasks stand after 100 000 attempts whose output is as long as it
// can be in one of ten.
func BenchmarkStatuses(b *testing.B) {
	for _, tasks := range []int{1, 1000} {
		for _, runs := range []bool{false, true} {
			b.Run(fmt.Sprintf("tasks=%d/runs=%t", tasks, runs), func(b *testing.B) {
				s, err := Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), Options{})
				require.NoError(b, err)
				b.Cleanup(func() { require.NoError(b, s.Close()) })
				fill(b, s, 100_000, tasks, runs)
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					for st, err := range s.Statuses(b.Context()) {
						require.NoError(b, err)
						n += st.Attempts
					}
					require.Equal(b, 100_000, n)
				}
			})
		}
	}
}

// fill writes attempts at so many tasks, one after the other; each of them has a run, if there are
// runs.
func fill(tb testing.TB, s *Store, attempts, tasks int, runs bool) {
	tb.Helper()
	output := strings.Repeat("an answer ", maxOutput/10)
	require.NoError(tb, s.write(tb.Context(), "fill", func(t *tx) error {
		for i := range tasks {
			if _, err := t.exec("INSERT INTO tasks (task_id, status) VALUES (?, 'running')",
				fmt.Sprintf("TASK-%06d", i)); err != nil {
				return err
			}
		}
		for i := range attempts {
			task, long := fmt.Sprintf("TASK-%06d", i%tasks), ""
			if i%10 == 0 {
				long = output
			}
			var run any
			if runs {
				run = fmt.Sprintf("run-%d", i)
				if _, err := t.exec(`INSERT INTO runs (run, task_id, generation, begun_at, ended_at, taxonomy, calls)
					VALUES (?, ?, 1, '', '', '', 1)`, run, task); err != nil {
					return err
				}
			}
			_, err := t.exec(`INSERT INTO attempts (task_id, timestamp, success, duration_seconds, error, error_code, claude_output, run, counted)
				VALUES (?, ?, 0, 1.5, 'no', 'TASK_FAILED', ?, ?, 1)`, task, stamp(s.clock.Now()), long, run)
			if err != nil {
				return err
			}
		}
		_, err := t.exec("UPDATE tasks SET calls = ?, unknown_tokens = ?1, unknown_cost = ?1", attempts/tasks)
		return err
	}))
}
