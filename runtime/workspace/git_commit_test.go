package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// work makes changes and takes them into the checked tree.
func (s *session) work(files map[string]string) {
	s.t.Helper()
	for p, content := range files {
		if content == "" {
			s.remove(p)
		} else {
			s.write(p, content)
		}
	}
	s.advance(s.detect())
}

func TestCommit(t *testing.T) {
	r := newRepo(t)
	r.write("staged.txt", "staged\n")
	r.git("add", "staged.txt")
	r.write("a.txt", "user's\n")
	r.git("add", "a.txt")
	r.write("a.txt", "user's, later\n")
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"x/new.txt": "n\n", "dir/b.txt": "", "run.sh": "#!/bin/sh\necho\n", "-rf": "x\n",
		"line\nbreak": "x\n"})

	id := s.commit("x/new.txt", "dir/b.txt", "run.sh", "-rf", "line\nbreak", "not-there")
	assert.Equal(t, id, r.git("rev-parse", "HEAD"))
	assert.Equal(t, "refs/heads/main", r.git("symbolic-ref", "HEAD"))
	assert.Equal(
		t, strings.Join([]string{"A\t-rf", "D\tdir/b.txt", `A	"line\nbreak"`, "M\trun.sh", "A\tx/new.txt"}, "\n"),
		r.git("diff", "--name-status", "HEAD~", "HEAD"))
	assert.Equal(t, "work\n\nErrgen-Run: run-1\nErrgen-Attempt: 1", r.git("log", "-1", "--format=%B"))
	assert.Equal(t, "Test <test@example.com>", r.git("log", "-1", "--format=%an <%ae>"))
	assert.Equal(t, "100755", strings.Fields(r.git("ls-tree", "HEAD", "run.sh"))[0])
	assert.Equal(t, "MM a.txt\nA  staged.txt", r.git("status", "--porcelain"), "foreign work is as it was")
	assert.Empty(t, s.detect(), "our own commit is no change")
	assert.Contains(t, r.git("reflog", "-1"), "commit: work")

	found, err := s.ws.Committed(s.ctx, executor.Commit{Run: s.run, Attempt: 1})
	require.NoError(t, err)
	assert.Equal(t, id, found.ID)
	found, err = s.ws.Committed(s.ctx, executor.Commit{Run: s.run, Attempt: 2})
	require.NoError(t, err)
	assert.Empty(t, found.ID)

	s.work(map[string]string{"x/new.txt": "n2\n"})
	second := s.commit("x/new.txt")
	assert.NotEqual(t, id, second)
	assert.Equal(t, second, s.commit("x/new.txt"), "what is committed already is found by its trailers")
	assert.Empty(t, s.detect())
	s.reopen(workspace.Options{})
	assert.Empty(t, s.detect())
}

func TestCommitNothing(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	head := r.git("rev-parse", "HEAD")
	assert.Empty(t, s.commit())
	assert.Empty(t, s.commit("a.txt"))
	assert.Empty(t, s.commit("../outside", ".git/config", "sub/.git/x", "nothing"))
	assert.Equal(t, head, r.git("rev-parse", "HEAD"))
}

func TestCommitPlaces(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T) *repo{
		"a branch without a commit": emptyRepo,
		"a detached HEAD": func(t *testing.T) *repo {
			r := newRepo(t)
			r.git("checkout", "-q", "--detach")
			return r
		},
		"packed references": func(t *testing.T) *repo {
			r := newRepo(t)
			r.git("pack-refs", "--all")
			return r
		},
		"names by sha256": func(t *testing.T) *repo {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			r := &repo{t: t, dir: dir}
			r.git("init", "-q", "--object-format=sha256")
			r.write("a.txt", "a\n")
			r.git("add", "-A")
			r.git("commit", "-qm", "first")
			return r
		},
		"a linked working tree": func(t *testing.T) *repo {
			r := newRepo(t)
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			linked := &repo{t: t, dir: filepath.Join(dir, "linked")}
			r.git("worktree", "add", "-q", linked.dir, "-b", "side")
			return linked
		},
	}
	for name, made := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := made(t)
			s := r.begin(workspace.Options{})
			r.write("new.txt", "n\n")
			r.write("gone.txt", "g\n")
			changes := s.detect()
			assert.Equal(t, []string{"added gone.txt", "added new.txt"}, listed(changes))
			require.NotEmpty(t, s.save(changes))
			s.revert(changes)
		})
		t.Run(name+", committed", func(t *testing.T) {
			t.Parallel()
			r := made(t)
			s := r.begin(workspace.Options{})
			branch, _ := r.try("symbolic-ref", "HEAD")
			s.work(map[string]string{"new.txt": "n\n"})
			id := s.commit("new.txt")
			assert.Equal(t, id, r.git("rev-parse", "HEAD"))
			now, _ := r.try("symbolic-ref", "HEAD")
			assert.Equal(t, branch, now)
			assert.Empty(t, r.git("status", "--porcelain"))
			assert.Empty(t, s.detect())
			s.reopen(workspace.Options{})
			assert.Empty(t, s.detect())
			require.NoError(t, s.ws.Release(s.ctx, s.run))
			assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
		})
	}
}

func TestCommitFails(t *testing.T) {
	tests := map[string]struct {
		before func(r *repo)
		text   string
	}{
		"the index is locked": {
			before: func(r *repo) { r.mkdir(".git/index.lock") },
			text:   "index.lock",
		},
		"the branch has moved": {
			before: func(r *repo) { r.git("commit", "-q", "--allow-empty", "-m", "user's") },
			text:   "refs/heads/main",
		},
		"another branch": {
			before: func(r *repo) { r.git("checkout", "-q", "-b", "other") },
			text:   "HEAD has moved",
		},
		"nobody has a name": {
			before: func(r *repo) { r.git("config", "--global", "--unset", "user.email") },
			text:   "configuration",
		},
		"a hook was planted": {
			before: func(r *repo) {
				r.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
				r.chmod(".git/hooks/pre-commit", 0o755)
			},
			text: "hooks",
		},
		"the configuration of the user was changed": {
			before: func(r *repo) { r.git("config", "--global", "filter.x.clean", "touch /tmp/evil") },
			text:   "configuration",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			isolated(t)
			r := newRepo(t)
			s := r.begin(workspace.Options{})
			s.work(map[string]string{"a.txt": "x\n"})
			tt.before(r)
			head, index := r.git("rev-parse", "HEAD"), r.read(".git/index")
			_, err := s.tryCommit("a.txt")
			ev := evidenceOf(t, err)
			assert.Equal(t, "git", ev.Source)
			assert.Equal(t, "commit", ev.Op)
			assert.Contains(t, ev.Error()+strings.Join(ev.Files, " "), tt.text)
			assert.NotEmpty(t, ev.Files)
			assert.Equal(t, head, r.git("rev-parse", "HEAD"))
			assert.Equal(t, index, r.read(".git/index"))
			if name != "the index is locked" {
				assert.False(t, r.exists(".git/index.lock"))
			}
		})
	}
}

func TestCommitWithoutAName(t *testing.T) {
	isolated(t)
	r := newRepo(t)
	r.git("config", "--global", "--unset", "user.email")
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"a.txt": "x\n"})
	_, err := s.tryCommit("a.txt")
	ev := evidenceOf(t, err)
	assert.Equal(t, "commit", ev.Op)
	assert.Contains(t, ev.Text, "tell me who you are")
	assert.Equal(t, 128, ev.ExitCode.Or(0))
}

func TestCommitMessage(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	s.work(map[string]string{"a.txt": "x\n"})
	_, err := s.ws.Commit(s.ctx, executor.Commit{
		Run: s.run, Attempt: 7, Checked: s.checked, Paths: []string{"a.txt"},
		Message: "--amend \x00\x1b[31m\r\n# not a comment\n\n  Errgen-Run: other\nErrgen-Attempt: 1\n\u202e\xff",
	})
	require.NoError(t, err)
	assert.Equal(
		t, "--amend   [31m\n# not a comment\n\n>   Errgen-Run: other\n> Errgen-Attempt: 1\n \uFFFD\n\nErrgen-Run: "+
			"run-1\nErrgen-Attempt: 7",
		r.git("log", "-1", "--format=%B"))
	found, err := s.ws.Committed(s.ctx, executor.Commit{Run: "other", Attempt: 1})
	require.NoError(t, err)
	assert.Empty(t, found.ID, "nobody passes for another run")
}

// TestCommitConverts has the user's filters and line ends at work in commits, as they are for
// himself, and only there.
func TestCommitConverts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a program of Unix")
	}
	r := newRepo(t)
	r.git("config", "filter.upper.clean", "tr a-z A-Z; echo run >> "+r.path("../filter-ran"))
	r.write(".gitattributes", "*.up filter=upper\n*.crlf text eol=crlf\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "attributes")
	s := r.begin(workspace.Options{})
	r.write("x.up", "small\n")
	r.write("y.crlf", "1\r\n2\r\n")
	changes := s.detect()
	s.save(changes)
	s.advance(changes)
	r.write("x.up", "again\n")
	s.revert(s.detect())
	assert.Equal(t, "small\n", r.read("x.up"), "byte for byte")
	assert.NoFileExists(t, r.path("../filter-ran"))
	s.commit("x.up", "y.crlf")
	assert.Equal(t, "SMALL", r.git("show", "HEAD:x.up"))
	assert.Equal(t, "1\n2", r.git("show", "HEAD:y.crlf"))
	assert.FileExists(t, r.path("../filter-ran"))
	assert.Empty(t, r.git("status", "--porcelain"))
}

func TestCommitSecretThatIsAllowed(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("test.pem", "for tests\n")
	changes := s.detect()
	s.advance(changes)
	id := strings.TrimPrefix(changes[0].Hash, "100644-")
	_, err := r.try("cat-file", "-e", id)
	require.Error(t, err, "only a commit puts it into the object store")
	s.commit("test.pem")
	assert.Equal(t, "for tests", r.git("show", "HEAD:test.pem"))
}

func TestCommitHooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are programs of Unix")
	}
	hook := func(r *repo, name, script string) {
		r.write(".git/hooks/"+name, "#!/bin/sh\n"+script)
		r.chmod(".git/hooks/"+name, 0o755)
	}
	begin := func(t *testing.T, script string, opts workspace.Options) *session {
		r := newRepo(t)
		hook(r, "pre-commit", script)
		hook(r, "commit-msg", "echo commit-msg >> ../ran\n")
		hook(r, "post-commit", "echo post >> ../ran\n")
		hook(r, "reference-transaction", "echo transaction >> ../ran\n")
		hook(r, "post-index-change", "echo index >> ../ran\n")
		s := r.begin(opts)
		s.work(map[string]string{"a.txt": "x\n"})
		return s
	}
	t.Run("none is run", func(t *testing.T) {
		s := begin(t, "echo pre-commit >> ../ran; exit 1", workspace.Options{})
		s.commit("a.txt")
		assert.NoFileExists(t, s.path("../ran"))
	})
	t.Run("the user wants them", func(t *testing.T) {
		t.Setenv("API_KEY", "secret")
		s := begin(t, "echo pre-commit $API_KEY $(git diff --cached --name-only) >> ../ran",
			workspace.Options{Hooks: true})
		s.commit("a.txt")
		assert.Equal(t, "pre-commit a.txt\ncommit-msg\n", s.read("../ran"))
	})
	t.Run("one fails", func(t *testing.T) {
		s := begin(t, "echo no tests >&2; exit 3", workspace.Options{Hooks: true})
		_, err := s.tryCommit("a.txt")
		ev := evidenceOf(t, err)
		assert.Equal(t, "no tests", ev.Text)
		assert.False(t, s.exists(".git/index.lock"))
	})
	t.Run("one stages what nobody has judged", func(t *testing.T) {
		s := begin(t, "echo y > dir/b.txt; git add dir/b.txt", workspace.Options{Hooks: true})
		_, err := s.tryCommit("a.txt")
		assert.Contains(t, evidenceOf(t, err).Text, "pre-commit hook has changed")
	})
	t.Run("one has changed", func(t *testing.T) {
		s := begin(t, "true", workspace.Options{Hooks: true})
		hook(s.repo, "pre-commit", "echo evil >> ../ran")
		_, err := s.tryCommit("a.txt")
		assert.Contains(t, evidenceOf(t, err).Text, ".git/hooks/pre-commit")
		assert.NoFileExists(t, s.path("../ran"))
	})
	t.Run("they are in the tree", func(t *testing.T) {
		r := newRepo(t)
		r.write(".husky/pre-commit", "#!/bin/sh\necho husky >> ../ran\n")
		r.chmod(".husky/pre-commit", 0o755)
		r.git("config", "core.hooksPath", ".husky")
		s := r.begin(workspace.Options{Hooks: true})
		r.write(".husky/pre-commit", "#!/bin/sh\necho evil >> ../ran\n")
		changes := s.detect()
		assert.Equal(t, []string{"modified .husky/pre-commit git"}, listed(changes))
		s.revert(changes)
		s.work(map[string]string{"a.txt": "x\n"})
		s.commit("a.txt")
		assert.Equal(t, "husky\n", r.read("../ran"))
		info, err := os.Stat(r.path(".husky/pre-commit"))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())
	})
}
