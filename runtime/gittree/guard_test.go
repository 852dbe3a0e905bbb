package gittree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/gittree"
)

// TestStoreIsSealed fails if an agent changes the files in which the run tracks the working tree.
func TestStoreIsSealed(t *testing.T) {
	for _, c := range []struct{ name, change string }{
		{"the store is gone", "rm -rf .git/errgen"},
		{"a changed file is marked as unchanged", "GIT_DIR=.git/errgen/run/work GIT_COMMON_DIR=.git/errgen/run " +
			"GIT_WORK_TREE=. git update-index --assume-unchanged a.txt; echo A > a.txt"},
		{"files are excluded", "echo '*.go' >> .git/errgen/run/work.exclude; echo x > evil.go"},
		{"rules", "echo evil >> .git/errgen/run/rules/.gitignore"},
		{"the baseline", "git config a.b c; echo x > .git/errgen/run/baseline"},
		{"another repository", "mv .git ../old; git init -q ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			_, err = tr.detect(checked)
			require.Error(t, err)
			assert.Equal(t, "detect_changes/store", evidenceOf(t, err))
			_ = tr.close() // its lock may be gone
		})
	}
}

// TestGuardPlaces guards a linked working tree and repositories within the working tree.
func TestGuardPlaces(t *testing.T) {
	const linked = "git worktree add -q ../linked -b side; mv ../linked ../repo2"
	for _, c := range []struct {
		name, before, dir, change string
		files                     []string
	}{
		{"a linked working tree", linked, "../repo2", "git checkout -q --detach; echo x > " +
			"../repo/.git/hooks/pre-commit",
			[]string{".git/HEAD", ".git/hooks/pre-commit"}},
		{"another linked working tree is free", linked, ".", "git -C ../repo2 checkout -q --detach; git -C " +
			"../repo2 commit " +
			"-q --allow-empty -m theirs", nil},
		{"the .git of a linked working tree", linked, "../repo2", "mkdir e; echo gitdir: $PWD/e > .git",
			[]string{".git"}},
		{"a submodule", "git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule add -q " +
			"../sub lib\n" +
			"git commit -qm sub lib .gitmodules", ".", "git -C lib config core.fsmonitor ./x; git -C lib commit " +
			"-q --allow-empty -m e",
			[]string{".git/modules/lib/config", ".git/modules/lib/refs/heads/main"}},
		{"a submodule loses its .git", "git init -q ../sub; git -C ../sub commit -q --allow-empty -m s\n" +
			"git submodule add -q ../sub lib; echo x > lib/x; git commit -qm sub lib .gitmodules", ".",
			"rm lib/.git", []string{"lib/.git"}},
		{"a nested repository loses its .git", "git init -q sub; echo x > sub/x", ".", "mv sub/.git ../gone",
			[]string{"sub/.git"}},
		{"repositories within repositories", "git init -q sub; git init -q sub/sub; echo x > sub/sub/x; echo x > " +
			"sub/x", ".",
			"git -C sub/sub config a.b c", []string{"sub/sub/.git/config"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			r.dir = filepath.Join(r.dir, c.dir)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			found, err := tr.Guard(t.Context())
			require.NoError(t, err)
			paths := pathsOf(found)
			if c.name == "a linked working tree" {
				for i, p := range paths {
					if filepath.Base(p) == "HEAD" {
						paths[i] = ".git/HEAD"
					}
				}
			}
			assert.ElementsMatch(t, c.files, paths)
			_, err = tr.Restore(t.Context(), checked, pathsOf(found))
			require.NoError(t, err)
			left, err := tr.detect(checked)
			require.NoError(t, err)
			assert.Empty(t, left)
			require.NoError(t, tr.close())
		})
	}
}

// TestRestoreOutside restores repositories that an agent replaced by links. Nothing outside the
// working tree changes.
func TestRestoreOutside(t *testing.T) {
	const other = "git init -q ../other; echo o > ../other/u; mkdir ../other/sub; git init -q ../other/sub\n" +
		"echo o > ../other/sub/u; git -C ../other add u; git -C ../other commit -qm other\n"
	for _, c := range []struct{ name, before, change string }{
		{"a submodule", "git init -q ../up; git -C ../up commit -q --allow-empty -m up\n" +
			"git submodule add -q ../up sub; git commit -qm sub sub .gitmodules; echo u > sub/u",
			"rm -rf sub; ln -s ../other sub"},
		{"a nested repository", "git init -q sub; echo u > sub/u; git -C sub config x.y z",
			"rm -rf sub; ln -s ../other sub"},
		{"a directory with a repository", "git init -q p/sub; echo u > p/sub/u; git -C p/sub config x.y z",
			"rm -rf p; ln -s ../other p"},
		{"the .git of a repository", "git init -q sub; echo u > sub/u; git -C sub config x.y z",
			"rm -rf sub/.git; ln -s ../../other/.git sub/.git"},
		{"permissions", "mkdir p; echo u > p/u; chmod 606 p/u", "rm -r p; ln -s ../other p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, other+c.before)
			outside := &repo{t, filepath.Join(r.dir, "../other")}
			files := func() string {
				return r.sh("cd ../other; find . -type f ! -name index | sort | xargs stat -c '%n %a %i %Y %s'")
			}
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			was, wasOutside, listing := r.state(), outside.state(), files()
			r.sh(c.change)
			changes, err := tr.detect(checked)
			require.NoError(t, err)
			assert.NotEmpty(t, changes)
			require.NoError(t, tr.revert(checked, changes))
			assert.Equal(t, was, r.state())
			assert.Equal(t, wasOutside, outside.state())
			assert.Equal(t, listing, files())
			left, err := tr.detect(checked)
			require.NoError(t, err)
			assert.Empty(t, left)
			require.NoError(t, tr.close())
		})
	}
}

// TestAdoptRepositories adopts repositories that a person made or moved while the run was over.
func TestAdoptRepositories(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git init -q p/sub; echo u > p/sub/u")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	require.NoError(t, tr.close())
	r.sh("mv p q; ln -s q p; git init -q new; echo n > new/n; git init -q empty")
	tr = r.open()
	require.NoError(t, tr.Adopt(t.Context()))
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	files, git := listed(changes)
	assert.Equal(t, []string{"added new/n", "added p", "added q/sub/u", "removed p/sub/u"}, files)
	assert.False(t, git, "%v", changes)
	require.NoError(t, tr.close())
}

// TestRefusedName fails if the store cannot contain a file.
func TestRefusedName(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	r.sh("mkdir .GIT; echo x > .GIT/config")
	_, err := tr.begin()
	require.Error(t, err)
	assert.Equal(t, "detect_changes/unreadable", evidenceOf(t, err))
	require.NoError(t, tr.close())
}

// TestObjects restores the objects of the user's repository and of repositories within the working
// tree, also if only the end of the run can do it.
func TestObjects(t *testing.T) {
	for _, c := range []struct {
		name, before, dir, change string
		revert                    bool
	}{
		{"the user's", "git commit -qam second", ".", "rm -r .git/objects/??", false},
		{"the user's behind links", "git commit -qam second", ".",
			"mkdir ../o; for d in .git/objects/??; do rm -r $d; ln -s ../../../o $d; done", false},
		{"a submodule's", "git init -q ../up; git -C ../up commit -q --allow-empty -m up\n" +
			"git submodule add -q ../up sub; echo u > sub/u; git -C sub add u; git -C sub commit -qm unpushed",
			"sub", "rm -rf sub .git/modules", true},
		{"a nested repository's", "git init -q sub; echo u > sub/u; git -C sub add u; git -C sub commit -qm only",
			"sub", "rm -rf sub", true},
		{"a packed repository's", "git init -q sub; echo u > sub/u; git -C sub add u; git -C sub commit -qm only\n" +
			"git -C sub gc -q", "sub", "rm -rf sub", true},
		{"a packed submodule's", "git init -q ../up; git -C ../up commit -q --allow-empty -m up\n" +
			"git submodule add -q ../up sub; git -C sub gc -q; rm -rf .git/modules/sub/refs/remotes", "sub",
			"rm -rf sub .git/modules", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			was := r.sh("git -C " + c.dir + " log -p --format=%H%s")
			r.sh(c.change)
			if c.revert {
				changes, err := tr.detect(checked)
				require.NoError(t, err)
				require.NoError(t, tr.revert(checked, changes))
			}
			require.NoError(t, tr.Close(true))
			assert.Equal(t, was, r.sh("git -C "+c.dir+" log -p --format=%H%s"))
			r.sh("git -C " + c.dir + " fsck --strict >/dev/null")
		})
	}
}

// TestRestoreObjectsOutside writes no objects outside the working tree if an agent replaced a
// directory by a link, and the changes stay.
func TestRestoreObjectsOutside(t *testing.T) {
	const nested = "git init -q p/sub; echo u > p/sub/u; git -C p/sub add u; git -C p/sub commit -qm only"
	const submodule = "git init -q ../up; git -C ../up commit -q --allow-empty -m up\n" +
		"git submodule add -q ../up sub; git commit -qm sub"
	for _, c := range []struct{ name, before, change string }{
		{"a repository", nested, "rm -rf p/sub; ln -s ../../o/sub p/sub"},
		{"a directory with a repository", nested, "rm -rf p; ln -s ../o p"},
		{"the .git of a repository", nested, "rm -rf p/sub/.git; ln -s ../../../o/sub/.git p/sub/.git"},
		{"the objects of a repository", nested,
			"rm -rf p/sub/.git/objects; ln -s ../../../../o/sub/.git/objects p/sub/.git/objects"},
		{"the repositories of submodules", submodule,
			"rm -rf .git/modules; mv ../o/sub/.git ../o/git; rm -r ../o/sub; mv ../o/git ../o/sub\n" +
				"ln -s ../../o .git/modules"},
		{"the user's objects", "", "rm -rf .git/objects; ln -s ../../o/sub/.git/objects .git/objects"},
		{"a directory of the user's objects", "",
			"for d in .git/objects/??; do rm -rf $d; ln -s ../../../o/sub/.git/objects $d; done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "git init -q ../o/sub\n"+c.before)
			tr := r.open()
			_, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			const list = "cd ../o; find . | sort"
			was := r.sh(list)
			require.NoError(t, tr.close())
			assert.Equal(t, was, r.sh(list))
		})
	}
}

// TestBesideAPerson accepts what a person's tools do in the same working tree.
func TestBesideAPerson(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git init -q --bare ../remote; git remote add origin ../remote; git push -q origin main")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("touch a.txt; git status >/dev/null; git fetch -q origin; git pack-refs --all; git gc -q; touch " +
		".git/x.lock\n" +
		"(sleep 0.2; rm -f .git/x.lock) >/dev/null 2>&1 &")
	left, err := tr.detect(checked)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, tr.close())
}

// TestOldLock leaves a lock that was there when the run began to its owner.
func TestOldLock(t *testing.T) {
	for _, c := range []struct{ name, change, want string }{
		{"removed", "rm .git/index.lock", ""},
		{"written", "echo x > .git/index.lock", ".git/index.lock"},
		{"another", "rm .git/refs/heads/main.lock", ".git/index.lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "touch .git/index.lock .git/refs/heads/main.lock")
			tr := r.open()
			checked, err := tr.begin()
			require.NoError(t, err)
			r.sh(c.change)
			for range 2 {
				left, err := tr.detect(checked)
				require.NoError(t, err)
				assert.Empty(t, left)
			}
			assert.Equal(t, c.want, r.sh("ls .git/index.lock 2>/dev/null || true"))
			require.NoError(t, tr.close())
		})
	}
}

// TestAdopt accepts a person's commit between two parts of a run.
func TestAdopt(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	_, err := tr.begin()
	require.NoError(t, err)
	require.NoError(t, tr.close())
	r.sh("git commit -qam theirs")
	tr = r.open()
	found, err := tr.Guard(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, found)
	require.NoError(t, tr.Adopt(t.Context()))
	found, err = tr.Guard(t.Context())
	require.NoError(t, err)
	assert.Empty(t, found)
	require.NoError(t, tr.close())
}

// TestPermissions restores unusual permissions of files.
func TestPermissions(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "echo s > secret.txt; chmod 640 secret.txt")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("chmod 644 .env; chmod 600 old.log; rm secret.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))
	assert.Equal(t, "600 .env\n600 old.log\n640 secret.txt", r.sh("stat -c '%a %n' .env old.log secret.txt"))
	require.NoError(t, tr.close())
}

// TestHead returns the files of the last commit as they are checked out.
func TestHead(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "echo 'c text eol=crlf' > .gitattributes; printf 'x\\r\\n' > c; git add c .gitattributes\n"+
		"git commit -qm c c .gitattributes; echo y > c")
	tr := r.open()
	now, err := tr.begin()
	require.NoError(t, err)
	head, err := tr.Head(t.Context())
	require.NoError(t, err)
	_, err = tr.Restore(t.Context(), head, []string{"c"})
	require.NoError(t, err)
	assert.Equal(t, "0000000   x  \\r  \\n", r.sh("od -c c | head -1"))
	changes, err := tr.Diff(t.Context(), head, now)
	require.NoError(t, err)
	files, _ := listed(changes)
	assert.Contains(t, files, "modified dirty.txt")
	assert.NotContains(t, files, "modified a.txt")
	require.NoError(t, tr.close())
}

// TestAcceptedRules hide files from then on, and turn no person's file into an addition.
func TestAcceptedRules(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	r.sh("echo build/ > .gitignore")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	checked, err = tr.accept(checked, changes)
	require.NoError(t, err)
	r.sh("mkdir build; echo x > build/x; echo old > new.log")
	changes, err = tr.detect(checked)
	require.NoError(t, err)
	files, _ := listed(changes)
	assert.Equal(t, []string{"added new.log"}, files)
	require.NoError(t, tr.close())
}

// TestOpenRefuses opens nothing, and leaves the repository alone.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, before, run string
		opts              gittree.Options
		want              string
	}{
		{"no repository", "rm -rf .git", "run", gittree.Options{}, "prepare/"},
		{"no git", "", "run", gittree.Options{Binary: "/nowhere/git"}, "prepare/not_found"},
		{"a run that leads elsewhere", "", "../run", gittree.Options{}, "prepare/name"},
		{"an empty run", "", "", gittree.Options{}, "prepare/name"},
		{"a git that hangs", "printf '#!/bin/sh\\nexec sleep 60\\n' > ../git; chmod 755 ../git", "run",
			gittree.Options{Binary: "../git", Timeout: 100 * time.Millisecond}, "prepare/timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			if c.opts.Binary == "../git" {
				c.opts.Binary = filepath.Join(r.dir, "../git")
			}
			_, err := gittree.Open(t.Context(), r.dir, c.run, c.opts)
			require.Error(t, err)
			assert.Equal(t, c.want, evidenceOf(t, err))
			_, err = os.Stat(filepath.Join(r.dir, ".git/errgen"))
			assert.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

// TestOtherTree refuses a run that began in another working tree.
func TestOtherTree(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "git worktree add -q ../linked -b side")
	require.NoError(t, r.open().close())
	_, err := gittree.Open(t.Context(), filepath.Join(r.dir, "../linked"), "run", gittree.Options{})
	require.Error(t, err)
	assert.Equal(t, "prepare/refused", evidenceOf(t, err))
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := tr.Snapshot(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "enough")
	require.NoError(t, tr.close())
}
