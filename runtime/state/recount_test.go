package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Most is where sums stop.
const Most = most

// Recounts find the runs and the tasks whose sums are not what a recount of calls, and of paid
// attempts without a run, comes to.
var Recounts = []string{
	"SELECT run FROM runs r WHERE " + kept + " <> (" + recount + `FROM (
		SELECT input_tokens, output_tokens, cost_microusd, ended_at FROM calls c WHERE c.run = r.run))`,
	"SELECT task_id FROM tasks t WHERE " + kept + " <> (" + recount + `FROM (
		SELECT input_tokens, output_tokens, cost_microusd, ended_at FROM calls WHERE run IN (SELECT run FROM runs WHERE task_id = t.task_id)
		UNION ALL
		SELECT input_tokens, output_tokens, cost_microusd, timestamp FROM attempts a WHERE a.run IS NULL AND a.task_id = t.task_id
			AND coalesce(a.provider, a.input_tokens, a.output_tokens, a.cost_microusd) IS NOT NULL))`,
}

const (
	kept    = "(calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost)"
	recount = `SELECT count(*), 
		min(coalesce(sum(input_tokens), 0), 90000000000000), min(coalesce(sum(output_tokens), 0), 90000000000000),
		min(coalesce(sum(cost_microusd), 0), 90000000000000),
		count(*) FILTER (WHERE ended_at IS NOT NULL AND (input_tokens IS NULL OR output_tokens IS NULL)),
		count(*) FILTER (WHERE ended_at IS NOT NULL AND cost_microusd IS NULL) `
)

// recounted asserts that the sums are what a recount comes to.
func recounted(t testing.TB, s *Store) {
	t.Helper()
	for _, query := range Recounts {
		err := s.query(t.Context(), "recount", query, nil, func(r row) error {
			var name string
			err := r.Scan(&name)
			assert.Fail(t, "sums that a recount does not come to", name)
			return err
		})
		require.NoError(t, err)
	}
}
