package escalate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Of very much that is found only the first is classified, and how much more there was is said.
func TestVeryManyFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20_000 {
		w.gateFails = append(w.gateFails, &taxonomy.Evidence{Source: "check", Op: "gate", Text: "halt: no"})
	}
	rows, classified := rowsOfTests(), 0
	rows["check gate"] = rows["halt"]
	w.tables = tablesOf(rows, tiersOfTests()...)
	w.cfg.Calls.Table, w.cfg.Calls.Decode = taxonomy.Table{Taxonomy: w.tables.taxonomy}, w.tables.decode
	//lint:ignore ST1008 it is a Classifier
	w.cfg.Calls.Classify = func(err error, source, op string) (error, string) {
		classified++
		return w.tables.classify(err, source, op)
	}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndBlocked, res.EndReason, res.Error)
	assert.Less(t, classified, 1100)
	assert.Contains(t, res.Question.Evidence, "19000 more findings")
}
