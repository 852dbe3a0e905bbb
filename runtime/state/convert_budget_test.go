package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// What was converted says of no call, and so no limit is concerned by it.
func TestConvertedAttemptsAreOutsideOfBudgets(t *testing.T) {
	_, path := oldFile(t, oldState)
	s := opened(t, path, Options{})
	for _, scope := range []string{ScopeAttempt, ScopeTask, ScopeAll} {
		require.NoError(
			t, s.SetBudget(t.Context(), scope, Limit{Tokens: taxonomy.Some[int64](1), CostUSD: taxonomy.Some(0.01)}))
	}
	for _, task := range []string{"TASK-1", "TASK-2", "TASK-9"} {
		assert.NoError(t, s.Budget(BudgetOptions{}).Allow(t.Context(), executor.Bill{Run: "r", Task: task}), task)
	}
	for st, err := range s.Statuses(t.Context()) {
		require.NoError(t, err)
		assert.Zero(t, st.Spent, st.ID)
	}
	recounted(t, s)
}
