package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// How long a run waits for another one that writes to its directory, and how often it looks.
const (
	lockWait  = 30 * time.Second
	lockEvery = 20 * time.Millisecond
)

// errHeld says that another process has the lock.
var errHeld = errors.New("locked")

// lock makes the output directory and keeps other runs of errgen from writing to it. A run that is
// killed loses its lock. made is the topmost directory that was made, if any. It waits for a run
// that is writing.
func (p *Plan) lock(ctx context.Context) (held *dirLock, made string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errHeld)
	defer cancel()
	for {
		first, err := p.disk.MkdirAll(p.target.Dir)
		if made == "" {
			made = first
		}
		if err == nil {
			held, err = lockDir(p.target.Dir)
		}
		// A run that failed removes the directory that it made, perhaps while this one is about to
		// lock it.
		if err == nil || !errors.Is(err, errHeld) && !errors.Is(err, fs.ErrNotExist) {
			return held, made, err
		}
		if err := pause(ctx); err != nil {
			return nil, "", err // whoever holds the directory needs it
		}
	}
}

func pause(ctx context.Context) error {
	next := time.NewTimer(lockEvery)
	defer next.Stop()
	select {
	case <-next.C:
		return nil
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), errHeld) {
		return fmt.Errorf(
			"another errgen has been writing here for %v (nothing was changed): let it end, and generate again",
			lockWait)
	}
	return ctx.Err()
}
