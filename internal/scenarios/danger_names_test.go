//go:build unix

package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// hostileNames are names that a file system takes and a program may stumble over.
var hostileNames = []string{
	"-n", "--help", "-rf", "--output=x", "new\nline", "tab\there", "quote\"d", "it's", "back\\slash",
	"bad\xff\xfebytes", "$(touch sentinel)",
	"`touch sentinel`", "; touch sentinel", "* ?[a]", ":(exclude)x", ":(top)", "é ü", " leading", "trailing ", "#x",
	"!y", "a -> b", "\x1b[31mred",
}

// write has a shell write hostile names, since a script of JSON cannot hold all of them.
func writeHostile(s *stage, dir string) providertest.CLIStep {
	s.t.Helper()
	from := s.t.TempDir()
	for _, name := range hostileNames {
		require.NoError(s.t, os.WriteFile(filepath.Join(from, name), []byte("of "+name+"\n"), 0o644))
	}
	return providertest.CLIAnswer(theEnd).Command("mkdir", "-p", dir).Command("cp", "-R", from+"/.", dir)
}

// TestHostileNamesAreCommitted commits files of any name, byte for byte, and nothing that a name
// says is run.
func TestHostileNamesAreCommitted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	require.NoError(t, s.cli.Add(writeHostile(s, "docs")))
	s.checks.PreCommit = []validate.Command{{Args: []string{"true"}}}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	var want []string
	for _, name := range hostileNames {
		want = append(want, "docs/"+name)
		assert.Equal(t, "of "+name+"\n", s.git("cat-file", "blob", "HEAD:docs/"+name)+"\n")
	}
	slices.Sort(want)
	assert.Equal(t, want, r.CommittedFiles)
	assert.Equal(t, want, s.committed())
	assert.False(t, s.exists("sentinel"))
	assert.Equal(t, "", s.git("status", "--porcelain", "--", "docs"))
}

// TestHostileNamesArePutBack does the same for files that are forbidden: guarded by giving git
// paths on standard input, ended by NUL, and by restoring within the root.
func TestHostileNamesArePutBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	require.NoError(t, s.cli.Add(writeHostile(s, "src"), providertest.CLIAnswer(theEnd)))
	s.scope.Forbidden = []string{"src/**"}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	entries, err := os.ReadDir(s.path("src"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "one\n", s.read("src/main.txt"))
	assert.Len(t, r.Errors[0].Files, len(hostileNames))
	saved := strings.Split(s.inStore(r, "ls-tree", "-z", "--name-only", r.SavedRefs[0], "src/"), "\x00")
	for _, name := range hostileNames {
		assert.Contains(t, saved, "src/"+name)
	}
	for _, message := range s.hook.messages() {
		assert.NotContains(t, message, "\x1b")
	}
	for _, prompt := range s.prompts() {
		assert.NotContains(t, prompt, "\x1b")
	}
}

// TestLinksOutOfTheTree: links that leave the tree are forbidden, and their targets are not
// changed, also not by a revert.
func TestLinksOutOfTheTree(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim.txt")
	require.NoError(t, os.WriteFile(victim, []byte("precious\n"), 0o644))
	s := newStage(t,
		providertest.CLIAnswer(theEnd).
			Write("docs/a.txt", "a\n").
			Command("ln", "-s", outside, "docs/out").
			Command("ln", "-s", "../../"+filepath.Base(outside), "docs/up").
			Command("ln", "-s", "/etc/passwd", "docs/passwd").
			Command("ln", "-s", "../src/main.txt", "docs/inside"),
		providertest.CLIAnswer(theEnd).Command("rm", "-rf", "src").Command("ln", "-s", outside, "src").
			Write("src/main.txt", "through the link\n"),
		providertest.CLIAnswer(theEnd))
	s.scope.Allowed = []string{"docs/**"}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.EqualValues(t, []string{"docs/out", "docs/passwd", "docs/up"}, r.Errors[0].Files)
	assert.Equal(t, "SCOPE_FORBIDDEN", r.Errors[0].Code, "although the scope allows docs/**")
	assert.Equal(t, []string{"docs/a.txt", "docs/inside"}, r.CommittedFiles)
	for _, link := range []string{"docs/out", "docs/up", "docs/passwd"} {
		assert.False(t, s.exists(link))
	}
	b, err := os.ReadFile(victim)
	require.NoError(t, err)
	assert.Equal(t, "precious\n", string(b))
}

// TestDirectoryBecomesALink: a revert replaces the link and does not follow it.
func TestDirectoryBecomesALink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "main.txt"), []byte("precious\n"), 0o644))
	s := newStage(t, providertest.CLIAnswer(theEnd).Command("rm", "-rf", "src").Command("ln", "-s", outside, "src"),
		providertest.CLIAnswer(theEnd))
	s.scope.Forbidden = []string{"src/**"}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	info, err := os.Lstat(s.path("src"))
	require.NoError(t, err)
	assert.True(t, info.IsDir())
	assert.Equal(t, "one\n", s.read("src/main.txt"))
	b, err := os.ReadFile(filepath.Join(outside, "main.txt"))
	require.NoError(t, err)
	assert.Equal(t, "precious\n", string(b))
}

// TestWritesOutOfTheTree cannot be prevented for a process, but nothing of them gets into a commit.
func TestWritesOutOfTheTree(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	require.NoError(
		t, s.cli.Add(providertest.CLIAnswer(theEnd).Write("../"+filepath.Base(t.TempDir())+"-x/x.txt", "x\n").
			Write("docs/../docs/a.txt", "a\n")))
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Join(s.dir, "..")) })
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
}

// TestResumeWithHostileNames names the same files after the process has died: guarded by keeping
// every byte of a path.
func TestResumeWithHostileNames(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	write := writeHostile(s, "docs").With("result", "more to do")
	require.NoError(t, s.cli.Add(write, providertest.CLIHang(), providertest.CLIAnswer(theEnd)))
	o := s.order("run-1")
	valid := filepath.Join(t.TempDir(), "valid")
	o.Check = "test -f " + valid
	cmd := o.start(t)
	await(t, "the second call", func() bool { return s.calls() == 2 && o.tracks() })
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.NoError(t, os.WriteFile(valid, nil, 0o600))
	r := o.run(t)
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	for _, name := range hostileNames {
		assert.Contains(t, r.CommittedFiles, "docs/"+name)
		assert.Equal(t, "of "+name+"\n", s.git("cat-file", "blob", "HEAD:docs/"+name)+"\n")
	}
	s.usersWorkIsThere()
}
