// Package filelanes has processes share their waits: lanes in a directory, a file for each that is
// closed.
package filelanes

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Lanes are [retry.SharedWait] that all processes share which have the same directory. Errors are a
// *taxonomy.Evidence of source "state", op "state_write", with the attribute path; the names of
// lanes are in no file's name.
type Lanes struct{ shared *lanes.Lanes }

var _ retry.SharedWait = (*Lanes)(nil)

// New returns the lanes in dir, which is made by the first pause, for its owner only. Clock and
// random are as for [retry.NewSharedWait].
func New(dir string, clock retry.Clock, random retry.Random) *Lanes {
	return &Lanes{shared: lanes.New(&files{dir: dir}, clock, random)}
}

// Pause closes the lane until t; see [retry.SharedWait]. A lane whose file cannot be read is made anew.
func (l *Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	return l.shared.Pause(ctx, lane, t)
}

// Until returns when the caller may use the lane; see [retry.SharedWait]. The instant of an open
// lane, and with an error, is zero.
func (l *Lanes) Until(ctx context.Context, lane string) (time.Time, error) {
	return l.shared.Until(ctx, lane)
}
