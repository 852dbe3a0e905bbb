// Package filelanes shares waits between processes. Each closed lane is a file in a directory. Use
// it if processes share a rate limit and have no database; package state has lanes, too.
package filelanes

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Lanes is a [retry.SharedWait] that all processes with the same directory share. Each error is a
// *taxonomy.Evidence of source "state" and op "state_write", with the attribute path. The names of
// the files do not reveal the names of the lanes.
type Lanes struct{ shared *lanes.Lanes }

var _ retry.SharedWait = (*Lanes)(nil)

// New returns the lanes in dir. The first pause creates dir, for its owner only. Clock and random
// are those of [retry.NewSharedWait].
func New(dir string, clock retry.Clock, random retry.Random) *Lanes {
	return &Lanes{shared: lanes.New(&files{dir: dir}, clock, random)}
}

// Pause closes the lane until t; see [retry.SharedWait]. If the lane's file cannot be read, Pause
// replaces it.
func (l *Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	return l.shared.Pause(ctx, lane, t)
}

// Until returns when the caller may use the lane; see [retry.SharedWait]. If the lane is open, or
// there is an error, the time is zero.
func (l *Lanes) Until(ctx context.Context, lane string) (time.Time, error) {
	return l.shared.Until(ctx, lane)
}
