//go:build unix

package verify_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// Nothing but regular files in the tree is read, whatever is in their place. None of it keeps a
// verification waiting.
func TestWhatIsNoFileOfTheTree(t *testing.T) {
	dir, outside := tree(t, map[string]string{"real": "a\n", "other": "a\n"}),
		tree(t, map[string]string{"secret": "a\n"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	require.NoError(t, err)
	defer socket.Close()
	for name, to := range map[string]string{
		"passwd": "/etc/passwd", "up": "../../etc/passwd", "out": filepath.Join(outside, "secret"), "outdir": outside,
		"inside": "real", "loop": "loop", "zero": "/dev/zero", "dangling": "none", "topipe": "pipe",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	for name, want := range map[string]string{
		"passwd":        "is not in the tree: its path, or a symbolic link, leads out of it",
		"up":            "is not in the tree: its path, or a symbolic link, leads out of it",
		"out":           "is not in the tree: its path, or a symbolic link, leads out of it",
		"outdir/secret": "is not in the tree: its path, or a symbolic link, leads out of it",
		"zero":          "is not in the tree: its path, or a symbolic link, leads out of it",
		"/etc/passwd":   "is not in the tree: its path, or a symbolic link, leads out of it",
		"pipe":          "is a pipe",
		"topipe":        "is a pipe",
		"socket":        "is a socket",
		"loop":          "cannot be had: ELOOP",
		"dangling":      "is not there",
		"real/below":    "is not there: something above it is no directory",
		".":             "is a directory",
	} {
		for _, k := range []plan.Criterion{
			{Kind: plan.Format, Text: "utf-8"}, {Kind: plan.Sections, Texts: []string{"A"}},
			{Kind: plan.Count, Text: "a", Min: 1},
			{Kind: plan.Size, Min: 1}, {Kind: plan.Content, Text: "a"}, {Kind: plan.Exists},
		} {
			if k.Kind == plan.Exists && name == "." {
				continue
			}
			k.Path = name
			assert.Contains(t, look(t, dir, k), "| nothing: it "+want, "%s of %s", k.Kind, name)
		}
		v := need(t, dir, plan.Prerequisite{Kind: plan.File, Name: name})
		require.NotNil(t, v.Failed, name)
		assert.Contains(t, v.Failed.Text, want, name)
	}
	assert.Equal(t, "met", look(t, dir, plan.Criterion{Kind: plan.Content, Path: "inside", Text: "^a$|a"}))
	assert.Nil(t, need(t, dir, plan.Prerequisite{Kind: plan.File, Name: "inside"}).Failed)
	assert.Equal(t, "not_found ELOOP: the file loop cannot be had: ELOOP",
		said(need(t, dir, plan.Prerequisite{Kind: plan.File, Name: "loop"})))

	// A pattern counts the files, and the link that stays in the tree.
	assert.Equal(t, `count: at least 99 files matching * | 3 files`,
		look(t, dir, plan.Criterion{Kind: plan.Count, Path: "*", Min: 99}))
	assert.Equal(
		t, "count: at least 1 file matching outdir/* | a directory that cannot be read: outdir is not in the "+
			"tree: its path, or a symbolic link, leads out of it",
		look(t, dir, plan.Criterion{Kind: plan.Count, Path: "outdir/*", Min: 1}))
}

// O40
func TestWhatMayNotBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("everything may be read by root")
	}
	dir := tree(t, map[string]string{"locked": "a\n", "closed/x": ""})
	require.NoError(t, os.Chmod(filepath.Join(dir, "locked"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	assert.Equal(t, "denied EACCES: the file locked may not be read",
		said(need(t, dir, plan.Prerequisite{Kind: plan.File, Name: "locked"})))
	assert.Equal(t, "denied EACCES: the directory closed may not be read",
		said(need(t, dir, plan.Prerequisite{Kind: plan.Directory, Name: "closed"})))
	assert.Equal(t, "content: a text that matches a | nothing: it may not be read",
		look(t, dir, plan.Criterion{Kind: plan.Content, Path: "locked", Text: "a"}))
	assert.Equal(t, "count: at most 9 files matching **/* | a directory that cannot be read: closed may not be read",
		look(t, dir, plan.Criterion{Kind: plan.Count, Path: "**/*", Max: 9}))
}
