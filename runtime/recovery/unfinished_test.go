//go:build unix

package recovery

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

// die has a process mend in the repository whose commands kill it, and returns the command that it
// has left running.
func (r *repo) die(fix, check string) executor.Process {
	r.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), mendIn+"="+r.dir, mendFix+"="+fix, mendCheck+"="+check)
	out, err := cmd.CombinedOutput()
	require.ErrorContains(r.t, err, "killed", string(out))
	j := r.journal()
	require.NotNil(r.t, j)
	require.NotNil(r.t, j.Process, "the command is remembered before it kills")
	return *j.Process
}

func (r *repo) journal() *journal {
	r.t.Helper()
	j, err := readJournal(filepath.Join(r.dir, ".git", "errgen", "mend.json"))
	require.NoError(r.t, err)
	return j
}

// killed is a command that kills who has started it, as soon as that has remembered the command.
const killed = `until grep -q "\"pid\":$$," .git/errgen/mend.json; do :; done; kill -KILL $PPID; trap '' TERM; ` +
	`sleep 1000`

// What a process that was killed has changed is put back by the next mend, if nobody else has
// changed anything since.
func TestKilledWhileItIsChecked(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "uncommitted\n")
	left := r.die("echo broken >a.txt; echo x >new", killed)
	assert.Equal(t, "broken\n", r.read("a.txt"))
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{Grace: 1}),
			LintFix: Fix{Commands: line("cat a.txt >src/b.txt"), Check: line("test ! -e new")}})
	require.NoError(t, w.ApplyLintFix(t.Context(), says("bad")))
	assert.Equal(t, "uncommitted\n", r.read("src/b.txt"), "the mend began with what was there before")
	assert.Empty(t, r.read("new"))
	assert.False(t, proc.Alive(proc.ID{PID: left.PID, Start: left.Start}))
	assert.Contains(
		t, w.last(t).Data[DataWarning], "had changed when it died was put back, and is saved as refs/errgen/recovery-")
	assert.Len(t, r.saved(), 1)
	assert.Nil(t, r.journal())
}

// Where others may have changed something as well a person decides, and is told how.
func TestKilledWhileItChanges(t *testing.T) {
	tests := map[string]struct {
		settle func(r *repo, j *journal)
		a      string
	}{
		"put back": {func(r *repo, j *journal) {
			r.git("restore", "--overlay", "--source=refs/errgen/"+j.Run+"/checked", "--", ":/")
		}, "uncommitted\n"},
		"kept as it is": {func(r *repo, j *journal) { require.NoError(r.t, os.Remove(j.file)) }, "broken\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a.txt", "uncommitted\n")
			left := r.die("echo broken >a.txt; "+killed, "true")
			w := newWorld(
				t, Options{Tools: r.tools(ToolsConfig{Grace: 1}),
					LintFix: Fix{Commands: line("echo x >src/b.txt"), Check: line("true")}})
			for range 2 {
				err := w.ApplyLintFix(t.Context(), says("bad"))
				require.ErrorIs(t, err, ErrUnfinished)
				j := r.journal()
				assert.ErrorContains(t, err, `run "git restore --overlay --source=refs/errgen/`+j.Run+
					`/checked -- :/"; then, or to go on with it as it is, remove `+j.file)
				assert.ErrorContains(t, err, `others may have changed "a.txt" as well`)
				assert.Equal(t, "broken\n", r.read("a.txt"), "nothing is touched")
				assert.Equal(t, "b\n", r.read("src/b.txt"))
			}
			assert.False(t, proc.Alive(proc.ID{PID: left.PID, Start: left.Start}))
			tt.settle(r, r.journal())
			require.NoError(t, w.ApplyLintFix(t.Context(), says("bad")))
			assert.Equal(t, tt.a, r.read("a.txt"))
			assert.Nil(t, r.journal())
		})
	}
}

// Somebody's work after the process died is not put back.
func TestKilledAndGoneOnWith(t *testing.T) {
	r := newRepo(t)
	r.die("echo better >a.txt", killed)
	r.git("commit", "-qam", "I like it")
	w := newWorld(
		t, Options{Tools: r.tools(ToolsConfig{Grace: 1}), LintFix: Fix{Commands: line("true"), Check: line("true")}})
	assert.ErrorIs(t, w.ApplyLintFix(t.Context(), says("bad")), ErrUnfinished)
	assert.Equal(t, "better\n", r.read("a.txt"))
	assert.Empty(t, r.git("status", "--porcelain"))
}

// What is written in the place of the journal harms nobody.
func TestForeignJournal(t *testing.T) {
	r := newRepo(t)
	self, err := proc.Self()
	require.NoError(t, err)
	text, err := json.Marshal(
		journal{Run: "../../x", Checked: "--help", PID: self.PID, Start: self.Start, Looked: true})
	require.NoError(t, err)
	w := newWorld(t, Options{Tools: r.tools(ToolsConfig{}), LintFix: Fix{Commands: line("true"), Check: line("true")}})
	for content, want := range map[string]string{"{": "unexpected end of JSON", string(text): "not a checked tree"} {
		r.write(".git/errgen/mend.json", content)
		assert.ErrorContains(t, w.ApplyLintFix(t.Context(), says("bad")), want)
	}
}
