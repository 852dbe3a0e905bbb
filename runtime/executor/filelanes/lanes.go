// Package filelanes shares waits between processes. Each closed lane is a file in a directory. Use
// it if processes share a rate limit and have no database; package state has lanes, too.
package filelanes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	laneSuffix = ".lane"
	lockSuffix = ".lock"
	lockWait   = 10 * time.Second     // longest wait for the lock of a lane
	lockEvery  = 2 * time.Millisecond // interval between attempts to lock
)

// New returns waits that all processes with the same directory share. The first pause creates dir,
// for its owner only. The names of its files do not reveal the names of the lanes. Each error is a
// *taxonomy.Evidence of source "state" and op "state_write", with the attribute path. Clock and
// random are those of [retry.NewSharedWait].
func New(dir string, clock retry.Clock, random retry.Random) retry.SharedWait {
	return lanes.New(&files{dir: dir}, clock, random)
}

// files is a [lanes.Store] in a directory.
type files struct {
	dir string
	mu  sync.Mutex // excludes goroutines of this process; the lock of a lane excludes other processes
}

// Has reports whether the lane has a file. Change reports all other errors of that file.
func (s *files) Has(_ context.Context, key string) (bool, error) {
	_, err := os.Lstat(s.path(key, laneSuffix))
	return !errors.Is(err, fs.ErrNotExist), nil
}

// Change replaces the content of a lane's file by the result of f. The lane is locked meanwhile.
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
		return evidence(path, fmt.Errorf("change lane: %w", err))
	}
	return nil
}

func change(path string, f func(kept []byte, err error) (lanes.Kept, error)) error {
	before, unread := atomicfile.Read(path, lanes.MaxKept+1)
	if errors.Is(unread, fs.ErrNotExist) {
		before, unread = nil, nil
	}
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

func (s *files) path(key, suffix string) string { return filepath.Join(s.dir, key+suffix) }

// evidence returns err as evidence with the path.
func evidence(path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = "state", "state_write"
	ev.SetAttribute("path", path)
	return &ev
}
