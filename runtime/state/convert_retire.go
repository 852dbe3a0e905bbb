package state

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// retireLegacy gives the file that this database was converted from another name, if it still has
// its own and is as it was then. A file of the older form that is another one is left alone.
func (s *Store) retireLegacy(ctx context.Context) error {
	path := s.legacyPath()
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // there is none, or it is not the one
	}
	var sum string
	err = s.query(ctx, "read what the state was converted from", "SELECT value FROM executor_meta WHERE key = ?",
		[]any{keyConverted},
		func(r row) error { return r.Scan(&sum) })
	if err != nil || sum == "" {
		return err
	}
	err = s.making(ctx, func() error {
		now, err := fingerprintOf(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && now != sum {
			return nil
		}
		if err != nil {
			return err
		}
		return setAside(path)
	})
	if err != nil {
		return fmt.Errorf("rename %s, which is converted: %w", path, err)
	}
	return nil
}

// setAside renames a file to the first name that is free of it with ".bak", ".bak.1", ".bak.2" and
// so on behind it.
func setAside(path string) error {
	to := path + ".bak"
	for n := 1; ; n++ {
		_, err := os.Lstat(to)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		to = path + ".bak." + strconv.Itoa(n)
	}
	if err := os.Rename(path, to); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(path))
}

func fingerprintOf(path string) (sum string, err error) {
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hexOf(h), nil
}
