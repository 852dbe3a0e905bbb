package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/workspace"
)

// TestLayouts works in clones of repositories of many kinds, and delivers. Nothing of the person's
// changes before that.
func TestLayouts(t *testing.T) {
	const clean = "git stash -q -u; git stash drop -q\n"
	for _, c := range []struct {
		name, before, change string
		show, want           string // in the person's repository, after the delivery
		needs                string // a program
	}{
		{"a linked working tree", clean + "mv $PWD ../main; git -C ../main worktree add -q ../repo -b side",
			"echo A > a.txt", "git log --format=%s main..side; cat a.txt", "attempt 1\nA", ""},
		{"a shallow repository", clean + "git commit -q --allow-empty -m two; mv $PWD ../full\n" +
			"git clone -q --depth 1 file://$PWD/../full ../repo 2>/dev/null || git clone -q --depth 1 " +
			"file://$(dirname $PWD)/full ../repo",
			"echo A > a.txt; git log --format=%s", "git log --format=%s; git diff --stat origin/main | tail -1",
			"attempt 1\ntwo\n 1 file changed, 1 insertion(+), 1 deletion(-)", ""},
		{"a partial repository", clean + "echo 2 > a.txt; git commit -qam two; git config " +
			"uploadpack.allowFilter true\n" +
			"mv $PWD ../full; git clone -q --filter=blob:none file://$(dirname $PWD)/full ../repo",
			"echo A > a.txt", "git log --format=%s; cat a.txt", "attempt 1\ntwo\nfirst\nA", ""},
		{"a sparse checkout", clean + "git sparse-checkout set dir", "test ! -e src; echo x >> dir/b.txt; echo " +
			"y > dir/n",
			"git show --name-status --format=%s; git ls-files -t src; ls", "attempt " +
				"1\n\nM\tdir/b.txt\nA\tdir/n\nS src/s.txt\n" +
				"a.txt\ndir\ndirty.txt\nold.log\nrun.sh", ""},
		{"SHA-256", "rm -rf .git; git init -q --object-format=sha256; git add -A; git commit -qm first", "echo " +
			"A > a.txt",
			"git show --name-only --format=%s; git rev-parse HEAD | wc -c", "attempt 1\n\na.txt\n65", ""},
		{"submodules in submodules", clean + "git init -q ../in; echo i > ../in/i; git -C ../in add i; git -C " +
			"../in commit -qm i\n" +
			"git init -q ../sub; echo s > ../sub/s; git -C ../sub add s; git -C ../sub submodule --quiet add " +
			"../in in\n" +
			"git -C ../sub commit -qm s; git submodule --quiet add ../sub lib; git submodule --quiet update " +
			"--init --recursive\n" +
			"git commit -qm sub", "cat lib/s lib/in/i; echo S > lib/s; echo A > a.txt",
			"git show --name-only --format=%s; git status --porcelain", "attempt 1\n\na.txt", ""},
		{"Git LFS", clean + "git lfs install --local --skip-repo; git lfs track '*.bin' > /dev/null; head -c " +
			"5000 /dev/zero > x.bin\n" +
			"git add -A; git commit -qm lfs", "test $(wc -c < x.bin) = 5000; head -c 7000 /dev/zero > x.bin; " +
			"echo new > y.bin",
			"git show HEAD:y.bin | head -1; wc -c < x.bin; cat y.bin; git status --porcelain; git lfs fsck",
			"version https://git-lfs.github.com/spec/v1\n7000\nnew\nGit LFS fsck OK", "git-lfs"},
		{"CRLF", clean + "git config core.autocrlf true; printf 'x\\r\\n' > c; git add c; git commit -qm c c",
			"od -c c | head -1 | grep -q '\\\\r'; printf 'y\\r\\n' >> c", "git show HEAD:c | od -c | head -1; " +
				"git status --porcelain",
			"0000000   x  \\n   y  \\n", ""},
		{"names without case", clean + "git config core.ignoreCase true", "git mv a.txt A.txt; echo 2 > A.txt",
			"git show --name-status --no-renames --format=%s", "attempt 1\n\nA\tA.txt\nD\ta.txt", ""},
		{"signed commits", clean + "ssh-keygen -q -t ed25519 -N '' -f ../key; git config gpg.format ssh\n" +
			"git config user.signingKey \"$(dirname $PWD)/key\"; git config commit.gpgSign true\n" +
			"printf 'test@example.com %s' \"$(cat ../key.pub)\" > ../allowed; git config " +
			"gpg.ssh.allowedSignersFile \"$(dirname $PWD)/allowed\"",
			"echo A > a.txt", "git log -1 --format='%G? %s'", "G attempt 1", "ssh-keygen"},
		{"core.hooksPath", clean + "mkdir .husky; printf '#!/bin/sh\\ntouch ../ran\\n' > .husky/pre-commit\n" +
			"chmod 755 .husky/pre-commit; for h in post-merge reference-transaction post-checkout; do cp " +
			".husky/pre-commit .husky/$h; done\n" +
			"git add -A; git commit -qm hooks; git config core.hooksPath .husky", "echo A > a.txt; echo 'touch " +
			"../ran' >> .husky/pre-commit",
			"git show --name-only --format=%s; ls ../ran 2>/dev/null || true", "attempt " +
				"1\n\n.husky/pre-commit\na.txt", ""},
		{"a detached HEAD", clean + "git checkout -q --detach", "echo A > a.txt", "git log --format=%s " +
			"errgen/run; git status --porcelain",
			"attempt 1\nfirst", ""},
		{"borrowed objects", clean + "git clone -q --shared . ../s; rm -rf ../old; mv .git ../old; mv ../s/.git .\n" +
			"echo $(dirname $PWD)/old/objects > .git/objects/info/alternates", "echo A > a.txt", "git show " +
			"--name-only --format=%s",
			"attempt 1\n\na.txt", ""},
		{"an identity of a condition", clean + "printf '[user]\\n\\tname = Other\\n' > ../conf\n" +
			"git config includeIf.gitdir:$PWD/.path ../../conf", "echo A > a.txt", "git log -1 --format='%an " +
			"%cn'", "Other Other", ""},
		{"a packed repository with tags and remotes", clean + "git tag v1; git init -q --bare ../up; git remote " +
			"add origin ../up\n" +
			"git push -q origin main v1; git fetch -q; git gc -q", "git describe --tags | grep v1; git diff " +
			"--quiet origin/main; echo A > a.txt",
			"git show --name-only --format=%s", "attempt 1\n\na.txt", ""},
		{"settings that delete and rewrite", clean + "git tag v1; git config fetch.prune true; git config " +
			"fetch.pruneTags true\n" +
			"git config merge.ff false; git config pull.rebase true; git config commit.template x; git config " +
			"clone.rejectShallow true",
			"echo A > a.txt", "git log --format=%s; git tag", "attempt 1\nfirst\nv1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
				t.Skip(err)
			}
			r := newRepo(t, "cd \"$PWD\"; "+c.before)
			persons := fingerprint(t, r.dir)
			tr := r.open("run")
			id := tr.work(1, c.change)
			require.NotEmpty(t, id)
			require.Empty(t, tr.detect(tr.found), "nothing is left")
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)), "nothing of the person's changes")
			d := tr.deliver()
			if c.name == "a detached HEAD" {
				assert.Equal(t, "no branch was checked out at the beginning", d.why)
			} else {
				assert.Empty(t, d.why)
			}
			require.NoError(t, tr.Close(true))
			assert.NoDirExists(t, tr.Home())
			assert.Equal(t, c.want, r.sh(c.show))
			assert.Empty(t, r.sh("git fsck --no-dangling --no-progress 2>&1 | grep -v notice || true"))
		})
	}
}

// TestRefusedLayouts refuses what cannot work, changes nothing, and leaves no clone.
func TestRefusedLayouts(t *testing.T) {
	for _, c := range []struct {
		name, before string
		change       func(*workspace.Options)
		want         string
	}{
		{"no commit", "rm -rf .git; git init -q .", nil, "prepare/layout"},
		{"an unknown base", "", func(o *workspace.Options) { o.Base = "none" }, "prepare/name"},
		{"a base that is an option", "", func(o *workspace.Options) { o.Base = "--all" }, "prepare/name"},
		{"a filter in the tree", "git config filter.x.clean './run.sh %f'", nil, "prepare/layout"},
		{"an argument of a filter in the tree", "git config filter.x.process 'sh -c \"exec sh dir/b.txt\"'",
			nil, "prepare/layout"},
		{"a filter in the person's tree by its full path", "git config filter.x.smudge \"$PWD/run.sh\"", nil,
			"prepare/layout"},
		{"a signing program in the tree", "git config gpg.ssh.program ./run.sh", nil, "prepare/layout"},
		{"a command for the signing key in the tree", "git config gpg.ssh.defaultKeyCommand ./run.sh", nil,
			"prepare/layout"},
		{"an extension of LFS in the tree", "git config lfs.extension.x.clean 'sh run.sh'", nil, "prepare/layout"},
		{"a transfer program of LFS in the tree", "git config lfs.customTransfer.x.path ./run.sh", nil,
			"prepare/layout"},
		{"a branch of the result with other commits", "git update-ref refs/heads/errgen/run $(git commit-tree " +
			"-m x HEAD^{tree})", nil, "prepare/name"},
		{"a branch in the way", "git branch errgen", nil, "prepare/name"},
		{"a shared file that git tracks", "", func(o *workspace.Options) { o.Share = []string{"a.txt"} },
			"prepare/clone"},
		{"a shared file outside", "", func(o *workspace.Options) { o.Link = []string{"../x"} }, "prepare/clone"},
		{"a shared pipe", "mkfifo x.log", func(o *workspace.Options) { o.Share = []string{"x.log"} }, "prepare/"},
		{"a setup that fails", "", func(o *workspace.Options) { o.Setup = [][]string{{"sh", "-c", "exit 3"}} },
			"prepare/setup"},
		{"in place with changes", "", func(o *workspace.Options) { o.InPlace = true }, "prepare/refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.before)
			persons := fingerprint(t, r.dir)
			if c.change == nil {
				c.change = func(*workspace.Options) {}
			}
			w := r.workspace("run", c.change)
			_, err := w.Open(t.Context(), "run")
			assert.Equal(t, c.want, evidenceOf(t, err))
			assert.Empty(t, difference(persons, fingerprint(t, r.dir)))
			assert.NoDirExists(t, w.Home())
		})
	}
	r := newRepo(t, "")
	for _, c := range []struct {
		name, run string
		change    func(*workspace.Options)
		want      string
	}{
		{"a home in the tree", "run", func(o *workspace.Options) { o.Home = r.dir + "/trees" }, "prepare/layout"},
		{"a run that is a path", "../run", func(*workspace.Options) {}, "prepare/name"},
		{"a run that is no branch", "a..b", func(*workspace.Options) {}, "prepare/name"},
		{"a branch that is an option", "run", func(o *workspace.Options) { o.Branch = "-x y" }, "prepare/name"},
		{"a home that is not absolute", "run", func(o *workspace.Options) { o.Home = "trees" }, "prepare/layout"},
	} {
		opts := r.options()
		c.change(&opts)
		_, err := workspace.New(t.Context(), r.dir, c.run, opts)
		require.Error(t, err, c.name)
		assert.Equal(t, c.want, evidenceOf(t, err), c.name)
	}
	_, err := workspace.New(t.Context(), t.TempDir(), "run", workspace.Options{})
	assert.Equal(t, "prepare/", evidenceOf(t, err), "no repository")
}

// otherDisk returns a directory on another disk than the repositories of the tests.
func otherDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "workspace")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestOtherDisk makes the clone on another disk, where git copies instead of linking.
func TestOtherDisk(t *testing.T) {
	home := otherDisk(t)
	r := newRepo(t, "")
	tr := r.open("run", func(o *workspace.Options) { o.Home = home })
	tr.work(1, "echo A > a.txt")
	assert.Empty(t, tr.deliver().why)
	require.NoError(t, tr.Close(true))
	left, err := filepath.Glob(filepath.Join(home, "*", "run"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestNestedRepositoryOnOtherDisk moves the .git of a nested repository from the person's disk. If it
// cannot be copied, it stays.
func TestNestedRepositoryOnOtherDisk(t *testing.T) {
	home := otherDisk(t)
	for _, c := range []struct {
		name, change string
		moved        bool
	}{
		{"a directory", "git init -q sub", true},
		{"a file", "git init -q --separate-git-dir=../elsewhere sub", true},
		{"a directory with a pipe", "git init -q sub; mkfifo sub/.git/pipe", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRepo(t, "git stash -q -u; git stash drop -q")
			tr := r.open("run", func(o *workspace.Options) { o.Home, o.InPlace = home, true })
			tr.sh(c.change)
			_, err := tr.Snapshot(tr.ctx)
			old, globErr := filepath.Glob(filepath.Join(tr.Home(), "old", "*", ".git"))
			require.NoError(t, globErr)
			if c.moved {
				require.NoError(t, err)
				assert.Len(t, old, 1)
				assert.NoFileExists(t, filepath.Join(r.dir, "sub", ".git"))
			} else {
				require.Error(t, err)
				assert.FileExists(t, filepath.Join(r.dir, "sub", ".git", "HEAD"))
			}
			require.NoError(t, tr.Close(false))
		})
	}
}

// TestSettingWithoutValue copies a setting without a value, which git reads as true.
func TestSettingWithoutValue(t *testing.T) {
	r := newRepo(t, "printf '[filter \"x\"]\\n\\trequired\\n[core]\\n\\tautocrlf = true\\n' >> .git/config")
	tr := r.open("run")
	assert.Equal(t, "true\ntrue", r.sh("for key in filter.x.required core.autocrlf; do\n"+
		"git --git-dir='"+tr.Home()+"/git' config --type=bool $key; done"))
	require.NoError(t, tr.Close(true))
}
