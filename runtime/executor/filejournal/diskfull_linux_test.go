package filejournal_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
)

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system can be mounted here: %s", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, 0)) })
	j, _ := open(t, dir, "r")
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	e := executor.Entry{Point: executor.PointAnswered, Answered: &executor.Answered{Text: strings.Repeat("x", 9000)}}
	written := 0
	var err error
	for ; err == nil && written < 100; written++ {
		err = j.Append(context.Background(), e)
	}
	written--
	ev := evidence(t, err)
	assert.Equal(t, []string{"state", "state_write", "ENOSPC", filepath.Join(dir, "r.journal")},
		[]string{ev.Source, ev.Op, ev.Errno, ev.Attribute("path")})
	require.NoError(t, j.Close())

	j, entries := open(t, dir, "r")
	assert.Len(t, entries, written)
	require.Error(t, j.Append(context.Background(), e), "still no room")
	require.NoError(t, j.Append(context.Background(), executor.Entry{Point: executor.PointClosed}),
		"a short one has room")
	require.NoError(t, j.Close())
	j, entries = open(t, dir, "r")
	assert.Len(t, entries, written+1)
	require.NoError(t, j.Close())
}
