package gittree_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// smallDisk moves a repository to a disk of a few MiB.
func (r *repo) smallDisk(size string, move string) {
	r.t.Helper()
	if os.Getuid() != 0 {
		r.t.Skip("only root can mount a disk")
	}
	dir := r.t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		r.t.Skip("no small disk: ", err)
	}
	r.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	r.sh("disk=" + dir + "\n" + move)
	if _, err := os.Lstat(dir + "/repo"); err == nil {
		r.dir = dir + "/repo"
	}
}

// TestFullDisk fails each operation on a full disk, loses nothing, and works when there is room
// again.
func TestFullDisk(t *testing.T) {
	r := newRepo(t, "")
	r.smallDisk("4m", "cp -a . $disk/repo")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	was := r.state()
	r.sh("echo A > a.txt; head -c 600000 /dev/urandom > big; dd if=/dev/zero of=../fill bs=1k 2>/dev/null || true")
	_, err = tr.begin()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	assert.Equal(t, "ENOSPC", ev.Errno, "%v", ev)
	r.sh("rm ../fill")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	r.sh("dd if=/dev/zero of=../fill bs=1k 2>/dev/null || true")
	_, err = tr.save(1, checked)
	require.Error(t, err)
	assert.Equal(t, "save/", evidenceOf(t, err))
	_, err = tr.commit(1, tr.found, []string{"a.txt"})
	require.Error(t, err)
	assert.Equal(t, "commit/", evidenceOf(t, err))
	_ = tr.revert(checked, changes) // which fails unless the removed file makes room
	r.sh("rm ../fill")
	_, err = tr.save(1, checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))
	assert.Equal(t, was, r.state())
	r.sh("git fsck --no-progress --no-dangling")
	require.NoError(t, tr.close())
}

// TestGitOnAnotherDisk works where files cannot be linked or renamed into the store.
func TestGitOnAnotherDisk(t *testing.T) {
	r := newRepo(t, "mkdir node_modules; echo m > node_modules/m")
	r.smallDisk("20m", "mv .git $disk/git; echo gitdir: $disk/git > .git")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	files := r.sh("find . -type f | sort | xargs sha256sum")
	r.sh("rm a.txt; git commit -qam mine; mv node_modules a.txt; git init -q sub; echo x > sub/x; " +
		"rm dir/b.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	_, err = tr.save(1, checked)
	require.NoError(t, err)
	require.NoError(t, tr.revert(checked, changes))
	left, err := tr.detect(checked)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Equal(t, files, r.sh("find . -type f | sort | xargs sha256sum"))
	assert.Equal(t, "first", r.sh("git log -1 --format=%s"))
	require.NoError(t, tr.close())
}
