package escalate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

type panicking struct{}

func (panicking) Observe(escalate.Event) { panic("no") }

func TestObserverThatPanics(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	w.cfg.Observer = panicking{}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	assert.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
}

// The path of a long run keeps its beginning and its end.
func TestPathIsBounded(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, tablesOf(rowsOfTests(), tiersOfTests()...))
	w.cfg.Journal = nil
	w.tiers["low"].repeat = true
	w.tiers["low"].script = []turn{does("report.md", "found")}
	var ids []string
	for i := range 200 {
		ids = append(ids, fmt.Sprint("s", i))
	}
	p := steps(ids...)
	for i := range p.Steps {
		p.Steps[i].Criteria = p.Steps[0].Criteria
	}
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Len(t, res.Path, 1000)
	assert.Greater(t, len(w.events), 1000)
	assert.Equal(t, escalate.RunStarted, res.Path[0].Kind)
	assert.Equal(t, escalate.RunEnded, res.Path[999].Kind)
}

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].script = []turn{saysFailed("halt: password=hunter2secret", "half.md", "half")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndBlocked, res.EndReason)
	assert.NotContains(t, string(w.journal.kept["run"]), "hunter2secret")
	assert.NotContains(t, res.Error, "hunter2secret")
	assert.NotContains(t, res.Question.Text(), "hunter2secret")
	for _, e := range w.events {
		assert.NotContains(t, e.Text+e.Message, "hunter2secret")
	}
}
