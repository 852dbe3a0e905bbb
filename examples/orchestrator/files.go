package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole; "-" is out. What was there before stays until all of it is
// written; a link is replaced, not followed.
func writeFile(name string, text []byte, out io.Writer) error {
	if name == "-" {
		_, _ = out.Write(text) // out keeps the error
		return nil
	}
	f, err := beside(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// beside creates a file in the directory of the one that is named.
func beside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	return os.OpenFile(filepath.Join(dir, "."+base+"."+rand.Text()+".tmp"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// checkWritable reports that a file could not be written, before anything is done that it would be
// about.
func checkWritable(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("write %s: it is not a file", name)
	}
	f, err := beside(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
