// Package filelock locks files. A lock ends with its process. [Try] and [Wait] lock a file. [Take]
// locks a name, such as a run's, and writes a note beside the lock that describes the holder.
package filelock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Lock is a lock on a file. It ends with [Lock.Release] or with the process that holds it. The file
// stays, because removing it would let two processes hold locks on two files of one name.
type Lock struct{ file *flock.Flock }

// Try takes the lock on the file at path, and makes the file if it is missing. If the lock is held,
// it returns nil and no error.
func Try(path string) (*Lock, error) {
	return take(path, (*flock.Flock).TryLock)
}

// Wait takes the lock on the file at path. It tries again after each interval until ctx ends.
func Wait(ctx context.Context, path string, interval time.Duration) (*Lock, error) {
	return take(path, func(f *flock.Flock) (bool, error) { return f.TryLockContext(ctx, interval) })
}

// take opens the file at path and locks it with the given function. It rejects a path that is not a
// regular file.
func take(path string, lock func(*flock.Flock) (bool, error)) (*Lock, error) {
	if _, err := atomicfile.Regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	taken, err := lock(f)
	if err != nil || !taken {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release releases the lock.
func (l *Lock) Release() error { return l.file.Unlock() }

// DefaultPatience is how long Take waits for a lock whose holder is dead. A process that is killed
// while it starts a child leaves the lock to the child for a moment.
const DefaultPatience = 3 * time.Second

const poll = 20 * time.Millisecond

var errHeld = errors.New("the lock is held")

// Named is a lock on a name. It ends with [Named.Release] or with the process.
type Named struct {
	lock *Lock
	note string
}

// Take takes the lock on a name in dir, which must exist. The name must pass [CheckName]. If a live
// process holds the lock, the error is evidence of source "executor", op "lock", with the
// attributes path, pid, host and since. The text names the resource by what, such as "run r", and
// contains the run in the holder's note. Take waits up to patience for a lock whose holder is dead.
func Take(ctx context.Context, dir, name, what, run string, patience time.Duration) (*Named, error) {
	path, note := Path(dir, name), notePath(dir, name)
	ctx, stop := context.WithTimeoutCause(ctx, patience, errHeld)
	defer stop()
	lock, err := Try(path)
	for lock == nil && err == nil && !read(note).alive() {
		select {
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-time.After(poll):
			lock, err = Try(path)
		}
	}
	switch {
	case err != nil && err != errHeld:
		return nil, fmt.Errorf("lock %s: %w", what, err)
	case lock == nil:
		return nil, read(note).evidence(what, path)
	}
	writeNote(note, run)
	return &Named{lock: lock, note: note}, nil
}

// Path returns the path of the lock on name in dir.
func Path(dir, name string) string { return filepath.Join(dir, name+".lock") }

func notePath(dir, name string) string { return filepath.Join(dir, name+".holder") }

// Taken reports whether the lock on name in dir is held, and returns its holder. It takes a free
// lock for a moment. If it cannot try the lock, for example because the directory is not writable,
// it reports whether the holder in the note is alive.
func Taken(dir, name string) (h Holder, taken bool, err error) {
	if _, err := os.Lstat(Path(dir, name)); errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	lock, err := Try(Path(dir, name))
	if lock != nil {
		return Holder{}, false, lock.Release()
	}
	h = read(notePath(dir, name))
	return h, err == nil || h.alive(), err
}

// Release releases the lock.
func (n *Named) Release() error {
	err := os.Remove(n.note)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, n.lock.Release())
}

// NameExpected describes the names that [CheckName] accepts.
const NameExpected = "1 to 100 letters, digits, '-', '_' and '.', the first is not '.'"

const nameRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// CheckName returns an error if a run cannot have the name, for example because the path of its
// file would be outside its directory.
func CheckName(run string) error {
	named := run != "" && len(run) <= 100 && run[0] != '.' && strings.Trim(run, nameRunes) == ""
	if !named || !filepath.IsLocal(Path("", run)) { // the name of a device is not local
		return errors.New("a run cannot have this name: expected " + NameExpected)
	}
	return nil
}

// Holder describes the process that holds a lock. It is informational: only the lock counts. The
// zero Holder is unknown.
type Holder struct {
	PID   int       `json:"pid"`
	Start string    `json:"start,omitempty"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	// Run is the run for which the process took the lock, or empty.
	Run string `json:"run,omitempty"`
}

// Dead reports whether the process has ended. It is false for a process of another machine, and if
// the start of the process is unknown.
func (h Holder) Dead() bool {
	host, err := os.Hostname()
	return err == nil && host == h.Host && h.Start != "" && !proc.Alive(proc.ID{PID: h.PID, Start: h.Start})
}

func (h Holder) alive() bool { return h != Holder{} && !h.Dead() }

// evidence returns the evidence that the lock at path is held. The text names the resource by what.
func (h Holder) evidence(what, path string) *taxonomy.Evidence {
	ev := &taxonomy.Evidence{
		Source: "executor", Op: "lock", Text: what + " is held by another process",
		Attributes: map[string]string{"path": path},
	}
	if h == (Holder{}) {
		return ev
	}
	ev.Attributes["pid"], ev.Attributes["host"] = strconv.Itoa(h.PID), h.Host
	if h.Dead() {
		ev.Text = fmt.Sprintf("%s is held by a child of dead process %d", what, h.PID)
		return ev
	}
	since := h.Since.Format(time.RFC3339)
	ev.Text = fmt.Sprintf("%s is held by process %d on %s since %s", what, h.PID, h.Host, since)
	if CheckName(h.Run) == nil {
		ev.Text += " (run " + h.Run + ")"
	}
	ev.Attributes["since"] = since
	return ev
}

// writeNote records this process as the holder. It ignores errors, because the note is informational.
func writeNote(path, run string) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	self, _ := proc.Self() // without its start, the process counts as alive
	h := Holder{
		PID: os.Getpid(), Start: self.Start, Host: host, Since: time.Now().UTC().Truncate(time.Second), Run: run,
	}
	if b, err := json.Marshal(h); err == nil {
		_ = atomicfile.Replace(path, append(b, '\n'))
	}
}

// read returns the holder in a note.
func read(path string) (h Holder) {
	const maxNote = 4 << 10
	b, err := atomicfile.Read(path, maxNote)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{}
	}
	return h
}
