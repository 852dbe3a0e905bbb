package workspace

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// readDir lists a directory of the working tree or of git itself.
func (s *scan) readDir(p string) ([]fs.DirEntry, error) {
	list, err := s.tryDir(p)
	if err != nil && s.shut(p, err) {
		return s.tryDir(p)
	}
	return list, err
}

// tryDir lists a directory unless it is shut. At the beginning its permissions are noted.
func (s *scan) tryDir(p string) ([]fs.DirEntry, error) {
	list, perm, err := listDir(s.where(p), s.first)
	if err == nil && s.first && perm != noPerm {
		if p == "" {
			p = "."
		}
		s.perms[p] = perm
	}
	return list, err
}

// noPerm says that the permissions of a directory are not known.
const noPerm = fs.ModeIrregular

// listDir lists a directory and returns, if they are wanted, its permissions. One that has gone
// meanwhile has nothing in it.
func listDir(name string, wanted bool) ([]fs.DirEntry, fs.FileMode, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if missing(err) {
			return nil, noPerm, nil
		}
		return nil, noPerm, err
	}
	defer f.Close()
	perm := noPerm
	if wanted {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			perm = info.Mode().Perm()
		}
	}
	list, err := f.ReadDir(-1)
	return list, perm, err
}

func (g *Git) dirsFile(run string) string { return filepath.Join(g.runDir(run), "dirs.json") }

// rememberDirs remembers the permissions that the directories have when a run begins. They are a
// file of their own, because they never change and may be many.
func (g *Git) rememberDirs(op, run string, perms map[string]fs.FileMode) error {
	if info, err := os.Lstat(g.dir); err == nil && g.dir == g.path(".git") {
		perms[".git"] = info.Mode().Perm()
	}
	out := make(rawMap[uint32], len(perms))
	for p, perm := range perms {
		out[raw(p)] = uint32(perm)
	}
	b, err := json.Marshal(out)
	if err == nil {
		err = writePrivate(g.dirsFile(run), func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err != nil {
		return fault(op, "remember the permissions of directories", nil, err)
	}
	return nil
}

// dirModes returns the permissions that the directories had when the run began. Of none is known
// what was forgotten.
func (s *scan) dirModes() map[string]fs.FileMode {
	if s.perms != nil {
		return s.perms
	}
	s.perms = map[string]fs.FileMode{}
	b, err := os.ReadFile(s.dirsFile(s.of))
	var in rawMap[uint32]
	if err != nil || json.Unmarshal(b, &in) != nil {
		return s.perms
	}
	for p, perm := range in {
		s.perms[string(p)] = fs.FileMode(perm) & fs.ModePerm
	}
	return s.perms
}
