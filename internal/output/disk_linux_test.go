package output

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFullDisk needs the right to mount; where that lacks, TestWriteIsAllOrNothing stands in for
// it.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	oldTree.write(t, dir)
	big := tree{"a_gen.go": made("new a"), "b_gen.go": made(strings.Repeat("b", 100_000))}
	p, err := NewPlan(target(dir), files(big))
	require.NoError(t, err)
	assert.Regexp(t, `^errs/[ab]_gen\.go: no space left on device \(nothing was changed\)$`,
		p.Write(t.Context()).Error())
	assert.Equal(t, oldTree, readTree(t, dir))
}
