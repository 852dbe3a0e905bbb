package state

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"modernc.org/sqlite"
)

// patience is how long other processes are waited for.
type patience struct {
	// once is for how long SQLite itself waits. In that time nothing here is noticed, so that it is
	// short.
	once time.Duration
	// total is after how long it is given up.
	total time.Duration
}

// ordinary is the patience of a [Store]. What writes holds others up for milliseconds; who does so
// for longer than this is not one of us, or is stopped.
var ordinary = patience{once: 200 * time.Millisecond, total: 2 * time.Minute}

// maxPause bounds the pauses between tries. SQLite does not wait at all where it sees that waiting
// could be for ever.
const maxPause = 20 * time.Millisecond

// errBusy is that other processes did not let go in time.
var errBusy = errors.New("another process has been using the state all the time")

// pragma has SQLite wait.
func (p patience) pragma() string {
	return "busy_timeout(" + strconv.FormatInt(p.once.Milliseconds(), 10) + ")"
}

// try runs f until it is not other processes that keep it from being done: until then, nothing of
// it must have happened. It ends early with ctx, and when closing is closed.
func (p patience) try(ctx context.Context, closing <-chan struct{}, f func() error) error {
	err := f()
	if !busy(err) {
		return err
	}
	limit := time.NewTimer(p.total)
	defer limit.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		again := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-again.C:
		case <-limit.C:
			again.Stop()
			return fmt.Errorf("%w, for %s", errBusy, p.total)
		case <-ctx.Done():
			again.Stop()
			return context.Cause(ctx)
		case <-closing:
			again.Stop()
			return ErrClosed
		}
		if err = f(); !busy(err) {
			return err
		}
	}
}

// busy reports whether err is that other processes were at it.
func busy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & primary {
	case sqliteBusy, sqliteLocked, sqliteProtocol:
		return true
	}
	return e.Code() == sqliteReadOnlyRecovery
}
