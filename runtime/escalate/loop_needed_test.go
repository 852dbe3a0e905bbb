package escalate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Every question says what is needed. What a tier itself fails with is told apart from what was
// wrong with the step.
func TestWhatIsNeededIsAlwaysSaid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		world          func(w *world)
		end            escalate.EndReason
		needed         string
		evidence, code string
		not            string
	}{
		{"a tier of its own", func(w *world) {
			w.tiers["low"].script = []turn{saysFailed("missing: disk on fire")}
			w.tiers["mid"].script = []turn{complexly("no idea", "")}
			w.tiers["top"].script = []turn{fails("down")}
		}, escalate.EndQuestion,
			"See to it that tier top can be called, and answer to have the step tried again. It failed itself: down",
			"disk on fire", "down", "carry it out"},
		{"a tier of its own, and nothing of the step", func(w *world) {
			w.tiers["low"].script, w.tiers["mid"].script, w.tiers["top"].script = []turn{fails("down")},
				[]turn{fails("down")}, []turn{fails("down")}
		}, escalate.EndQuestion, "See to it that tier top can be called", "down", "down", "carry it out"},
		{"the ladder", func(w *world) {
			delete(w.cfg.Calls.Tiers, "mid")
			delete(w.cfg.Calls.Tiers, "top")
			w.tiers["low"].script = []turn{saysFailed("slow: I do not know")}
		}, escalate.EndQuestion,
			"carry it out and answer that it is done. This is what was wrong last: slow: slow: I do not know",
			"slow: I do not know", "slow", "called"},
		{"a reaction that stops", func(w *world) {
			w.tiers["low"].script = []turn{saysFailed("halt: no")}
		}, escalate.EndBlocked, "This is what was wrong last: halt: halt: no", "halt: no", "halt", "called"},
		{"turns", func(w *world) {
			w.cfg.Guards.Turns = 1
			w.tiers["low"].script = []turn{saysFailed("flaky: again")}
		}, escalate.EndGuard, "Allow the step more (turns or time", "flaky: again", "flaky", "carry it out"},
		{"nobody is left", func(w *world) {
			w.cfg.Guards.TierFailures = 1
			w.tiers["low"].script = []turn{saysFailed("missing: a")}
			w.tiers["mid"].script = []turn{fails("down")}
			w.tiers["top"].script = []turn{complexly("b", ""), saysFailed("nothing")}[:1]
		}, escalate.EndQuestion, "which have failed themselves too often: mid. Or do without them.", "missing: a",
			"missing", "top can be called"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.world(w)
			res := w.run(oneStep())
			require.Equal(t, tt.end, res.EndReason, res.Error)
			require.NotNil(t, res.Question)
			require.Len(t, res.Question.Needed, 1)
			assert.Contains(t, res.Question.Needed[0], tt.needed)
			assert.NotContains(t, res.Question.Needed[0], tt.not)
			assert.Contains(t, res.Question.Evidence, tt.evidence)
			assert.Equal(t, tt.code, res.ErrorCode)
			assert.Contains(t, res.Question.Text(), "\nNeeded:\n")
		})
	}
}

// What a tier has said to be needed stands beside who could not be called.
func TestWhatATierSaidToBeNeededStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("missing: a")}
	w.tiers["mid"].script = []turn{complexly("two ways", "which headings are meant")}
	w.tiers["top"].script = []turn{fails("down")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndQuestion, res.EndReason, res.Error)
	require.Len(t, res.Question.Needed, 2)
	assert.Contains(t, res.Question.Needed[0], "tier top can be called")
	assert.Equal(t, "which headings are meant", res.Question.Needed[1])
	require.Len(t, res.Question.Tried, 3)
	assert.Contains(t, res.Question.Tried[2].Why, "it failed itself")
}

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
