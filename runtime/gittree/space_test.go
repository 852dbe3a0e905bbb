package gittree_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
)

// tree is the working tree of a run, as an executor uses it.
type tree struct {
	*gittree.Space
	ctx   context.Context
	found gittree.Tree
}

func openTree(ctx context.Context, dir, binary string) (*tree, error) {
	s, err := gittree.Open(ctx, dir, "run", gittree.Options{Binary: binary, Watch: watchedFiles{}})
	return &tree{Space: s, ctx: ctx}, err
}

func (t *tree) begin() (gittree.Tree, error) { return t.Snapshot(t.ctx) }

// detect returns what differs from a checked tree, of files and of git itself.
func (t *tree) detect(checked gittree.Tree) ([]gittree.Change, error) {
	var err error
	if t.found, err = t.Snapshot(t.ctx); err != nil {
		return nil, err
	}
	ofGit, err := t.Guard(t.ctx)
	if err != nil {
		return nil, err
	}
	files, err := t.Diff(t.ctx, checked, t.found)
	return append(ofGit, files...), err
}

func (t *tree) save(attempt int, checked gittree.Tree) (string, error) {
	return t.Save(t.ctx, strconv.Itoa(attempt), checked, t.found)
}

// show returns a file of a saved attempt.
func (t *tree) show(saved, path string) (string, error) {
	var b strings.Builder
	err := gittree.ShowSaved(t.ctx, t.Root(), "run", saved, path, &b, gittree.Options{})
	return b.String(), err
}

func (t *tree) revert(checked gittree.Tree, changes []gittree.Change) error {
	_, err := t.Restore(t.ctx, checked, pathsOf(changes))
	return err
}

func (t *tree) accept(checked gittree.Tree, changes []gittree.Change) (gittree.Tree, error) {
	return t.Accept(t.ctx, checked, t.found, pathsOf(changes))
}

func (t *tree) commit(attempt int, checked gittree.Tree, paths []string) (string, error) {
	return t.Commit(t.ctx, executor.Commit{
		Attempt: attempt, Tree: checked, Paths: paths, Message: "attempt " + strconv.Itoa(attempt)})
}

func (t *tree) close() error { return t.Close(false) }

func pathsOf(changes []gittree.Change) (paths []string) {
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths
}

// described returns a change as the cases write it.
func described(c gittree.Change) string {
	if c.Escapes {
		return fmt.Sprintf("%s %s escapes", c.Kind, c.Path)
	}
	return fmt.Sprintf("%s %s", c.Kind, c.Path)
}

// watchedFiles watches what [watched] names.
type watchedFiles struct{}

func (watchedFiles) Watches(path string) bool { return watched(path) }
func (watchedFiles) WatchesBelow(string) bool { return true }

// watched reports whether a file is watched although git ignores it.
func watched(path string) bool {
	return filepath.Base(path) == ".env" || strings.HasPrefix(path, "node_modules/")
}

// repo is a repository in which a person is at work: dirty.txt is changed, staged.txt is staged and
// changed, mine.txt is untracked, and .env is ignored.
type repo struct {
	t   *testing.T
	dir string
}

const repoScript = `git init -q .; mkdir dir src; echo a > a.txt; echo b > dir/b.txt; echo s > src/s.txt
printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh; echo d > dirty.txt; printf '.env\nnode_modules/\n*.log\n' > .gitignore
git add -A; git commit -qm first; echo changed >> dirty.txt; echo staged > staged.txt; git add staged.txt
echo changed >> staged.txt; echo mine > mine.txt; echo PASSWORD=secret > .env; chmod 600 .env; echo old > old.log`

func newRepo(t *testing.T, before string) *repo {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t, filepath.Join(base, "repo")}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	r.sh(repoScript + "\n" + before)
	return r
}

// sh runs a script in the repository.
func (r *repo) sh(script string) string {
	r.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "%s\n%s", script, out)
	return strings.TrimRight(string(out), "\n")
}

func (r *repo) open() *tree {
	r.t.Helper()
	tr, err := openTree(r.t.Context(), r.dir, "git")
	require.NoError(r.t, err)
	return tr
}

// state returns all files with their modes, and all of git that an agent could change.
func (r *repo) state() string {
	r.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		switch {
		case err != nil:
			return err
		case name == ".git":
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			fmt.Fprintf(&b, "%q -> %q\n", name, target)
			return err
		case d.IsDir() && (d.Name() == "objects" || d.Name() == "logs"):
			return fs.SkipDir // of a nested repository
		case d.Type().IsRegular() && d.Name() != "index":
			content, err := os.ReadFile(path)
			info, _ := d.Info()
			fmt.Fprintf(&b, "%q %v %q\n", name, info.Mode(), content)
			return err
		}
		return nil
	})
	require.NoError(r.t, err)
	return b.String() + r.sh(`export GIT_NO_REPLACE_OBJECTS=1
git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash refs/replace
for f in HEAD config config.worktree info/attributes info/exclude objects/info/alternates MERGE_HEAD index.lock
do if [ -e .git/$f ]; then echo "$f"; cat .git/$f; fi; done
ls .git/hooks; git ls-files -s; git stash list; git status --porcelain`)
}

// listed returns changes of files, sorted, and whether git itself has changed.
func listed(changes []gittree.Change) (files []string, git bool) {
	files = []string{}
	for _, c := range changes {
		if git = git || ofGit(c); !ofGit(c) {
			files = append(files, described(c))
		}
	}
	slices.Sort(files)
	return files, git
}

// TestTreeChanges detects what an agent does, saves it, and reverts all of it. Nothing that the
// agent has planted runs meanwhile. With -short, a sample of the cases is detected by another
// process too, and reverted twice.
func TestTreeChanges(t *testing.T) {
	for i, c := range treeCases() {
		repeats := !testing.Short() || i%5 == 0
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			require.Empty(t, changes, "nothing has happened yet")

			was := r.state()
			r.sh(c.change + "\nrm -f ../ran")
			changes, err = tr.detect(checked)
			require.NoError(t, err)
			files, git := listed(changes)
			want := slices.Clone(c.files)
			slices.Sort(want)
			assert.ElementsMatch(t, want, files)
			assert.Equal(t, c.git, git, "%v", changes)

			if repeats && !c.oneProcess {
				require.NoError(t, tr.close())
				tr = r.open()
				changes, err = tr.detect(checked)
				require.NoError(t, err)
				again, _ := listed(changes)
				assert.Equal(t, files, again, "another process finds the same")
			}
			_, err = tr.save(1, checked)
			require.NoError(t, err)
			for again := range 2 { // repeating a revert changes nothing
				if again > 0 && !repeats {
					break
				}
				require.NoError(t, tr.revert(checked, changes))
				left, err := tr.detect(checked)
				require.NoError(t, err)
				assert.Empty(t, left)
			}
			now := r.state()
			require.Contains(t, now, c.stays)
			assert.Equal(t, was, strings.Replace(now, c.stays, "", 1))
			if c.git {
				r.commitsAfter(tr, checked)
			}
			assert.NoFileExists(t, filepath.Join(r.dir, "../ran"), "nothing that was planted has run")
			require.NoError(t, tr.close())
		})
	}
}

// commitsAfter commits later work after a revert. The commit contains no reverted file.
func (r *repo) commitsAfter(tr *tree, checked gittree.Tree) {
	r.t.Helper()
	r.sh("echo w > work.txt")
	changes, err := tr.detect(checked)
	require.NoError(r.t, err)
	next, err := tr.accept(checked, changes)
	require.NoError(r.t, err)
	id, err := tr.commit(1, next, []string{"work.txt"})
	require.NoError(r.t, err)
	assert.Equal(r.t, id+"\nA\twork.txt", r.sh("git show --format=%H --name-status HEAD | grep ."))
}

// TestTreeWithoutItsGit replaces .git by another repository. The next detect must fail or
// report it, and no program of that repository may run.
func TestTreeWithoutItsGit(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("mkdir evil; cp -r .git evil/git; git --git-dir=evil/git config core.fsmonitor 'touch ../ran'\n" +
		"mv .git old; echo 'gitdir: evil/git' > .git")
	changes, err := tr.detect(checked)
	_, git := listed(changes)
	assert.True(t, err != nil || git, "%v", changes)
	assert.NoFileExists(t, filepath.Join(r.dir, "../ran"))
	_ = tr.close() // what it had is gone
}

// TestTreeSaves keeps changed files before a revert. Secrets never enter the user's objects.
func TestTreeSaves(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; echo PASSWORD=stolen > .env; echo n > new.txt; rm dir/b.txt")
	_, err = tr.detect(checked)
	require.NoError(t, err)
	first, err := tr.save(1, checked)
	require.NoError(t, err)
	r.sh("echo B > a.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	second, err := tr.save(1, checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))
	for saved, want := range map[string]string{first: "A\n", second: "B\n"} {
		files := map[string]string{"a.txt": want, ".env": "PASSWORD=stolen\n", "new.txt": "n\n"}
		for path, want := range files {
			got, err := tr.show(saved, path)
			require.NoError(t, err)
			assert.Equal(t, want, got, "%s of %s", path, saved)
		}
	}
	objects := r.sh("git cat-file --batch-all-objects --batch --unordered")
	assert.NotContains(t, objects, "PASSWORD")
	require.NoError(t, tr.close())
}

// TestTreeRevertsOnlyWhatIsGiven leaves every other change of the agent in the tree.
func TestTreeRevertsOnlyWhatIsGiven(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; echo B > dir/b.txt; echo n > dir/new.txt; rm src/s.txt; echo x > run.sh")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	_, err = tr.save(1, checked)
	require.NoError(t, err)
	given := slices.DeleteFunc(slices.Clone(changes),
		func(c gittree.Change) bool { return !slices.Contains([]string{"dir/b.txt", "src/s.txt"}, c.Path) })
	require.NoError(t, tr.revert(checked, given))
	left, err := tr.detect(checked)
	require.NoError(t, err)
	files, _ := listed(left)
	assert.Equal(t, []string{"added dir/new.txt", "modified a.txt", "modified run.sh"}, files)
	assert.Equal(t, "A\nb\ns", r.sh("cat a.txt dir/b.txt src/s.txt"))
	require.NoError(t, tr.close())
}

// TestTreeCommits commits exactly the given paths as they were accepted, whatever has changed
// since, and leaves the person's work and index alone.
func TestTreeCommits(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo A > a.txt; echo stolen > .env; echo x > run.sh; rm dir/b.txt\n" +
		"mkdir x; echo n > x/-new; echo o > o.txt; echo l > later.txt")
	given := []string{"a.txt", "run.sh", "dir/b.txt", "x/-new", ".env"}
	accepted := append(slices.Clone(given), "later.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	next, err := tr.accept(checked, slices.DeleteFunc(slices.Clone(changes),
		func(c gittree.Change) bool { return !slices.Contains(accepted, c.Path) }))
	require.NoError(t, err)
	r.sh("echo changed since > a.txt")
	id, err := tr.commit(1, next, given)
	require.NoError(t, err)
	assert.Equal(t, id, r.sh("git rev-parse HEAD"))
	assert.Equal(t, "M\ta.txt\nD\tdir/b.txt\nM\trun.sh\nA\tx/-new", r.sh("git diff --name-status HEAD~ HEAD"),
		"neither other files nor ignored ones")
	assert.Equal(t, "A", r.sh("git show HEAD:a.txt"), "as it was accepted")
	assert.Equal(t, "attempt 1 by Test", r.sh("git log -1 --format='%s by %an'"))
	assert.Equal(t, " M a.txt\n M dirty.txt\nAM staged.txt\n?? later.txt\n?? mine.txt\n?? o.txt",
		r.sh("git status --porcelain"))
	again, err := tr.commit(1, next, given)
	require.NoError(t, err)
	assert.Equal(t, id, again, "an attempt is committed once")
	none, err := tr.commit(2, next, given)
	require.NoError(t, err)
	assert.Empty(t, none, "nothing is left to be committed")
	left, err := tr.detect(next)
	require.NoError(t, err)
	files, git := listed(left)
	assert.Equal(t, []string{"added o.txt", "modified a.txt"}, files)
	assert.False(t, git, "the commit is no change: %v", left)
	require.NoError(t, tr.close())
}

// TestTreeIsLocked refuses a second use of a working tree until the first is closed.
func TestTreeIsLocked(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	first := r.open()
	_, err := openTree(t.Context(), r.dir, "git")
	require.ErrorIs(t, err, gittree.ErrInUse)
	require.NoError(t, first.close())
	require.NoError(t, r.open().close())
}

// TestTreeExclusions reads exclusions of unusual forms, at first and in another process.
func TestTreeExclusions(t *testing.T) {
	for name, before := range map[string]string{
		"invalid UTF-8":         `printf 'caf\351*\n' > .git/info/exclude; echo x > "$(printf 'caf\3511')"`,
		"an empty excludesFile": "git config core.excludesFile ''",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, before)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			require.NoError(t, tr.close())
			tr = r.open()
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			assert.Empty(t, changes)
			require.NoError(t, tr.close())
		})
	}
}

// TestTreeTrackedIgnored removes a tracked file that a rule ignores, and makes it again.
func TestTreeTrackedIgnored(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "mkdir logs; echo 1 > logs/t.log; git add -f logs\n"+
		"echo 'logs/' >> .git/info/exclude; git commit -qm t logs")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	for _, c := range []struct{ change, want string }{
		{"rm -r logs", "removed logs/t.log"}, {"mkdir logs; echo 2 > logs/t.log", "modified logs/t.log"},
	} {
		r.sh(c.change)
		changes, err := tr.detect(checked)
		require.NoError(t, err)
		files, _ := listed(changes)
		assert.Contains(t, files, c.want)
	}
	_, err = tr.commit(1, tr.found, []string{"logs/t.log"})
	require.NoError(t, err)
	assert.Equal(t, "2", r.sh("git show HEAD:logs/t.log"))
	require.NoError(t, tr.close())
}

// TestTreeReplacedDirectory replaces an ignored directory by a link out of the working tree, and by
// a pipe. Neither is read.
func TestTreeReplacedDirectory(t *testing.T) {
	for _, change := range []string{"rm -r build; mkfifo build", "mv build ../b; ln -s ../b build"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "echo build/ >> .gitignore; mkdir build; echo m > build/m")
			asked := map[string]int{}
			s, err := gittree.Open(t.Context(), r.dir, "run", gittree.Options{Watch: countingWatcher(asked)})
			require.NoError(t, err)
			require.Positive(t, asked["build/m"])
			r.sh(change)
			clear(asked)
			_, err = s.Snapshot(t.Context())
			require.NoError(t, err)
			assert.NotContains(t, asked, "build/m")
			require.NoError(t, s.Close(false))
		})
	}
}

// countingWatcher watches no file, and counts the paths.
type countingWatcher map[string]int

func (w countingWatcher) Watches(path string) bool { w[path]++; return false }
func (countingWatcher) WatchesBelow(string) bool   { return true }
