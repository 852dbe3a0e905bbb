package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// TestGitItself goes through what can be done to git itself: each is found, saved and put back, and
// nothing that was planted runs.
func TestGitItself(t *testing.T) {
	tests := map[string]struct {
		global bool // changes the configuration of the user
		before func(r *repo)
		change func(r *repo)
		want   []string
		after  func(t *testing.T, r *repo)
	}{
		"a commit": {
			change: func(r *repo) { r.write("a.txt", "A\n"); r.git("commit", "-qam", "agent's") },
			want:   []string{"modified .git/refs/heads/main git", "modified a.txt"},
		},
		"a commit and a clean tree": {
			change: func(r *repo) {
				r.write("a.txt", "A\n")
				r.git("commit", "-qam", "agent's")
				r.git("checkout", "-q", "HEAD~", "--", "a.txt")
				r.git("commit", "-qam", "back")
			},
			want: []string{"modified .git/refs/heads/main git"},
		},
		"a first commit": {
			before: func(r *repo) { r.git("update-ref", "-d", "HEAD") },
			change: func(r *repo) { r.git("commit", "-qam", "agent's") },
			want:   []string{"added .git/refs/heads/main git"},
		},
		"another branch": {
			change: func(r *repo) { r.git("checkout", "-q", "-b", "side") },
			want:   []string{"modified .git/HEAD git", "added .git/refs/heads/side git"},
		},
		"a detached HEAD": {
			change: func(r *repo) { r.git("checkout", "-q", "--detach") },
			want:   []string{"modified .git/HEAD git"},
		},
		"branches and tags": {
			before: func(r *repo) { r.git("branch", "old"); r.git("tag", "v1"); r.git("pack-refs", "--all") },
			change: func(r *repo) {
				r.git("branch", "-D", "old")
				r.git("tag", "-am", "annotated", "v2")
				r.git("tag", "-f", "v1", "v2")
			},
			want: []string{"removed .git/refs/heads/old git", "modified .git/refs/tags/v1 git",
				"added .git/refs/tags/v2 git"},
		},
		"references that are only packed": {
			change: func(r *repo) { r.git("pack-refs", "--all") },
			want:   []string{},
		},
		"a replaced object": {
			before: func(r *repo) { r.git("commit", "-q", "--allow-empty", "-m", "second") },
			change: func(r *repo) { r.git("replace", "HEAD", "HEAD~") },
		},
		"what was stashed": {
			before: func(
				r *repo) {
				r.write("a.txt", "mine\n")
				r.git("stash", "-q")
				r.write("dir/b.txt", "also mine\n")
			},
			change: func(r *repo) { r.git("stash", "-q") },
			want:   []string{"modified .git/logs/refs/stash git", "modified .git/refs/stash git", "modified dir/b.txt"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(
					t, "stash@{0}: WIP on main:", strings.Join(strings.Fields(r.git("stash", "list"))[:4], " "))
				assert.Equal(t, 1, strings.Count(r.git("stash", "list"), "stash@"))
			},
		},
		"a stash that is dropped and collected": {
			before: func(r *repo) {
				r.write("a.txt", "mine\n")
				r.git("stash", "-q")
				r.write("a.txt", "2\n")
				r.git("stash", "-q")
			},
			change: func(r *repo) { r.git("stash", "clear"); r.git("gc", "-q", "--prune=now") },
			want:   []string{"removed .git/logs/refs/stash git", "removed .git/refs/stash git"},
			after:  func(t *testing.T, r *repo) { assert.Equal(t, 2, strings.Count(r.git("stash", "list"), "stash@")) },
		},
		"the configuration": {
			change: func(r *repo) {
				r.git("config", "core.fsmonitor", "touch ../ran")
				r.git("config", "core.hooksPath", "evil")
				r.git("config", "filter.x.clean", "touch ../ran")
				r.git("config", "alias.status", "!touch ../ran")
				r.git("config", "core.sshCommand", "touch ../ran")
			},
			want: []string{"modified .git/config git"},
		},
		"a configuration that cannot be read": {
			change: func(r *repo) { r.write(".git/config", "[broken") },
			want:   []string{"modified .git/config git"},
		},
		"a hook": {
			change: func(r *repo) {
				for _, hook := range []string{"pre-commit", "reference-transaction", "post-index-change",
					"commit-msg"} {
					r.write(".git/hooks/"+hook, "#!/bin/sh\ntouch ../ran\n")
					r.chmod(".git/hooks/"+hook, 0o755)
				}
			},
			want: []string{
				"added .git/hooks/commit-msg git", "added .git/hooks/post-index-change git",
				"added .git/hooks/pre-commit git",
				"added .git/hooks/reference-transaction git",
			},
		},
		"a hook that is a link": {
			change: func(r *repo) { r.link("/bin/true", ".git/hooks/pre-commit") },
			want:   []string{"added .git/hooks/pre-commit git escapes"},
		},
		"attributes with a filter": {
			change: func(r *repo) {
				r.write(".git/info/attributes", "* filter=x\n")
				r.git("config", "filter.x.clean", "touch ../ran; cat")
				r.write("a.txt", "A\n")
			},
			want: []string{"modified .git/config git", "added .git/info/attributes git", "modified a.txt"},
		},
		"attributes in the tree, with a filter of the user's": {
			global: true,
			before: func(r *repo) { r.git("config", "--global", "filter.x.clean", "touch ../ran; cat") },
			change: func(r *repo) { r.write(".gitattributes", "* filter=x\n"); r.write("a.txt", "A\n") },
			want:   []string{"added .gitattributes", "modified a.txt"},
		},
		"what is excluded": {
			change: func(r *repo) { r.write(".git/info/exclude", "hidden\n"); r.write("hidden", "x") },
			want:   []string{"modified .git/info/exclude git", "added hidden"},
		},
		"a file in the tree that the configuration includes": {
			before: func(r *repo) {
				r.write(".gitconfig", "[x]\n\ty = z\n")
				r.git("config", "include.path", "../.gitconfig")
			},
			change: func(r *repo) { r.write(".gitconfig", "[core]\n\tfsmonitor = touch ../ran\n") },
			want:   []string{"modified .gitconfig git"},
		},
		"one that was not there": {
			before: func(r *repo) { r.git("config", "include.path", "../not-there") },
			change: func(r *repo) { r.write("not-there", "[core]\n\tfsmonitor = touch ../ran\n") },
			want:   []string{"added not-there git"},
		},
		"a merge that is under way": {
			before: func(r *repo) {
				r.git("checkout", "-q", "-b", "side")
				r.git("commit", "-q", "--allow-empty", "-m", "x")
				r.git("checkout", "-q", "main")
			},
			change: func(r *repo) { r.git("merge", "-q", "--no-ff", "--no-commit", "side") },
			want:   []string{"added .git/MERGE_HEAD git"},
		},
		"other objects": {
			change: func(r *repo) { r.write(".git/objects/info/alternates", "/elsewhere\n") },
			want:   []string{"added .git/objects/info/alternates git"},
		},
		"what is staged is no change, and is put back with its file": {
			before: func(r *repo) {
				r.write("dir/b.txt", "mine\n")
				r.git("add", "dir/b.txt")
				r.write("keep.txt", "k\n")
				r.git("add", "keep.txt")
			},
			change: func(r *repo) { r.write("dir/b.txt", "theirs\n"); r.write("new.txt", "n\n"); r.git("add", "-A") },
			want:   []string{"modified dir/b.txt", "added new.txt"},
			after: func(t *testing.T, r *repo) {
				assert.Equal(t, "M  dir/b.txt\nA  keep.txt", r.git("status", "--porcelain"))
				assert.Equal(t, "mine", r.git("show", ":dir/b.txt"))
			},
		},
		"what others fetch and do in other working trees": {
			before: func(r *repo) { r.git("worktree", "add", "-q", r.path("../other"), "-b", "side") },
			change: func(r *repo) {
				r.git("-C", "../other", "commit", "-q", "--allow-empty", "-m", "other's")
				r.git("update-ref", "refs/remotes/origin/main", "side")
				r.git("worktree", "add", "-q", r.path("../third"), "-b", "third")
			},
			want: []string{},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.global {
				isolated(t)
			} else {
				t.Parallel()
			}
			r := newRepo(t)
			if tt.before != nil {
				tt.before(r)
			}
			s := r.begin(workspace.Options{})
			require.Empty(t, listed(s.detect()))
			config, hooks := r.read(".git/config"), names(t, r.path(".git/hooks"))
			refs, head, index := r.git("for-each-ref", "refs/heads", "refs/tags", "refs/stash"), r.read(".git/HEAD"),
				r.git("ls-files", "-s")
			tt.change(r)
			_ = os.Remove(r.path("../ran"))
			changes := s.detect()
			if tt.want != nil {
				require.ElementsMatch(t, tt.want, listed(changes))
			}
			ref := s.save(changes)
			s.revert(changes)
			assert.NoFileExists(t, r.path("../ran"), "nothing that was planted has run")
			assert.Equal(t, config, r.read(".git/config"))
			assert.Equal(t, hooks, names(t, r.path(".git/hooks")))
			if name != "what others fetch and do in other working trees" {
				assert.Equal(t, refs, r.git("for-each-ref", "refs/heads", "refs/tags", "refs/stash"))
			}
			assert.Equal(t, head, r.read(".git/HEAD"))
			assert.Equal(t, index, r.git("ls-files", "-s"))
			for _, c := range changes {
				if c.Git && len(c.Hash) == 40 {
					assert.Contains(t, r.git("rev-list", "--parents", "-1", ref)+r.git("rev-parse", ref),
						r.git("rev-parse", c.Hash+"^{commit}"), "what was moved to is kept")
				}
			}
			if tt.after != nil {
				tt.after(t, r)
			}
			r.git("fsck", "--no-dangling", "--no-progress")
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, d := range list {
		out = append(out, d.Name())
	}
	return out
}

// TestNothingRunsUnderPlantedConfiguration lets Detect, Save and Revert of files alone do their
// work while git's configuration is not put back: nothing that it names may run, and a commit is
// refused.
func TestNothingRunsUnderPlantedConfiguration(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "A\n")
	r.write("new.txt", "n\n")
	r.git("config", "core.fsmonitor", "touch "+r.path("../ran"))
	r.git("config", "filter.x.clean", "touch "+r.path("../ran"))
	r.git("config", "filter.x.smudge", "touch "+r.path("../ran"))
	r.git("config", "core.attributesFile", r.path("attributes"))
	r.write("attributes", "* filter=x\n")
	r.write(".gitattributes", "* filter=x\n")
	changes := s.detect()
	s.save(changes)
	files := changes[:0:0]
	for _, c := range changes {
		if !c.Git {
			files = append(files, c)
		}
	}
	s.advance(files[:1])
	require.NoError(t, s.ws.Revert(s.ctx, s.checked, files))
	assert.Equal(t, []string{"modified .git/config git"}, listed(s.detect()))
	_, err := s.tryCommit("a.txt", ".gitattributes")
	assert.Equal(t, []string{".gitattributes", "a.txt"}, evidenceOf(t, err).Files)
	assert.Contains(t, evidenceOf(t, err).Text, ".git/config")
	assert.NoFileExists(t, r.path("../ran"))
}

func TestSave(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "ignored/\n")
	s := r.begin(workspace.Options{Watch: named("ignored")})
	r.write("a.txt", "A\n")
	r.write(".env", "API_KEY=very-secret\n")
	r.write("ignored/x", "x\n")
	r.write("-rf", "x\n")
	r.write(".git/hooks/pre-commit", "evil\n")
	r.git("init", "-q", "sub")
	r.write("sub/f", "f\n")
	r.remove("dir/b.txt")
	r.link("/etc/passwd", "l")
	changes := s.detect()
	ref := s.save(changes)
	assert.Equal(t, "refs/errgen/run-1/1", ref)
	assert.Equal(t, "-rf\n.gitignore\na.txt\nl\nrun.sh\nsub/f", r.git("ls-tree", "-r", "--name-only", ref))
	assert.Equal(t, "A", r.git("show", ref+":a.txt"))

	saved := r.path(".git/errgen/saved/run-1/1")
	for p, want := range map[string]string{".env": "API_KEY=very-secret\n", "ignored/x": "x\n",
		"git/hooks/pre-commit": "evil\n"} {
		b, err := os.ReadFile(filepath.Join(saved, p))
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
	}
	assert.FileExists(t, filepath.Join(saved, "sub/git/HEAD"))
	require.NoError(t, filepath.WalkDir(r.path(".git/errgen/saved"), func(p string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, p)
		return nil
	}))
	for _, id := range strings.Fields(r.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		content, _ := r.try("cat-file", "-p", id)
		assert.NotContains(t, content, "very-secret")
	}

	second := s.save(changes)
	assert.Equal(t, "refs/errgen/run-1/1-2", second, "nothing is overwritten")
	r.git("pack-refs", "--all")
	assert.Equal(t, "refs/errgen/run-1/1-3", s.save(changes))
	s.revert(changes)

	unlock, err := s.ws.Lock(s.ctx, s.run)
	require.NoError(t, err)
	n, err := s.ws.Prune(s.ctx, 1<<40)
	require.NoError(t, err)
	assert.Zero(t, n)
	n, err = s.ws.Prune(s.ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, "refs/errgen/run-1/checked", r.git("for-each-ref", "--format=%(refname)", "refs/errgen"))
	assert.NoDirExists(t, saved)
	require.NoError(t, unlock())
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
	assert.NoDirExists(t, r.path(".git/errgen/runs/run-1/kept"))
	require.NoError(t, s.ws.Release(s.ctx, s.run))
}

// TestSecretsOfTheUserStayOutOfTheObjectStore begins with secrets that are in no commit, and puts
// them back.
func TestSecretsOfTheUserStayOutOfTheObjectStore(t *testing.T) {
	r := newRepo(t)
	r.write("config/id_rsa", "very-secret\n")
	r.chmod("config/id_rsa", 0o600)
	s := r.begin(workspace.Options{})
	r.write("config/id_rsa", "theirs\n")
	r.chmod("config/id_rsa", 0o644)
	changes := s.detect()
	assert.Equal(t, []string{"modified config/id_rsa"}, listed(changes))
	s.save(changes)
	s.reopen(workspace.Options{})
	s.revert(changes)
	info, err := os.Stat(r.path("config/id_rsa"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for _, id := range strings.Fields(r.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		content, _ := r.try("cat-file", "-p", id)
		assert.NotContains(t, content, "very-secret")
		assert.NotContains(t, content, "theirs")
	}
}
