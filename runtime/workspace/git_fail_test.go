package workspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// TestGitKilled kills git at every command of every operation, before the command does its work and
// after it has done it. Each is an error, loses nothing, and works when it is tried again, by this
// process or another.
func TestGitKilled(t *testing.T) {
	t.Parallel()
	operations := map[string]func(s *session) error{
		"begin": func(s *session) error {
			checked, err := s.ws.Begin(s.ctx, s.run)
			if err == nil {
				s.checked = checked
			}
			return err
		},
		"detect": func(s *session) error {
			_, err := s.ws.Detect(s.ctx, s.checked)
			return err
		},
		"save": func(s *session) error {
			_, err := s.ws.Save(s.ctx, s.run, 1, s.checked, s.changes)
			return err
		},
		"revert": func(s *session) error { return s.ws.Revert(s.ctx, s.checked, s.changes) },
		"advance": func(s *session) error {
			_, err := s.ws.Advance(s.ctx, s.run, s.checked, s.changes)
			return err
		},
		"commit": func(s *session) error {
			_, err := s.tryCommit("work.txt")
			return err
		},
	}
	for name, operation := range operations {
		for _, when := range []string{"before", "after"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				for n := 1; n < 30; n += shortStep() {
					if killedAt(t, name, when, n, operation) {
						return
					}
				}
				t.Fatal("there is no end of git commands")
			})
		}
	}
}

// killedAt runs an operation with git killed at the nth command, and reports whether there was
// none.
func killedAt(t *testing.T, name, when string, n int, operation func(s *session) error) (none bool) {
	r := newRepo(t)
	r.write("mine.txt", "mine\n")
	r.write("staged.txt", "staged\n")
	r.git("add", "staged.txt")
	arm := filepath.Join(t.TempDir(), "arm")
	kill := fmt.Sprintf(
		"if [ -e %[1]s ] && [ $(( $(wc -c < %[1]s) )) -eq %[2]d ]; then kill -9 $$; fi\n[ -e %[1]s ] && printf x "+
			">> %[1]s", arm, n)
	before, after := kill, ""
	if when == "after" {
		before, after = "", kill
	}
	binary, _ := wrapped(t, before, after)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"work.txt": "w\n"})
	if name != "commit" {
		r.write("a.txt", "agent's\n")
		r.write("agent.txt", "agent's\n")
		r.git("branch", "agents")
	}
	checked := s.checked
	s.changes = s.detect()
	var err error
	s.ws, err = workspace.Open(s.ctx, r.dir, workspace.Options{Binary: binary})
	require.NoError(t, err)
	require.NoError(t, s.ws.Resume(s.ctx, s.run, s.checked))
	require.NoError(t, os.WriteFile(arm, []byte("x"), 0o600))
	err = operation(s)
	require.NoError(t, os.Remove(arm))
	s.checked = checked
	if err == nil {
		return true
	}
	ev := evidenceOf(t, err)
	assert.Equal(t, "git", ev.Source)
	assert.Contains(t, ev.Signal+ev.Text, "SIGKILL", "%s %d: %v", name, n, err)

	s.reopen(workspace.Options{})
	if name == "commit" {
		found, err := s.ws.Committed(s.ctx, executor.Commit{Run: s.run, Attempt: 1})
		require.NoError(t, err)
		id := s.commit("work.txt")
		if found.ID != "" {
			assert.Equal(t, found.ID, id, "it is committed once")
		}
		assert.Equal(t, "2", r.git("rev-list", "--count", "HEAD"))
		assert.Equal(t, "A  staged.txt\n?? mine.txt", r.git("status", "--porcelain"))
	} else {
		require.NoError(t, operation(s), "%s %d", name, n)
		s.checked = checked
		if name == "detect" || name == "save" {
			s.revert(s.detect())
			assert.Equal(t, "a\n", r.read("a.txt"))
		}
	}
	assert.Equal(t, "mine\n", r.read("mine.txt"))
	assert.Equal(t, "staged", r.git("show", ":staged.txt"))
	left, err := os.ReadDir(r.path(".git/errgen/tmp"))
	if err == nil {
		assert.Empty(t, left, "nothing is left behind")
	}
	return false
}

func TestGitCannotBeStarted(t *testing.T) {
	r := newRepo(t)
	_, err := workspace.Open(t.Context(), r.dir, workspace.Options{Binary: filepath.Join(t.TempDir(), "no-git")})
	ev := evidenceOf(t, err)
	assert.Equal(t, "git", ev.Source)
	assert.Equal(t, "not_found", ev.Type)

	binary := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(binary, []byte("\x7fELF garbage"), 0o755))
	_, err = workspace.Open(t.Context(), r.dir, workspace.Options{Binary: binary})
	ev = evidenceOf(t, err)
	assert.Equal(t, "start", ev.Type)
}

func TestGitTakesTooLong(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"work.txt": "w\n"})
	hanging := filepath.Join(t.TempDir(), "hanging")
	binary, _ := wrapped(t, fmt.Sprintf(`case "$*" in *write-tree*) : >%s; sleep 600;; esac`, hanging), "")
	var ev *taxonomy.Evidence
	limit := 500 * time.Millisecond
	for ; ; limit *= 4 { // until the other commands are as fast as that
		require.Less(t, limit, time.Minute)
		ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{Binary: binary, Timeout: limit})
		if err == nil {
			s.ws = ws
			_, err = s.tryCommit("work.txt")
		}
		ev = evidenceOf(t, err)
		assert.Equal(t, "timeout", ev.Type)
		if _, err := os.Stat(hanging); err == nil {
			break
		}
	}
	assert.Equal(t, strconv.FormatInt(limit.Milliseconds(), 10), ev.Attribute("timeout_ms"))
	assert.Equal(t, []string{"work.txt"}, ev.Files)
}

func TestCancelled(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"work.txt": "w\n"})
	r.write("a.txt", "A\n")
	changes := s.detect()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.ctx = ctx
	_, err := s.ws.Detect(ctx, s.checked)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.ws.Revert(ctx, s.checked, changes), context.Canceled)
	_, err = s.tryCommit("work.txt")
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, r.exists(".git/index.lock"))
}

// TestClassified has failures classified by the taxonomy that is shipped.
func TestClassified(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fail func(s *session) error
		want string
	}{
		"detect": {
			fail: func(s *session) error {
				_, err := s.ws.Detect(s.ctx, "0000000000000000000000000000000000000000")
				return err
			},
			want: "GIT_STATUS_FAILED",
		},
		"commit": {
			fail: func(s *session) error {
				s.work(map[string]string{"work.txt": "w\n"})
				s.mkdir(".git/index.lock")
				_, err := s.tryCommit("work.txt")
				return err
			},
			want: "GIT_COMMIT_FAILED",
		},
		"push": {fail: func(s *session) error { return s.ws.Push(s.ctx) }, want: "GIT_PUSH_FAILED"},
		"pull request": {
			fail: func(s *session) error {
				_, err := s.ws.OpenPR(s.ctx, "title", "body")
				return err
			},
			want: "GIT_PUSH_FAILED",
		},
		"revert": {
			fail: func(s *session) error {
				s.write("a.txt", "A\n")
				changes := s.detect()
				s.write("a.txt", "again\n")
				return s.ws.Revert(s.ctx, s.checked, changes)
			},
			want: "GIT_REVERT_FAILED",
		},
		"save": {
			fail: func(s *session) error {
				s.write("a.txt", "A\n")
				changes := s.detect()
				s.write(".git/refs/errgen/run-1/1.lock", "")
				_, err := s.ws.Save(s.ctx, s.run, 1, s.checked, changes)
				return err
			},
			want: "GIT_REVERT_FAILED",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRepo(t).begin(workspace.Options{})
			err := tt.fail(s)
			require.Error(t, err)
			assert.Equal(t, tt.want, taxonomy.CodeOf(errs.Classify(err)), "%v", err)
		})
	}
}

// TestRevertKeepsWhatNobodySaved leaves alone what has changed since it was looked at, and puts
// back the rest.
func TestRevertKeepsWhatNobodySaved(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "A\n")
	r.write("dir/b.txt", "B\n")
	r.write("new.txt", "n\n")
	changes := s.detect()
	r.write("a.txt", "user's\n")
	r.write("new.txt", "user's\n")
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Equal(t, "revert", ev.Op)
	assert.Equal(t, []string{"a.txt", "new.txt"}, ev.Files)
	assert.Equal(t, "user's\n", r.read("a.txt"))
	assert.Equal(t, "user's\n", r.read("new.txt"))
	assert.Equal(t, "b\n", r.read("dir/b.txt"))
	s.revert(s.detect())
}

// TestRevertFollowsNoLink puts a file back below a directory that is a link now, and stays: the
// file it leads to is somebody else's.
func TestRevertFollowsNoLink(t *testing.T) {
	r := newRepo(t)
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "b.txt"), []byte("outside\n"), 0o600))
	r.write("other/b.txt", "other\n")
	for name, target := range map[string]string{"out of the tree": outside, "in the tree": "other"} {
		t.Run(name, func(t *testing.T) {
			s := r.begin(workspace.Options{})
			r.remove("dir")
			r.link(target, "dir")
			changes := s.detect()
			require.Equal(t, "removed dir/b.txt", listed(changes)[1])
			ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes[1:]))
			assert.Equal(t, []string{"dir/b.txt"}, ev.Files)
			b, err := os.ReadFile(filepath.Join(outside, "b.txt"))
			require.NoError(t, err)
			assert.Equal(t, "outside\n", string(b))
			assert.Equal(t, "other\n", r.read("other/b.txt"))
			s.revert(changes)
		})
	}
}

// TestKeepLimit sees changes of watched files of which there was too much to keep, and says that
// they cannot be put back.
func TestKeepLimit(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "vendor/\n")
	r.write("vendor/a.bin", strings.Repeat("a", 1000))
	r.write("vendor/b.bin", strings.Repeat("b", 5000))
	opts := workspace.Options{Watch: named("vendor"), KeepLimit: 3000}
	s := r.begin(opts)
	r.write("vendor/a.bin", "x")
	r.write("vendor/b.bin", "x")
	r.write("vendor/c.bin", "x")
	s.reopen(opts)
	changes := s.detect()
	assert.Equal(
		t, []string{"modified vendor/a.bin ignored", "modified vendor/b.bin ignored", "added vendor/c.bin ignored"},
		listed(changes))
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Equal(t, []string{"vendor/b.bin"}, ev.Files)
	assert.Equal(t, []string{"modified vendor/b.bin ignored"}, listed(s.detect()))
}

func TestTooManyChanges(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{MaxChanges: 10})
	for i := range 11 {
		r.write(fmt.Sprintf("new/%d", i), "x")
	}
	_, err := s.ws.Detect(s.ctx, s.checked)
	assert.Equal(t, "detect_changes", evidenceOf(t, err).Op)
}

func TestOpenRefuses(t *testing.T) {
	tests := map[string]struct {
		make func(r *repo) string
		text string
	}{
		"no repository": {make: func(r *repo) string { return r.t.TempDir() }, text: "not a git repository"},
		"nothing there": {make: func(r *repo) string { return r.path("nothing") }, text: "no such file"},
		"a bare repository": {make: func(
			r *repo) string {
			r.git("init", "-q", "--bare", "x.git")
			return r.path("x.git")
		}, text: "bare"},
		"git's directory": {make: func(r *repo) string { return r.path(".git") }, text: "git's own"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := emptyRepo(t)
			_, err := workspace.Open(t.Context(), tt.make(r), workspace.Options{})
			ev := evidenceOf(t, err)
			assert.Equal(t, "prepare", ev.Op)
			assert.Contains(t, ev.Error(), tt.text)
		})
	}
	t.Run("a conflict", func(t *testing.T) {
		r := newRepo(t)
		r.git("checkout", "-q", "-b", "side")
		r.write("a.txt", "side\n")
		r.git("commit", "-qam", "side")
		r.git("checkout", "-q", "main")
		r.write("a.txt", "main\n")
		r.git("commit", "-qam", "main")
		_, err := r.try("merge", "side")
		require.Error(t, err)
		ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
		require.NoError(t, err)
		_, err = ws.Begin(t.Context(), "run-1")
		assert.Contains(t, evidenceOf(t, err).Text, "a merge is under way")
		r.remove(".git/MERGE_HEAD")
		_, err = ws.Begin(t.Context(), "run-1")
		assert.Equal(t, []string{"a.txt"}, evidenceOf(t, err).Files)
	})
	t.Run("a name that is none", func(t *testing.T) {
		r := newRepo(t)
		ws, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
		require.NoError(t, err)
		for _, run := range []string{"", "../x", "a/b", "a b", strings.Repeat("x", 101)} {
			_, err = ws.Begin(t.Context(), run)
			require.Error(t, err, run)
		}
		for _, run := range []string{".x", "a..b", "x.lock", "x.", "..", "-x"} {
			_, err = ws.Begin(t.Context(), run)
			require.NoError(t, err, run)
			require.NoError(t, ws.Release(t.Context(), run))
		}
	})
}

// shortStep returns the distance between the git commands that are interrupted: each one, or every
// fourth with -short.
func shortStep() int {
	if testing.Short() {
		return 4
	}
	return 1
}
