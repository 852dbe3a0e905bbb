package gittree_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
)

// cloneOf are the options of the tests' clones.
func cloneOf(home string) gittree.Clone {
	return gittree.Clone{
		Dir: filepath.Join(home, "clone"), Copy: []string{".env"}, Link: []string{"node_modules"},
		Setup: []string{"sh", "-c", "echo done > setup.log"}, Options: gittree.Options{Watch: watchedFiles{}},
	}
}

// TestClone works in a clone of a dirty tree, and delivers a branch. Nothing else of the user's
// changes.
func TestClone(t *testing.T) {
	for _, c := range []struct{ name, before, change, show, want string }{
		{"plain", "", "cat dirty.txt .env setup.log node_modules/m; echo A > a.txt; rm dir/b.txt",
			"git show --name-status --format=%s errgen/run", "attempt 1\n\nM\ta.txt\nD\tdir/b.txt"},
		{"the agent damages the clone's git", "", "echo A > a.txt; git add -A; git commit -qm evil; git checkout " +
			"-qb evil\n" +
			"git config core.fsmonitor 'touch ../ran'; git gc -q --prune=now; rm -rf .git/objects/??",
			"git log --format=%s errgen/run",
			"attempt 1\nfirst"},
		{"CRLF", "git config core.autocrlf true; printf 'x\\r\\n' > c; git add c; git commit -qm c c",
			"printf 'y\\r\\n' >> c",
			"git show errgen/run:c | od -c | head -1", "0000000   x  \\n   y  \\n"},
		{"a submodule", "git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule add -q " +
			"../sub lib\n" +
			"git commit -qm sub lib .gitmodules", "echo A > a.txt", "git show --name-only --format=%s errgen/run",
			"attempt 1\n\na.txt"},
		{"no commit yet", "rm -rf .git; git init -q .", "echo A > a.txt", "git ls-tree --name-only errgen/run",
			"a.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "mkdir node_modules; echo m > node_modules/m\n"+c.before)
			was := r.state()
			clone, user, err := gittree.OpenClone(t.Context(), r.dir, "run", cloneOf(filepath.Dir(r.dir)))
			require.NoError(t, err)
			inPlace, err := gittree.Open(t.Context(), r.dir, "another", gittree.Options{})
			require.NoError(t, err, "the user's tree is free")
			require.NoError(t, inPlace.Close(true))
			tr := &tree{Space: clone, ctx: t.Context()}
			checked, err := tr.begin()
			require.NoError(t, err)
			in := &repo{t, clone.Root()}
			in.sh(c.change + "\nrm -f ../ran")
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			var files, git []gittree.Change
			for _, change := range changes {
				if ofGit(change) {
					git = append(git, change)
				} else {
					files = append(files, change)
				}
			}
			require.NoError(t, tr.revert(checked, git))
			_, err = tr.commit(1, tr.found, pathsOf(files))
			require.NoError(t, err)
			assert.Equal(t, was, r.state())
			for range 2 {
				require.NoError(t, user.DeliverClone(t.Context(), clone, "errgen/run", false))
			}
			assert.Equal(t, c.want, r.sh(c.show))
			assert.NoFileExists(t, filepath.Join(r.dir, "../ran"))
			require.NoError(t, errors.Join(clone.Close(false), user.Close(false)))
			assert.Empty(t, r.sh("git fsck --no-dangling --no-progress 2>&1 | grep -v notice || true"))
		})
	}
}

// TestCloneWorkspace opens the clone for an executor, and delivers after the run is over.
func TestCloneWorkspace(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "mkdir node_modules")
	w, err := gittree.NewClone(t.Context(), r.dir, cloneOf(filepath.Dir(r.dir)))
	require.NoError(t, err)
	s, err := w.Open(t.Context(), "run")
	require.NoError(t, err)
	_, err = s.Snapshot(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(w.Dir(), "a.txt"), []byte("A\n"), 0o600))
	now, err := s.Snapshot(t.Context())
	require.NoError(t, err)
	_, err = s.Commit(t.Context(), executor.Commit{Attempt: 1, Tree: now, Paths: []string{"a.txt"}, Message: "work"})
	require.NoError(t, err)
	require.NoError(t, s.Close(true))
	require.NoError(t, w.Deliver(t.Context(), "run", "result", false))
	assert.Equal(t, "A", r.sh("git show result:a.txt"))
	other, err := gittree.New(t.Context(), r.dir, gittree.Options{})
	require.NoError(t, err)
	assert.Equal(t, "prepare/clone", evidenceOf(t, other.Deliver(t.Context(), "in-place", "result", false)))
}

// TestDeliverForward moves the branch that is checked out only if no file of the user is in the
// way.
func TestDeliverForward(t *testing.T) {
	for _, c := range []struct {
		name, change, want string
		fails              bool
	}{
		{"another file", "echo A > a.txt", "attempt 1", false},
		{"a file that the user changed too", "echo A >> dirty.txt", "first", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			config := cloneOf(filepath.Dir(r.dir))
			config.Link = nil
			clone, user, err := gittree.OpenClone(t.Context(), r.dir, "run", config)
			require.NoError(t, err)
			tr := &tree{Space: clone, ctx: t.Context()}
			checked, err := tr.begin()
			require.NoError(t, err)
			(&repo{t, clone.Root()}).sh(c.change)
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			_, err = tr.commit(1, tr.found, pathsOf(changes))
			require.NoError(t, err)
			dirty := r.sh("cat dirty.txt")
			assert.Equal(t, c.fails, user.DeliverClone(t.Context(), clone, "errgen/run", true) != nil)
			assert.Equal(t, c.want, r.sh("git log -1 --format=%s"))
			assert.Equal(t, dirty, r.sh("cat dirty.txt"))
			require.NoError(t, errors.Join(clone.Close(false), user.Close(false)))
		})
	}
}

// TestDeliverKeepsIgnoredFiles delivers a file that the user has too, ignored by git.
func TestDeliverKeepsIgnoredFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	config := cloneOf(filepath.Dir(r.dir))
	config.Link = nil
	clone, user, err := gittree.OpenClone(t.Context(), r.dir, "run", config)
	require.NoError(t, err)
	tr := &tree{Space: clone, ctx: t.Context()}
	checked, err := tr.begin()
	require.NoError(t, err)
	in := &repo{t, clone.Root()}
	for i, change := range []string{"echo .env > .gitignore", "echo agent > old.log"} {
		in.sh(change)
		changes, err := tr.detect(checked)
		require.NoError(t, err)
		checked, err = tr.accept(checked, changes)
		require.NoError(t, err)
		_, err = tr.commit(i+1, checked, pathsOf(changes))
		require.NoError(t, err)
	}
	require.Equal(t, "agent", in.sh("git show HEAD:old.log"))
	assert.ErrorContains(t, user.DeliverClone(t.Context(), clone, "errgen/run", true), "would be overwritten")
	assert.Equal(t, "old\nfirst", r.sh("cat old.log; git log -1 --format=%s"))
	require.NoError(t, errors.Join(clone.Close(false), user.Close(false)))
}

// TestCloneIgnores ignores files by the settings of the user's repository only.
func TestCloneIgnores(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "echo '*.key' > ../ex; git config core.excludesFile \"$PWD/../ex\"\n"+
		"echo '*.pem' > .git/info/exclude; echo secret > a.key; echo secret > a.pem")
	config := cloneOf(filepath.Dir(r.dir))
	config.Link, config.Copy = nil, []string{"a.key", "a.pem"}
	clone, user, err := gittree.OpenClone(t.Context(), r.dir, "run", config)
	require.NoError(t, err)
	in := &repo{t, clone.Root()}
	assert.Equal(t, "!! .env\n!! a.key\n!! a.pem\n!! setup.log", in.sh("git status --porcelain --ignored | grep '!!'"))
	require.NoError(t, errors.Join(clone.Close(false), user.Close(false)))
}

// TestCloneRefuses opens no clone, and changes nothing.
func TestCloneRefuses(t *testing.T) {
	for _, c := range []struct {
		name, before string
		config       func(*gittree.Clone)
		want         string
	}{
		{"a directory with files", "mkdir ../clone; echo x > ../clone/x", func(*gittree.Clone) {}, "prepare/clone"},
		{"a failing setup", "", func(c *gittree.Clone) { c.Setup = []string{"false"} }, "prepare/setup"},
		{"a path outside", "", func(c *gittree.Clone) { c.Copy = []string{"../secret"} }, "prepare/clone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			was := r.state()
			config := cloneOf(filepath.Dir(r.dir))
			config.Link = nil
			c.config(&config)
			_, _, err := gittree.OpenClone(t.Context(), r.dir, "run", config)
			require.Error(t, err)
			assert.Equal(t, c.want, evidenceOf(t, err))
			assert.Equal(t, was, r.state())
		})
	}
}

// TestCloneServesOneRun refuses the clone of another run, because it has other files.
func TestCloneServesOneRun(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "mkdir node_modules")
	config := cloneOf(filepath.Dir(r.dir))
	clone, user, err := gittree.OpenClone(t.Context(), r.dir, "first", config)
	require.NoError(t, err)
	require.NoError(t, errors.Join(clone.Close(true), user.Close(true)))
	_, _, err = gittree.OpenClone(t.Context(), r.dir, "second", config)
	require.Error(t, err)
	assert.Equal(t, "prepare/clone", evidenceOf(t, err))
	clone, user, err = gittree.OpenClone(t.Context(), r.dir, "first", config)
	require.NoError(t, err)
	require.NoError(t, errors.Join(clone.Close(true), user.Close(true)))
}

// cloneVariable makes the test program a process that works in a clone; it holds a [cloneProcess].
const cloneVariable = "GITTREE_CLONE"

type cloneProcess struct {
	Home string
	At   int
}

func playClone(text string) error {
	var p cloneProcess
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	n := p.At
	gittree.SetBeforeStep(func(string) {
		if n--; n == 0 {
			killSelf()
		}
	})
	ctx := context.Background()
	clone, user, err := gittree.OpenClone(ctx, filepath.Join(p.Home, "repo"), "run", cloneOf(p.Home))
	if err != nil {
		return err
	}
	cmd := exec.Command("sh", "-ec", "echo agent > a.txt; echo n > n.txt")
	cmd.Dir = clone.Root()
	if err := cmd.Run(); err != nil {
		return err
	}
	tree, err := clone.Snapshot(ctx)
	if err != nil {
		return err
	}
	_, err = clone.Commit(ctx, executor.Commit{Attempt: 1, Tree: tree, Paths: []string{"a.txt", "n.txt"},
		Message: "work"})
	if err != nil {
		return err
	}
	return errors.Join(user.DeliverClone(ctx, clone, "errgen/run", true), clone.Close(false), user.Close(false))
}

// TestCloneKilled kills the process at each step of making, using and delivering a clone.
func TestCloneKilled(t *testing.T) {
	t.Parallel()
	first := newRepo(t, "mkdir node_modules; echo m > node_modules/m")
	whole := copyRepo(t, first)
	require.False(t, killed(t, cloneVariable, cloneProcess{Home: filepath.Dir(whole.dir)}))
	want := whole.ended()
	killedAtEach(t, 40, func(n int) (wasKilled bool) {
		r := copyRepo(t, first)
		p := cloneProcess{filepath.Dir(r.dir), n}
		wasKilled = killed(t, cloneVariable, p)
		p.At = 0
		require.False(t, killed(t, cloneVariable, p), "killed at %d", n)
		require.Equal(t, want, r.ended(), "killed at %d", n)
		require.NoError(t, os.RemoveAll(p.Home))
		return wasKilled
	})
}
