package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ID identifies a process, even if another process has its number by now.
type ID struct {
	// PID is the number of the process.
	PID int
	// Start is the start time as the system reports it, and the mark of the descendants. Two IDs
	// with equal fields are the same process.
	Start string
}

var (
	errGone     = errors.New("no such process")
	errSurvived = errors.New("the process exists after it was killed")
)

// identify returns the ID of a process whose descendants have the mark.
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

// Self returns the ID of this process.
func Self() (ID, error) {
	id, err := identify(os.Getpid(), "")
	if err != nil {
		return ID{}, fmt.Errorf("identify this process: %w", err)
	}
	return id, nil
}

// Alive reports whether the process is running. It is false for a zombie, and for another process
// with the same number. If the system does not report the process, Alive is true.
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

// End ends the group of a process that Run has started, perhaps in an earlier process of this
// program, and waits until it is gone. It sends SIGTERM to the group, and SIGKILL after grace (0 is
// [DefaultGrace]). On Linux, End also ends the descendants that left the group, even if the process
// itself is gone. If the process is gone, or another one has its number, End returns nil.
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

// poll is the interval at which waitFor calls done.
const poll = 5 * time.Millisecond

// waitFor waits until done returns true, or until the limit or ctx ends. It returns the last result
// of done.
func waitFor(ctx context.Context, limit time.Duration, done func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return done()
		case <-ticker.C:
		}
	}
	return true
}
