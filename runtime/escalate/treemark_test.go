package escalate_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// A run is told of another one that has died in its working tree, as long as nobody has gone on
// with that.
func TestRunThatDiedInTheTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	opened := func() {
		var err error
		w.cfg.Journal, err = escalate.NewFileJournal(dir)
		require.NoError(t, err)
		w.open()
	}
	opened()
	w.tiers["low"].script = []turn{func(_ context.Context, s *scripted, _ string) (string, error) {
		s.writing([]string{"half.md", "half"})
		runtime.Goexit()
		return "", nil
	}}
	require.True(t, w.dies(oneStep()))
	w.tiers["low"].script, w.tiers["low"].prompts = []turn{does("report.md", "found")}, nil
	opened()
	first := w.runner().Run(t.Context(), "other", oneStep())
	require.Equal(t, escalate.EndCompleted, first.EndReason, first.Error)
	require.Len(t, first.Warnings, 1)
	assert.Contains(t, first.Warnings[0], "run run has died in this working tree")
	assert.True(t, w.exists("half.md"))

	opened()
	w.tiers["low"].script = append(w.tiers["low"].script, does("report.md", "found"), does("report.md", "found"))
	require.Equal(t, escalate.EndCompleted, w.run(oneStep()).EndReason)
	third := w.runner().Run(t.Context(), "third", oneStep())
	require.Equal(t, escalate.EndCompleted, third.EndReason, third.Error)
	assert.Empty(t, third.Warnings)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		assert.NotContains(t, e.Name(), ".tree-", "nothing is under way any more")
	}
}

// A mark that cannot be read, or that names no run, says nothing; one that cannot be written is a
// warning.
func TestMarksOfTrees(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	var err error
	w.cfg.Journal, err = escalate.NewFileJournal(dir)
	require.NoError(t, err)
	mark := ""
	w.tiers["low"].script = []turn{func(context.Context, *scripted, string) (string, error) {
		entries, err := os.ReadDir(dir)
		assert.NoError(t, err)
		for _, e := range entries {
			if e.Name()[0] == '.' {
				mark = dir + "/" + e.Name()
			}
		}
		return "", errors.New("fatal: stop")
	}}
	w.run(oneStep())
	require.NotEmpty(t, mark)
	require.NoError(t, os.WriteFile(mark, []byte("../x"), 0o600))
	w.tiers["low"].script, w.tiers["low"].prompts = []turn{does("report.md", "found"), does("report.md", "found")}, nil
	res := w.runner().Run(t.Context(), "second", oneStep())
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Empty(t, res.Warnings)
	require.NoError(t, os.MkdirAll(mark+"/full", 0o700))
	res = w.runner().Run(t.Context(), "third", oneStep())
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Len(t, res.Warnings, 2)
}
