package escalate_test

import (
	"runtime"
	"strings"
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
		// back are the commands that move it back.
		back func(branch, before string) string
	}{
		{"a commit", func(w *world) { w.git("commit", "-q", "--allow-empty", "-m", "theirs") },
			func(branch, before string) string {
				return "(git update-ref --no-deref refs/heads/" + branch + " " + before + ")"
			}},
		{"another branch", func(w *world) { w.git("checkout", "-q", "-b", "other") },
			func(branch, _ string) string {
				return "(git symbolic-ref HEAD refs/heads/" + branch + " && git update-ref -d refs/heads/other)"
			}},
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
			assert.Contains(t, res.Error, tt.back(branch, before))
			assert.Contains(t, res.Error, "they are in refs/errgen/run/checked")
			assert.Equal(t, theirs, w.git("rev-parse", "HEAD"))
			assert.Equal(t, kept, string(w.journal.kept["run"]))

			for _, command := range strings.Split(strings.Trim(tt.back(branch, before), "()"), " && ") {
				w.git(strings.Fields(command)[1:]...)
			}
			res = w.run(steps("1"))
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		})
	}
}
