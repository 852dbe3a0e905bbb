package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// errStopped is why a run is cancelled when the stop file is there.
var errStopped = errors.New("stopped by the stop file")

// stopper stops runs when a file is there: between two attempts and in waits, so that no call of
// the agent is cut short. The file is left for whoever has put it there.
type stopper struct{ file string }

// wanted reports whether the file is there. What cannot be looked at is not there.
func (s stopper) wanted() bool {
	_, err := os.Lstat(s.file)
	return err == nil
}

// said is why nothing is begun while the file is there.
func (s stopper) said() string { return "stopped, until the stop file " + s.file + " is removed" }

// observer cancels a run at the end of an attempt.
func (s stopper) observer(cancel context.CancelCauseFunc) executor.Observer {
	return observerFunc(func(e executor.Event) {
		if e.Kind == executor.IterationEnded && s.wanted() {
			cancel(errStopped)
		}
	})
}

// observerFunc is a function that observes.
type observerFunc func(executor.Event)

func (f observerFunc) Observe(e executor.Event) { f(e) }

// clock is the machine's, whose waits end early when the file appears.
func (s stopper) clock(cancel context.CancelCauseFunc) retry.Clock {
	return &stoppedClock{retry.System, s, cancel}
}

type stoppedClock struct {
	retry.Clock
	stopper
	cancel context.CancelCauseFunc
}

// glance is how often a wait looks for the file.
const glance = time.Second

func (c *stoppedClock) Sleep(ctx context.Context, d time.Duration) error {
	for until := c.Now().Add(d); ; {
		left := until.Sub(c.Now())
		if left <= 0 {
			return nil
		}
		if c.wanted() {
			c.cancel(errStopped)
			return errStopped
		}
		if err := c.Clock.Sleep(ctx, min(left, glance)); err != nil {
			return err
		}
	}
}
