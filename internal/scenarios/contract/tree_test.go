package contract_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tree is a working tree of git that a run has for itself. A checked tree is a state of its
// files, by a name that another process understands.
type tree interface {
	// begin records the files as they are.
	begin() (checked string, err error)
	// detect returns what differs from a checked tree, of files and of git itself.
	detect(checked string) ([]treeChange, error)
	// save keeps changed files, and returns under which name.
	save(attempt int, checked string, changes []treeChange) (saved string, err error)
	// show returns the content of a file that was saved.
	show(saved, path string) (string, error)
	// revert restores the changed paths from the checked tree.
	revert(checked string, changes []treeChange) error
	// accept returns the checked tree with the changes in it.
	accept(checked string, changes []treeChange) (next string, err error)
	// commit commits the paths as the checked tree has them; an attempt is committed once.
	commit(attempt int, checked string, paths []string) (id string, err error)
	// close ends the process's use of the working tree.
	close() error
}

// treeMaker opens trees of an implementation.
type treeMaker struct {
	name string
	// open takes the working tree for a run. If checked is not empty, a process that died had it.
	// Binary is the git to run.
	open func(ctx context.Context, dir, checked, binary string) (tree, error)
}

// treeChange is a path that differs from a checked tree.
type treeChange struct {
	path, kind   string
	git, escapes bool
	own          any // the implementation's
}

func (c treeChange) String() string {
	if c.escapes {
		return c.kind + " " + c.path + " escapes"
	}
	return c.kind + " " + c.path
}

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

func (r *repo) open(m treeMaker, checked string) tree {
	r.t.Helper()
	tr, err := m.open(r.t.Context(), r.dir, checked, "git")
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
func listed(changes []treeChange) (files []string, git bool) {
	files = []string{}
	for _, c := range changes {
		if git = git || c.git; !c.git {
			files = append(files, c.String())
		}
	}
	slices.Sort(files)
	return files, git
}

// TestTreeChanges detects what an agent does, saves it, and reverts all of it. Nothing that the
// agent has planted runs meanwhile.
func TestTreeChanges(t *testing.T) {
	for _, m := range trees() {
		for _, c := range treeCases() {
			t.Run(m.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, c.before)
				tr := r.open(m, "")
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

				if !c.oneProcess {
					require.NoError(t, tr.close())
					tr = r.open(m, checked)
					changes, err = tr.detect(checked)
					require.NoError(t, err)
					again, _ := listed(changes)
					assert.Equal(t, files, again, "another process finds the same")
				}
				_, err = tr.save(1, checked, changes)
				require.NoError(t, err)
				for range 2 { // repeating a revert changes nothing
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
}

// TestTreeRevertKeepsLaterChanges changes files again after they were saved. The revert must fail,
// because nothing has saved the later content, and must leave it alone.
func TestTreeRevertKeepsLaterChanges(t *testing.T) {
	for _, m := range trees() {
		for _, c := range []struct{ name, change, later, path, want string }{
			{"a changed file", "echo agent > a.txt", "echo person > a.txt", "a.txt", "person"},
			{"an added file", "echo agent > new.txt", "echo person >> new.txt", "new.txt", "agent\nperson"},
			{"a removed file", "rm a.txt", "echo person > a.txt", "a.txt", "person"},
		} {
			t.Run(m.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, "")
				tr := r.open(m, "")
				checked, err := tr.begin()
				require.NoError(t, err)
				r.sh(c.change)
				changes, err := tr.detect(checked)
				require.NoError(t, err)
				_, err = tr.save(1, checked, changes)
				require.NoError(t, err)
				r.sh(c.later)
				require.Error(t, tr.revert(checked, changes))
				assert.Equal(t, c.want, r.sh("cat "+c.path))
				require.NoError(t, tr.close())
			})
		}
	}
}

// commitsAfter commits later work after a revert. The commit contains no reverted file.
func (r *repo) commitsAfter(tr tree, checked string) {
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
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open(m, "")
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh("mkdir evil; cp -r .git evil/git; git --git-dir=evil/git config core.fsmonitor 'touch ../ran'\n" +
				"mv .git old; echo 'gitdir: evil/git' > .git")
			changes, err := tr.detect(checked)
			_, git := listed(changes)
			assert.True(t, err != nil || git, "%v", changes)
			assert.NoFileExists(t, filepath.Join(r.dir, "../ran"))
			_ = tr.close() // what it had is gone
		})
	}
}

// TestTreeSaves keeps changed files before a revert. Secrets never enter the user's objects.
func TestTreeSaves(t *testing.T) {
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open(m, "")
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh("echo A > a.txt; echo PASSWORD=stolen > .env; echo n > new.txt; rm dir/b.txt")
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			first, err := tr.save(1, checked, changes)
			require.NoError(t, err)
			r.sh("echo B > a.txt")
			changes, err = tr.detect(checked)
			require.NoError(t, err)
			second, err := tr.save(1, checked, changes)
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
		})
	}
}

// TestTreeRevertsOnlyWhatIsGiven leaves every other change of the agent in the tree.
func TestTreeRevertsOnlyWhatIsGiven(t *testing.T) {
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open(m, "")
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh("echo A > a.txt; echo B > dir/b.txt; echo n > dir/new.txt; rm src/s.txt; echo x > run.sh")
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			_, err = tr.save(1, checked, changes)
			require.NoError(t, err)
			given := slices.DeleteFunc(slices.Clone(changes),
				func(c treeChange) bool { return !slices.Contains([]string{"dir/b.txt", "src/s.txt"}, c.path) })
			require.NoError(t, tr.revert(checked, given))
			left, err := tr.detect(checked)
			require.NoError(t, err)
			files, _ := listed(left)
			assert.Equal(t, []string{"added dir/new.txt", "modified a.txt", "modified run.sh"}, files)
			assert.Equal(t, "A\nb\ns", r.sh("cat a.txt dir/b.txt src/s.txt"))
			require.NoError(t, tr.close())
		})
	}
}

// TestTreeCommits commits exactly the given paths as they were accepted, whatever has changed
// since, and leaves the person's work and index alone.
func TestTreeCommits(t *testing.T) {
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open(m, "")
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh("echo A > a.txt; echo stolen > .env; echo x > run.sh; rm dir/b.txt\n" +
				"mkdir x; echo n > x/-new; echo o > o.txt; echo l > later.txt")
			given := []string{"a.txt", "run.sh", "dir/b.txt", "x/-new", ".env"}
			accepted := append(slices.Clone(given), "later.txt")
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			next, err := tr.accept(checked, slices.DeleteFunc(slices.Clone(changes),
				func(c treeChange) bool { return !slices.Contains(accepted, c.path) }))
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
		})
	}
}

// TestTreeIsLocked refuses a second use of a working tree until the first is closed.
func TestTreeIsLocked(t *testing.T) {
	for _, m := range trees() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			first := r.open(m, "")
			_, err := m.open(t.Context(), r.dir, "", "git")
			require.Error(t, err)
			require.NoError(t, first.close())
			require.NoError(t, r.open(m, "").close())
		})
	}
}
