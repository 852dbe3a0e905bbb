package gittree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// modesFile lists the files with unusual permissions. Git stores only whether a file is executable.
const modesFile = "modes.json"

// usual are the permissions that are not recorded.
var usual = []fs.FileMode{0o644, 0o755, 0o664, 0o775, 0o666, 0o777}

// recordModes records the unusual permissions of files in the first snapshot of a run.
func (s *Space) recordModes(ctx context.Context) error {
	if s.modes != nil {
		return nil
	}
	files, err := s.list(ctx, command{args: []string{"ls-files", "-z", "--full-name"}})
	if err != nil {
		return err
	}
	modes := map[string]fs.FileMode{}
	for _, p := range files {
		info, err := os.Lstat(filepath.Join(s.root, filepath.FromSlash(p)))
		if err == nil && info.Mode().IsRegular() && !slices.Contains(usual, info.Mode().Perm()) {
			modes[p] = info.Mode().Perm()
		}
	}
	s.modes = modes
	return s.writeJSON(modesFile, modes)
}

// restoreModes restores the recorded permissions, so that a file with a secret does not become
// readable for others.
func (s *Space) restoreModes() error {
	for p, mode := range s.modes {
		name := filepath.Join(s.root, filepath.FromSlash(p))
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&^0o111 == mode&^0o111 {
			continue
		}
		if err := os.Chmod(name, mode&^0o111|info.Mode().Perm()&0o111); err != nil {
			return err
		}
	}
	return nil
}
