package gittree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// evidenceOf returns "op/type" of an error's evidence.
func evidenceOf(t *testing.T, err error) string {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, "git", ev.Source)
	return ev.Op + "/" + ev.Type
}

// TestCommitPlaces commits all changes of an agent in repositories of many kinds.
func TestCommitPlaces(t *testing.T) {
	for _, c := range []struct{ name, before, change, show, want string }{
		{"staged files stay staged", "", "echo A > a.txt", "git show --name-status --format=%s; git status --porcelain",
			"attempt 1\n\nM\ta.txt\n M dirty.txt\nAM staged.txt\n?? mine.txt"},
		{"a staged file is changed too", "", "echo x >> staged.txt",
			"git show --name-status --format=%s; git status --porcelain",
			"attempt 1\n\nA\tstaged.txt\n M dirty.txt\n?? mine.txt"},
		{"CRLF in the working tree", "git config core.autocrlf true; printf 'x\\r\\n' > c; git add c; git commit " +
			"-qm c c",
			"printf 'y\\r\\n' >> c", "git show HEAD:c | od -c | head -1; git status --porcelain c",
			"0000000   x  \\n   y  \\n"},
		{"an attribute that the agent added", "", "echo '*.t text eol=crlf' > .gitattributes; printf 'n\\r\\n' > n.t",
			"git show HEAD:n.t | od -c | head -1", "0000000   n  \\n"},
		{"a person's filter", "git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'\n" +
			"echo '*.up filter=up' > .gitattributes; git add .gitattributes; git commit -qm at .gitattributes",
			"echo world > f.up", "git show HEAD:f.up; git status --porcelain f.up", "WORLD"},
		{"a sparse checkout", "git reset -q --hard; git sparse-checkout set dir", "echo x >> dir/b.txt; echo y > dir/n",
			"git show --name-status --format=%s; git ls-files -t src", "attempt 1\n\nM\tdir/b.txt\nA\tdir/n\nS " +
				"src/s.txt"},
		{"no commit yet", "rm -rf .git; git init -q .; git add a.txt", "echo x > src/s.txt",
			"git log --format=%s --name-status; git status --porcelain a.txt", "attempt 1\n\nA\tsrc/s.txt\nA  a.txt"},
		{"a detached HEAD", "git checkout -q --detach", "echo A > a.txt",
			"git show --name-only --format=%s; git symbolic-ref -q HEAD || echo detached",
			"attempt 1\n\na.txt\ndetached"},
		{"a file becomes a directory", "", "rm a.txt; mkdir a.txt; echo 1 > a.txt/x; rm -r dir; echo d > dir",
			"git show --name-status --no-renames --format=%s; git status --porcelain a.txt dir",
			"attempt 1\n\nD\ta.txt\nA\ta.txt/x\nA\tdir\nD\tdir/b.txt"},
		{"a directory becomes a link", "", "mkdir o; mv dir/b.txt o; rmdir dir; ln -s o dir",
			"git show --name-status --no-renames --format=%s", "attempt 1\n\nA\tdir\nD\tdir/b.txt\nA\to/b.txt"},
		{"names of all kinds", "", "echo 1 > \"$(printf 'n\\nl')\"; echo 2 > ./-rf; echo 3 > ':(top)x'; echo 4 > " +
			"'*'\n" +
			"echo 5 > \"$(printf '\\377')\"",
			"git ls-tree -z --name-only HEAD | tr '\\0\\n' '\\n!' | grep -v txt | sort | od -An -c | tr -s ' '; " +
				"git status --porcelain -- '*'",
			""},
		{"a submodule", "git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule add -q " +
			"../sub lib\n" +
			"git commit -qm sub", "echo S > lib/s; echo A > a.txt", "git show --name-only --format=%s",
			"attempt 1\n\na.txt"},
		{"a tracked file that a rule ignores, and a submodule",
			"echo 1 > t.log; git add -f t.log; git init -q ../sub\n" +
				"echo s > ../sub/s; git -C ../sub add s; git -C ../sub commit -qm s\n" +
				"git submodule add -q ../sub lib; git commit -qam sub",
			"echo 2 > t.log; echo S > lib/s; echo n > new.log", "git show --name-only --format=%s",
			"attempt 1\n\nt.log"},
		{"a split index", "git config core.splitIndex true; git update-index --split-index", "echo A > a.txt",
			"git show --name-only --format=%s; git status --porcelain", "attempt 1\n\na.txt\n M dirty.txt\nAM " +
				"staged.txt\n?? mine.txt"},
		{"a packed branch", "git pack-refs --all", "echo A > a.txt", "git show --name-only --format=%s",
			"attempt 1\n\na.txt"},
		{"another working tree", "git worktree add -q ../w -b w; rm -rf dir; mv ../w w; git worktree repair w " +
			">/dev/null 2>&1\n" +
			"echo w > .git/info/exclude", "echo A > a.txt", "git show --name-only --format=%s; git log -1 " +
			"--format=%s refs/heads/w",
			"attempt 1\n\na.txt\nfirst"},
		{"a repository of SHA-256", "rm -rf .git; git init -q --object-format=sha256; git add -A; git commit -qm first",
			"echo A > a.txt", "git show --name-only --format=%s; git rev-parse HEAD | wc -c", "attempt 1\n\na.txt\n65"},
		{"a shallow clone", "git stash -q -u; git clone -q --depth 1 file://$PWD ../s; rm -rf .git; mv ../s/.git .",
			"echo A > a.txt", "git show --name-only --format=%s; git fsck 2>&1 | grep -c missing || true",
			"attempt 1\n\na.txt\n0"},
		{"a repository with borrowed objects", "git clone -q --shared . ../s; rm -rf .git.old; mv .git ../old; " +
			"mv ../s/.git .\n" +
			"echo ../old/objects > .git/objects/info/alternates; echo $PWD/../old/objects > " +
			".git/objects/info/alternates",
			"echo A > a.txt", "git show --name-only --format=%s", "attempt 1\n\na.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			_, git := listed(changes)
			require.False(t, git, "%v", changes)
			id, err := tr.commit(1, tr.found, pathsOf(changes))
			require.NoError(t, err)
			assert.Equal(t, id, r.sh("git rev-parse HEAD"))
			if got := r.sh(c.show); c.want != "" {
				assert.Equal(t, c.want, got)
			}
			again, err := tr.commit(1, tr.found, pathsOf(changes))
			require.NoError(t, err)
			assert.Equal(t, id, again)
			left, err := tr.detect(tr.found)
			require.NoError(t, err)
			assert.Empty(t, left)
			require.NoError(t, tr.close())
		})
	}
}

// TestCommitRefuses commits nothing, and leaves references and the index alone.
func TestCommitRefuses(t *testing.T) {
	for _, c := range []struct{ name, before, during, want string }{
		{"a merge under way", "git stash -q -u; git checkout -qb side; git commit -q --allow-empty -m x\n" +
			"git checkout -q main; git merge -q --no-ff --no-commit side", "", "commit/busy"},
		{"a lock that was there", "touch .git/index.lock", "", "commit/busy"},
		{"no identity", "git config user.useConfigOnly true; git config user.email ''; git config user.name ''", "",
			"commit/"},
		{"a failing filter", "git config filter.x.clean false; git config filter.x.required true\n" +
			"echo '*.txt filter=x' > .gitattributes", "", "commit/"},
		{"a commit by another", "", "git commit -q --allow-empty -m theirs", "commit/moved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			tr := r.open()
			_, err := tr.begin()
			require.NoError(t, err)
			r.sh("echo A > a.txt\n" + c.during)
			now, err := tr.begin()
			require.NoError(t, err)
			const state = "git for-each-ref; GIT_OPTIONAL_LOCKS=0 git ls-files -s"
			was := r.sh(state)
			_, err = tr.commit(1, now, []string{"a.txt"})
			require.Error(t, err)
			assert.Equal(t, c.want, evidenceOf(t, err))
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			assert.NotEmpty(t, ev.Files)
			assert.Equal(t, was, r.sh(state))
			require.NoError(t, tr.close())
		})
	}
}

func TestCommitMessage(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	_, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt")
	now, err := tr.begin()
	require.NoError(t, err)
	_, err = tr.Commit(t.Context(), executor.Commit{Attempt: 7, Tree: now, Paths: []string{"a.txt"},
		Message: "Subject\x1b[31m\r\n\nbody \n"})
	require.NoError(t, err)
	assert.Equal(t, "Subject [31m\n\nbody\n\nErrgen-Run: run\nErrgen-Attempt: 7",
		r.sh("git log -1 --format=%B | sed '$d'"))
	require.NoError(t, tr.close())
}

// TestCommitHooks runs the user's hooks only if they are wanted.
func TestCommitHooks(t *testing.T) {
	const plant = `for h in pre-commit commit-msg; do printf '#!/bin/sh\necho %s >> ../ran\n' $h > .git/hooks/$h
chmod 755 .git/hooks/$h; done`
	for _, c := range []struct {
		name, hooks, want string
		wanted            bool
		err               string
	}{
		{"by default none", plant, "", false, ""},
		{"wanted", plant, "pre-commit\ncommit-msg\n", true, ""},
		{"one that fails", "printf '#!/bin/sh\\nexit 3\\n' > .git/hooks/pre-commit; chmod 755 " +
			".git/hooks/pre-commit", "", true,
			"commit/"},
		{"one that changes the commit", "printf '#!/bin/sh\\necho more >> ../m; git update-index --add --cacheinfo " +
			"100644,$(git hash-object -w ../m),m\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit", "",
			true,
			"commit/moved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.hooks)
			s, err := gittree.Open(t.Context(), r.dir, "run", gittree.Options{Hooks: c.wanted})
			require.NoError(t, err)
			r.sh("echo A > a.txt")
			now, err := s.Snapshot(t.Context())
			require.NoError(t, err)
			_, err = s.Commit(t.Context(), executor.Commit{Attempt: 1, Tree: now, Paths: []string{"a.txt"},
				Message: "m"})
			if c.err != "" {
				assert.Equal(t, c.err, evidenceOf(t, err))
			} else {
				require.NoError(t, err)
			}
			ran, _ := os.ReadFile(filepath.Join(r.dir, "../ran"))
			assert.Equal(t, c.want, string(ran))
			require.NoError(t, s.Close(false))
		})
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git init -q --bare ../remote; git remote add origin ../remote")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	_, err = tr.save(1, checked)
	require.NoError(t, err)
	id, err := tr.commit(1, tr.found, pathsOf(changes))
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, tr.Push(t.Context()))
	}
	assert.Equal(t, id+" refs/heads/main", strings.ReplaceAll(r.sh("git ls-remote --heads origin"), "\t", " "))
	assert.Equal(t, "1", r.sh("git --git-dir=../remote for-each-ref | wc -l"), "saved attempts are never pushed")
	left, err := tr.detect(tr.found)
	require.NoError(t, err)
	assert.Empty(t, left)
	r.sh("git update-ref refs/heads/main HEAD~")
	assert.Equal(t, "push/moved", evidenceOf(t, tr.Push(t.Context())))
	require.NoError(t, tr.close())
}

func TestPushFails(t *testing.T) {
	for _, c := range []struct{ name, before string }{
		{"no remote", ""},
		{"a remote that is ahead", "git init -q --bare ../remote; git remote add origin ../remote\n" +
			"git commit -q --allow-empty -m ahead; git push -q origin main; git reset -q --soft HEAD~"},
		{"a detached HEAD", "git checkout -q --detach"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			tr := r.open()
			assert.Equal(t, "push/", evidenceOf(t, tr.Push(t.Context())))
			require.NoError(t, tr.close())
		})
	}
}

func TestOpenPR(t *testing.T) {
	const open = "cat > ../body; printf '%s\\n' \"$@\" > ../args; echo https://example.com/pr/1"
	for _, c := range []struct {
		name string
		opts gittree.Options
		want string
		err  string
		args string
	}{
		{"a new one", gittree.Options{PR: []string{"sh", "-c", open, "x", "--title={title}",
			"to {base} from {branch}"}},
			"https://example.com/pr/1", "", "--title=Title ; rm\nto main from main\n"},
		{"one that is open", gittree.Options{PR: []string{"false"}, FindPR: []string{"echo",
			"https://example.com/pr/7"}},
			"https://example.com/pr/7", "", ""},
		{"a failing command", gittree.Options{PR: []string{"false"}}, "", "pr/", ""},
		{"no command", gittree.Options{}, "", "pr/unset", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			s, err := gittree.Open(t.Context(), r.dir, "run", c.opts)
			require.NoError(t, err)
			url, err := s.OpenPR(t.Context(), "Title ; rm\nsecond line", "body $(touch ran)")
			assert.Equal(t, c.want, url)
			if c.err != "" {
				assert.Equal(t, c.err, evidenceOf(t, err))
			} else {
				require.NoError(t, err)
			}
			args, _ := os.ReadFile(filepath.Join(r.dir, "../args"))
			assert.Equal(t, c.args, string(args))
			require.NoError(t, s.Close(false))
		})
	}
	_, err := gittree.Open(t.Context(), ".", "run", gittree.Options{PR: []string{"gh", "{title}"}})
	require.Error(t, err, "an argument begins with a placeholder")
	assert.Equal(t, "prepare/invalid", evidenceOf(t, err))
}
