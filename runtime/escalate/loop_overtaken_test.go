package escalate_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// Commits that were made since a run died stay, and so does what is known of the run.
func TestRunThatWasOvertaken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(w *world)
	}{
		{"a commit", func(w *world) { w.git("commit", "-q", "--allow-empty", "-m", "theirs") }},
		{"another branch", func(w *world) { w.git("checkout", "-q", "-b", "other") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script, w.tiers["low"].repeat = []turn{does("report.md", "found")}, true
			w.journal.onSave = func(k int) {
				if k == 4 {
					runtime.Goexit()
				}
			}
			require.True(t, w.dies(steps("1")))
			w.journal.onSave = nil
			branch := w.git("rev-parse", "--abbrev-ref", "HEAD")
			before, kept := w.git("rev-parse", "HEAD"), string(w.journal.kept["run"])
			tt.do(w)
			theirs := w.git("rev-parse", "HEAD")

			res := w.run(steps("1"))
			require.Equal(t, escalate.EndRefused, res.EndReason, res.Error)
			assert.Contains(t, res.Error, "has moved since the run died")
			assert.Equal(t, theirs, w.git("rev-parse", "HEAD"))
			assert.Equal(t, kept, string(w.journal.kept["run"]))

			w.git("checkout", "-q", branch)
			w.git("update-ref", "refs/heads/"+branch, before)
			if tt.name == "another branch" {
				w.git("branch", "-q", "-D", "other")
			}
			res = w.run(steps("1"))
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		})
	}
}
