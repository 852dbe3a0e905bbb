package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// holder says who has the working tree.
type holder struct {
	Run   string `json:"run"`
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// A process that is killed while it starts another one leaves the lock to that for a moment.
const (
	lockPatience = 3 * time.Second
	lockPoll     = 20 * time.Millisecond
)

// ErrHeld says that somebody else has the working tree. The errors of [Git.Lock] wrap it.
var ErrHeld = errors.New("somebody else has the working tree")

// Lock takes the working tree for one run, with a lock that ends with this process. Other working
// trees of the same repository are not taken. When whoever had it is dead, it is waited for, for 3
// seconds at most.
func (g *Git) Lock(ctx context.Context, run string) (func() error, error) {
	if err := os.MkdirAll(g.home, privateDir); err != nil {
		return nil, g.lockFault("", err)
	}
	lock := flock.New(g.lockFile())
	ok, err := g.tryLock(ctx, lock)
	if err != nil {
		_ = lock.Close()
		return nil, g.lockFault("", err)
	}
	if !ok {
		_ = lock.Close()
		return nil, g.lockFault(g.heldBy(), ErrHeld)
	}
	self, _ := proc.Self()
	err = writePrivate(g.holderFile(), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(holder{Run: run, PID: self.PID, Start: self.Start})
	})
	if err != nil {
		_ = lock.Close()
		return nil, g.lockFault("", err)
	}
	return func() error {
		err := os.Remove(g.holderFile())
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, lock.Close())
	}, nil
}

func (g *Git) lockFile() string   { return filepath.Join(g.home, "lock") }
func (g *Git) holderFile() string { return filepath.Join(g.home, "holder.json") }

// tryLock takes the lock, and again as long as nobody alive says that it is his.
func (g *Git) tryLock(ctx context.Context, lock *flock.Flock) (bool, error) {
	limit := time.NewTimer(g.patience)
	defer limit.Stop()
	again := time.NewTicker(lockPoll)
	defer again.Stop()
	for {
		ok, err := lock.TryLock()
		if ok || err != nil {
			return ok, err
		}
		if h, known := g.holder(); known && h.alive() {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ended(ctx)
		case <-limit.C:
			return false, nil
		case <-again.C:
		}
	}
}

func (h holder) alive() bool { return proc.Alive(proc.ID{PID: h.PID, Start: h.Start}) }

// holder returns who has said last that the working tree is his.
func (g *Git) holder() (h holder, known bool) {
	b, err := os.ReadFile(g.holderFile())
	return h, err == nil && json.Unmarshal(b, &h) == nil
}

func (g *Git) heldBy() string {
	h, known := g.holder()
	switch {
	case !known:
		return "another run has the working tree"
	case !h.alive():
		return fmt.Sprintf("a process that run %s has left behind has the working tree; process %d itself has died",
			h.Run, h.PID)
	}
	return fmt.Sprintf("run %s has the working tree, in process %d", h.Run, h.PID)
}

// whoHolds returns a function that says whether a run, by its name in references, may have the
// working tree. Nobody begins to have it before unlock is called.
func (g *Git) whoHolds() (holds func(run string) bool, unlock func(), err error) {
	if err := os.MkdirAll(g.home, privateDir); err != nil {
		return nil, nil, g.lockFault("", err)
	}
	lock := flock.New(g.lockFile())
	ok, err := lock.TryLock()
	if err != nil {
		return nil, nil, g.lockFault("", err)
	}
	unlock = func() { _ = lock.Close() }
	if ok {
		return func(string) bool { return false }, unlock, nil
	}
	h, known := g.holder()
	known = known && h.alive()
	return func(run string) bool { return !known || run == refPart(h.Run) }, unlock, nil
}

func (g *Git) lockFault(text string, err error) error {
	if err != nil && text == "" {
		text = err.Error()
	}
	ev := &taxonomy.Evidence{
		Source: sourceExecutor, Op: opLock, Text: text, Err: err,
		Attributes: map[string]string{"path": g.home, "resource": g.root},
	}
	var known *taxonomy.Evidence
	if errors.As(fault(opLock, "", nil, err), &known) && err != nil {
		ev.Errno = known.Errno
	}
	return ev
}

const (
	sourceExecutor = "executor"
	opLock         = "lock"
)
