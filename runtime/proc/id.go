package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ID identifies a process, also after its number was given to another one.
type ID struct {
	// PID is the number of the process.
	PID int
	// Start is the start time in a form of the system's, and the mark of its descendants. Two IDs
	// with equal fields are the same process.
	Start string
}

var (
	errGone     = errors.New("no such process")
	errSurvived = errors.New("the process exists after it was killed")
)

// identify returns the identity of a process. Its descendants have the mark.
func identify(pid int, mark string) (ID, error) {
	start, _, err := startOf(pid)
	if err != nil {
		return ID{}, err
	}
	if mark != "" {
		start += markSeparator + mark
	}
	return ID{PID: pid, Start: start}, nil
}

// markSeparator is between a start and a mark.
const markSeparator = " "

// split returns the start of a process and the mark of its descendants.
func (id ID) split() (start, mark string) {
	start, mark, _ = strings.Cut(id.Start, markSeparator)
	return start, mark
}

// Self returns the identity of this process.
func Self() (ID, error) {
	id, err := identify(os.Getpid(), "")
	if err != nil {
		return ID{}, fmt.Errorf("identify this process: %w", err)
	}
	return id, nil
}

// Alive reports whether the process is running. One that has ended and was not waited for is not;
// neither is another process with the same number. A process about which the system says nothing is
// taken to be alive.
func Alive(id ID) bool {
	if id.PID <= 0 {
		return false
	}
	start, running, err := startOf(id.PID)
	if err != nil {
		return !errors.Is(err, errGone)
	}
	want, _ := id.split()
	return running && start == want
}

// End ends the group of a process that Run has started, perhaps in an earlier life of this program,
// and waits until it is gone: the group is asked to end and killed after grace (0 is
// [DefaultGrace]). What the process has left behind is ended too, on Linux also when the process
// itself is gone. A process that is gone, or another one with its number, is no error.
func End(ctx context.Context, id ID, grace time.Duration) error {
	if id.PID <= 1 || id.PID == os.Getpid() {
		return nil
	}
	if grace <= 0 {
		grace = DefaultGrace
	}
	_, mark := id.split()
	if !Alive(id) {
		sweep(mark)
		return nil
	}
	if err := endGroup(ctx, id, grace); err != nil {
		return fmt.Errorf("end process %d: %w", id.PID, err)
	}
	sweep(mark)
	return nil
}

// poll is how often a process that is to end is looked at.
const poll = 5 * time.Millisecond

// waitFor waits until done returns true, for limit at most. It returns false when the time is over,
// or ctx.
func waitFor(ctx context.Context, limit time.Duration, done func() bool) bool {
	if done() {
		return true
	}
	timer, ticker := time.NewTimer(limit), time.NewTicker(poll)
	defer timer.Stop()
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return done()
		case <-timer.C:
			return done()
		case <-ticker.C:
			if done() {
				return true
			}
		}
	}
}
