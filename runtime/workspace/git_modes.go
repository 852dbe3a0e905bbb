package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
)

// RestoreModes gives the regular files of a checked tree the permissions that they had. Files that
// have another mode for git than then are left alone, because [Git.Detect] finds them and
// [Git.Revert] puts them back. So are directories.
func (g *Git) RestoreModes(ctx context.Context, checked executor.Checked) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, err := g.load(ctx, opRevert, checked)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(g.root)
	if err != nil {
		return fault(opRevert, "", nil, err)
	}
	defer root.Close()
	var failed []string
	var first error
	for p, e := range s.entries {
		if !e.regular() || e.git {
			continue
		}
		if err := restoreMode(root, filepath.FromSlash(p), e); err != nil {
			failed = append(failed, p)
			first = err
		}
	}
	if first == nil {
		return nil
	}
	slices.Sort(failed)
	return fault(opRevert, "restore permissions", failed, first)
}

// restoreMode touches nothing but a regular file that is in the place of the entry.
func restoreMode(root *os.Root, name string, want *entry) error {
	info, err := root.Lstat(name)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if modeOf(info.Mode()) != want.mode || info.Mode().Perm() == want.perm || realParents(root, name) != nil {
		return nil
	}
	return root.Chmod(name, want.perm)
}
