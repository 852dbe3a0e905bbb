// Package filelanes shares waits between processes. Each closed lane is a file in a directory. Use
// it if processes share a rate limit and have no database; package state has lanes, too.
package filelanes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	lockWait  = 10 * time.Second     // longest wait for the lock of a lane
	lockEvery = 2 * time.Millisecond // interval between attempts to lock
	maxFile   = 64
)

// last is the latest time at which a lane can open, because RFC 3339 has no later years.
var last = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// New returns waits that all processes with the same directory share. The first pause creates dir,
// for its owner only. The names of its files do not reveal the names of the lanes. Each error is a
// *taxonomy.Evidence of source "state" and op "state_read" or "state_write", with the attribute
// path. For clock and random, see [retry.NewSharedWait].
func New(dir string, clock retry.Clock, random retry.Random) retry.SharedWait {
	return &lanes{dir, cmp.Or[retry.Clock](clock, retry.System), random}
}

// lanes is a directory. Each file contains the time at which a lane opens, in RFC 3339.
type lanes struct {
	dir    string
	clock  retry.Clock
	random retry.Random
}

// path returns the path of a lane without its suffix. The name is hashed, because it may contain
// any text.
func (l *lanes) path(lane string) string {
	sum := sha256.Sum256([]byte(lane))
	return filepath.Join(l.dir, fmt.Sprintf("%x", sum[:16]))
}

// Pause implements [retry.SharedWait]. It replaces a file that cannot be read.
func (l *lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	if !t.After(l.clock.Now()) {
		return nil
	}
	if t.After(last) {
		t = last
	}
	path := l.path(lane)
	if err := pause(ctx, path, t.UTC()); err != nil {
		return evidence("state_write", path+".lane", fmt.Errorf("close lane: %w", err))
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

// Until implements [retry.SharedWait].
func (l *lanes) Until(ctx context.Context, lane string) (time.Time, error) {
	path := l.path(lane)
	until, err := read(path)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	now := l.clock.Now()
	switch {
	case err != nil:
		return time.Time{}, evidence("state_read", path+".lane", fmt.Errorf("read lane: %w", err))
	case !until.After(now):
		return time.Time{}, nil
	}
	return retry.Spread(until, now, l.random), nil
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

// evidence returns err as evidence with the path.
func evidence(op, path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = "state", op
	ev.SetAttribute("path", path)
	return &ev
}
