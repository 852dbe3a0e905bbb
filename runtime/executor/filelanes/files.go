package filelanes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	laneSuffix = ".lane"
	lockSuffix = ".lock"
	// lockWait and lockEvery are for how long, and how often, a lane is tried that another process
	// is working on.
	lockWait  = 10 * time.Second
	lockEvery = 2 * time.Millisecond
)

// files keep lanes in a directory.
type files struct {
	dir string
	mu  sync.Mutex // among the goroutines of this process; the lock on a lane's file is among processes
}

// Has reports whether there is a lane's file.
func (s *files) Has(_ context.Context, key string) (bool, error) {
	_, err := os.Lstat(s.path(key, laneSuffix))
	return !errors.Is(err, fs.ErrNotExist), nil // what else is wrong with it is told by who reads it
}

// Change has f change what a lane's file holds, while the lane is locked.
func (s *files) Change(ctx context.Context, key string, f func(kept []byte, err error) (lanes.Kept, error)) error {
	if err := atomicfile.MakeDir(s.dir); err != nil {
		return evidence(s.dir, fmt.Errorf("make the directory of lanes: %w", err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	path := s.path(key, laneSuffix)
	lock, err := filelock.Wait(ctx, s.path(key, lockSuffix), lockEvery)
	if err != nil {
		return evidence(path, fmt.Errorf("lock lane: %w", err))
	}
	if err = errors.Join(change(path, f), lock.Release()); err != nil {
		return evidence(path, fmt.Errorf("keep lane: %w", err))
	}
	return nil
}

func change(path string, f func(kept []byte, err error) (lanes.Kept, error)) error {
	before, unread := read(path)
	after, err := f(before, unread)
	switch {
	case err != nil:
		return err
	case after.Body == nil && before == nil:
		return nil
	case after.Body == nil:
		return os.Remove(path)
	case bytes.Equal(after.Body, before) && unread == nil:
		return nil
	}
	return atomicfile.Replace(path, after.Body)
}

// read returns what a file holds, and no more of it than shows that it is too much; nil when there
// is none.
func read(path string) ([]byte, error) {
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, lanes.MaxKept+1))
	return b, errors.Join(err, f.Close())
}

func (s *files) path(key, suffix string) string { return filepath.Join(s.dir, key+suffix) }

func evidence(path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = "state", "state_write"
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes["path"] = path
	return &ev
}
