package escalate_test

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor/filejournal"
)

// killed returns a world in which a run died after its first call.
func killed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.tiers["low"].script, w.tiers["low"].repeat = []turn{does("report.md", "found")}, true
	w.journal.onSave = func(k int) {
		if k == 4 {
			runtime.Goexit()
		}
	}
	require.True(t, w.dies(steps("1")))
	w.journal.onSave = nil
	return w
}

func (w *world) sh(line string) {
	w.t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, "%s: %s", line, out)
}

// commandsIn returns the commands that a refusal names.
func commandsIn(t *testing.T, text string) string {
	t.Helper()
	_, commands, ok := strings.Cut(text, "move it back first (")
	require.True(t, ok, text)
	end := strings.LastIndex(commands, ")")
	require.Positive(t, end, text)
	return commands[:end]
}

// Commits that were made since a run died stay, and so does what is known of the run. The commands
// that are named move all of it back when they are given to a shell as they are, and lose no
// commit.
func TestRunThatWasOvertaken(t *testing.T) {
	t.Parallel()
	const commit = "git commit -q --allow-empty -m theirs"
	for _, tt := range []struct {
		name, do string
		says     []string
		times    int // that the run is refused
	}{
		{"a commit", commit,
			[]string{"has moved since the run died", "take the commits off",
				"keeps what is new in refs/errgen/run/kept"}, 1},
		{"another branch", "git checkout -q -b other",
			[]string{"HEAD has moved since the run died", "move back what was moved"}, 1},
		{"the user's branch beside the agent's commit", commit +
			" && git checkout -q -b feature && git commit -q --allow-empty -m mine",
			[]string{"HEAD, refs/heads/feature and refs/heads/", "have moved since the run died"}, 1},
		{"a new branch only", "git branch mine", nil, 0},
		{"a new branch with a commit", "git branch mine $(git commit-tree -m x HEAD^{tree})",
			[]string{"refs/heads/mine has moved"}, 1},
		{"a directory in place of a branch", `b=$(git symbolic-ref --short HEAD) && git branch -m $b $b/sub && ` +
			commit, []string{"have moved"}, 1},
		{"odd names", `git checkout -q -b "a)'b;\$(id)(" && git branch "$(printf 'z\342\200\213')" && ` + commit,
			[]string{"have moved"}, 1},
		{"many", `for n in 1 2 3 4 5 6 7 8 9; do git branch b$n $(git commit-tree -m $n HEAD^{tree}); done`,
			[]string{"and 4 more have", "there are 10 more commands"}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := killed(t)
			where := func() string {
				return w.git("rev-parse", "HEAD") + w.git("symbolic-ref", "HEAD") + w.git("for-each-ref", "refs/heads")
			}
			before, kept := where(), string(w.journal.kept["run"])
			w.sh(tt.do)
			theirs, all := where(), strings.Fields(w.git("rev-list", "--all"))

			for n := range tt.times {
				res := w.run(steps("1"))
				require.Equal(t, escalate.EndRefused, res.EndReason, res.Error)
				assert.Equal(t, kept, string(w.journal.kept["run"]))
				assert.Contains(t, res.Error, "they are in refs/errgen/run/checked")
				if n == 0 {
					assert.Equal(t, theirs, where())
					for _, says := range tt.says {
						assert.Contains(t, res.Error, says)
					}
				}
				w.sh(commandsIn(t, res.Error))
			}
			if tt.times > 0 {
				assert.Equal(t, before, where())
			}
			assert.Subset(t, strings.Fields(w.git("rev-list", "--all")), all)
			res := w.run(steps("1"))
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			if tt.times == 0 {
				took := slices.IndexFunc(
					res.Path, func(e escalate.Event) bool { return slices.Contains(e.Files, ".git/refs/heads/mine") })
				require.NotEqual(t, -1, took, "it is said that it was taken off")
				assert.Equal(t, escalate.PutBack, res.Path[took].Kind)
			}
		})
	}
}

// A branch that somebody has made since a call was cut is not taken for what the call has done.
func TestBranchSinceACallWasCut(t *testing.T) {
	t.Parallel()
	for _, journaled := range []bool{false, true} {
		w := newWorld(t)
		if journaled {
			w.cfg.Calls.Journal = filejournal.New(t.TempDir())
		}
		w.tiers["low"].script = []turn{
			func(_ context.Context, s *scripted, _ string) (string, error) {
				s.writing([]string{"half.md", "half"})
				runtime.Goexit()
				return "", nil
			},
			does("report.md", "found"),
		}
		require.True(t, w.dies(steps("1")))
		w.git("branch", "mine")
		res := w.run(steps("1"))
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		assert.Empty(t, w.git("branch", "--list", "mine"))
		assert.True(t, slices.ContainsFunc(res.Path, func(e escalate.Event) bool {
			return e.Kind == escalate.PutBack && slices.Equal(e.Files, []string{".git/refs/heads/mine"})
		}), "it is said that it was taken off")
	}
}
