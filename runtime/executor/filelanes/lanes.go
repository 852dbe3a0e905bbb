// Package filelanes has processes share their waits: lanes in a directory, a file for each that is
// closed.
package filelanes

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Lanes are [retry.Lanes] that all processes share which have the same directory. Errors are a
// *taxonomy.Evidence of source "state", op "state_write", with the attribute path; the names of
// lanes are in no file's name.
type Lanes struct{ shared *lanes.Lanes }

var _ retry.Lanes = (*Lanes)(nil)

// New returns the lanes in dir, which is made by the first pause, for its owner only. Ramp and
// clock are as for [retry.NewLanes]; all processes should have the same ramp.
func New(dir string, ramp retry.Ramp, clock retry.Clock) *Lanes {
	return &Lanes{shared: lanes.New(&files{dir: dir}, ramp, clock)}
}

// Pause closes the lane until t; see [retry.Lanes]. A lane whose file cannot be read is made anew.
func (l *Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	return l.shared.Pause(ctx, lane, t)
}

// Opens returns when the caller may enter the lane; see [retry.Lanes]. With an error it is now.
func (l *Lanes) Opens(ctx context.Context, lane, caller string, now time.Time) (time.Time, error) {
	return l.shared.Opens(ctx, lane, caller, now)
}
