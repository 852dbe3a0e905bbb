package gittree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// marks describes the files with which the store tracks the working tree: their sizes, modes and
// change times, which no program can set.
func (s *Space) marks() string {
	var b []byte
	for _, pattern := range []string{"*", "work/*", "inside/*", "nested*/*", "info/*", "objects/info/*"} {
		files, _ := filepath.Glob(filepath.Join(s.store, pattern))
		for _, name := range files {
			if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
				b = appendMark(b, name, info)
			}
		}
	}
	_ = filepath.WalkDir(filepath.Join(s.store, rulesDir), func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			if info, err := d.Info(); err == nil && !d.IsDir() {
				b = appendMark(b, name, info)
			}
		}
		return nil
	})
	return string(b)
}

func appendMark(b []byte, name string, info fs.FileInfo) []byte {
	return fmt.Appendf(b, "%s %d %v %v\n", name, info.Size(), info.Mode(), changeMark(info))
}

// checkSeal returns evidence if another process changed the store since the last operation. A new
// process continues with the store as it is.
func (s *Space) checkSeal() error {
	if s.seal == "" || s.seal == s.marks() {
		return nil
	}
	return fault(typeStore, "another process changed the files in which the run tracks the working tree", nil, s.store)
}
