package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// smallDisk mounts a file system of a size, for tests that run as root.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("cannot mount a small file system:", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// noSpace is what programs say when a disk is full.
const noSpace = "(?i)no space left on device|out of diskspace"

// fill fills the disk that a file is on.
const fill = "mkdir -p docs; head -c 8M /dev/zero > docs/big.bin 2>/dev/null; true"

// stageOnDisk makes a stage whose repository and clones are on a small disk.
func stageOnDisk(t *testing.T, size string) *stage {
	t.Helper()
	disk := smallDisk(t, size)
	repository := filepath.Join(disk, "repository")
	require.NoError(t, os.Mkdir(repository, 0o700))
	s := stageIn(t, repository)
	s.home = filepath.Join(disk, "clones")
	s.tree.Home = s.home
	return s
}

// TestFullDisk: the result reports the full disk, and a change that was not saved is not reverted.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("what is allowed cannot be kept", func(t *testing.T) {
		t.Parallel()
		s := stageOnDisk(t, "3m")
		s.useScript(providertest.CLIAnswer(theEnd).Write("docs/a.txt", "a\n").Command("sh", "-c", fill).Always())
		r := s.run()
		endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "git", "GIT_STATUS_FAILED"})
		assert.Regexp(t, noSpace, r.Error)
		assert.Equal(t, "a\n", s.read("docs/a.txt"))
		require.NotEmpty(t, r.Warnings, "the changes are unknown")
		assert.Regexp(t, noSpace, strings.Join(r.Warnings, "\n"))
	})
	t.Run("what is forbidden cannot be saved", func(t *testing.T) {
		t.Parallel()
		s := stageOnDisk(t, "3m")
		s.scope.Forbidden = []string{"src/**"}
		s.useScript(providertest.CLIAnswer(theEnd).Write("src/main.txt", strings.Repeat("two\n", 9000)).
			Command("sh", "-c", fill).Always())
		r := s.run()
		endedAs(t, r, end{executor.StatusBlocked, executor.EndMaxFailures, "git", "GIT_STATUS_FAILED"})
		assert.Regexp(t, noSpace, r.Error)
		assert.Equal(t, strings.Repeat("two\n", 9000), s.read("src/main.txt"), "neither saved nor put back")
	})
	t.Run("before it begins", func(t *testing.T) {
		t.Parallel()
		s := stageOnDisk(t, "3m")
		s.useScript(providertest.CLIAnswer(theEnd))
		require.NoError(t, shell(s.dir, "head -c 8M /dev/zero > .git/big.bin 2>/dev/null; true").Run())
		r := s.executor().Run(t.Context(), s.task)
		require.NoError(t, os.Remove(s.path(".git/big.bin"))) // git's status needs some room
		s.usersWorkIsThere()
		assert.Equal(t, executor.StatusBlocked, r.Status, shown(r))
		assert.Regexp(t, noSpace, r.Error)
		assert.Zero(t, s.calls())
	})
	t.Run("the journal", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, providertest.CLIAnswer(strings.Repeat("well ", 3000)+theEnd).Write("docs/a.txt", "a\n"))
		disk := smallDisk(t, "64k")
		s.cfg.Store = filestore.New(filepath.Join(disk, "journal"))
		once := false
		s.seen.then = func(e executor.Event) {
			if e.Kind == executor.CallStarted && !once {
				once = true
				require.NoError(t, shell(disk, "head -c 8M /dev/zero > big.bin 2>/dev/null; true").Run())
			}
		}
		r := s.run()
		assert.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
		assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
		require.NotEmpty(t, r.Warnings, "it changes nothing but what is said")
		assert.Regexp(t, noSpace, strings.Join(r.Warnings, "\n"))
	})
}

// TestProviderKilled is a crash that names the signal.
func TestProviderKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLICrash("KILL").Write("docs/half.txt", "half\n"), providertest.CLIAnswer(theEnd))
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.Equal(t, "provider claude-cli crashed on SIGKILL", r.Errors[0].Message)
	assert.Equal(t, []string{"docs/half.txt"}, r.CommittedFiles, "what it had done was judged, and is kept")
}

// TestGitKilled kills one git command after the other. The result reports it, and no file of the
// user is lost.
func TestGitKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the same story many times")
	}
	t.Parallel()
	ends := map[string]int{}
	for n := 1; n <= 24; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n"),
				providertest.CLIAnswer(theEnd).Always())
			s.scope.Forbidden = []string{"src/**"}
			counted := filepath.Join(t.TempDir(), "n")
			s.tree.Binary = wrappedGit(
				t, fmt.Sprintf(`echo x >> %[1]s; test $(wc -l < %[1]s) -ne %[2]d || kill -KILL $$`, counted, n))
			ws, ok := s.tryOpen()
			if !ok {
				return // it was not even opened, and nothing was begun
			}
			s.cfg.Workspace = ws
			r := s.run()
			b, err := os.ReadFile(counted)
			require.NoError(t, err)
			if len(b)/2 < n {
				t.Skip("the story has no more git commands")
			}
			ends[string(r.EndReason)]++
			if r.EndReason == executor.EndCompleted {
				assert.Equal(t, "one\n", s.read("src/main.txt"))
				assert.Equal(t, []string{"docs/a.txt"}, append(r.CommittedFiles, r.UncommittedFiles...))
			} else {
				assert.Contains(t, shown(r), "SIGKILL")
				assert.NotEmpty(t, r.ErrorCode)
			}
			if s.exists("docs/a.txt") {
				assert.Equal(t, "a\n", s.read("docs/a.txt"))
			}
			for _, subject := range s.commits() {
				assert.Equal(t, "Write a chapter", subject)
			}
			assert.LessOrEqual(t, len(s.commits()), 1)
		})
	}
	t.Log(ends)
}
