// Package filelanes shares waits between processes. Each closed lane is a file in a directory. Use
// it if processes share a rate limit and have no database; package state has lanes, too.
package filelanes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/retry"
)

const (
	lockWait  = 10 * time.Second     // longest wait for the lock of a lane
	lockEvery = 2 * time.Millisecond // interval between attempts to lock
	maxFile   = 64
)

// New returns waits that all processes with the same directory share. The first pause creates dir,
// for its owner only. The names of its files do not reveal the names of the lanes. Each error is a
// *taxonomy.Evidence of source "state" and op "state_read" or "state_write", with the attribute
// path. For clock and random, see [retry.NewSharedWait].
func New(dir string, clock retry.Clock, random retry.Random) retry.SharedWait {
	return retry.NewStoredWait(store(dir), clock, random)
}

// store is a directory. Each file contains the time at which a lane opens, in RFC 3339.
type store string

// path returns the path of a lane without its suffix.
func (s store) path(lane string) string { return filepath.Join(string(s), retry.LaneKey(lane)) }

// Extend implements [retry.WaitStore]. It replaces a file that cannot be read.
func (s store) Extend(ctx context.Context, lane string, until, _ time.Time) error {
	path := s.path(lane)
	if err := pause(ctx, path, until); err != nil {
		return evidence.OfFile("state", "state_write", path+".lane", fmt.Errorf("close lane: %w", err))
	}
	return nil
}

// pause closes a lane until t, unless it is already closed longer. It holds the lane's lock.
func pause(ctx context.Context, path string, t time.Time) (err error) {
	if err := atomicfile.MakeDir(filepath.Dir(path)); err != nil || ctx.Err() != nil {
		return cmp.Or(err, context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock, err := filelock.Wait(ctx, path+".lock", lockEvery)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if until, err := read(path); err == nil && until.After(t) {
		return nil
	}
	return atomicfile.Replace(path+".lane", t.AppendFormat(nil, time.RFC3339Nano))
}

// Opens implements [retry.WaitStore].
func (s store) Opens(ctx context.Context, lane string) (time.Time, error) {
	path := s.path(lane)
	until, err := read(path)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return time.Time{}, evidence.OfFile("state", "state_read", path+".lane", fmt.Errorf("read lane: %w", err))
	}
	return until, nil
}

// read returns when a lane opens, or the zero time if the lane has no file.
func read(path string) (time.Time, error) {
	b, err := atomicfile.Read(path+".lane", maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, string(b))
}
