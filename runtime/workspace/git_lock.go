package workspace

import (
	"context"
	"errors"
	"os"

	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// treeLock is the name of the working tree's lock.
const treeLock = "tree"

// ErrHeld means that another process has the working tree. The errors of [Git.Lock] wrap it.
var ErrHeld = errors.New("another process has the working tree")

// Lock takes the working tree for one run, with a lock that ends with this process. Other working
// trees of the same repository are not taken. If the process that had the tree is dead, Lock waits
// up to 3 seconds for the lock.
func (g *Git) Lock(ctx context.Context, run string) (func() error, error) {
	if err := os.MkdirAll(g.home, privateDir); err != nil {
		return nil, g.lockFault("", err)
	}
	lock, err := filelock.Take(ctx, g.home, treeLock, "the working tree", run, g.patience)
	if held, ok := filelock.Evidence(err); ok {
		return nil, g.lockFault(held.Text, ErrHeld)
	}
	if err != nil {
		return nil, g.lockFault("", err)
	}
	return lock.Release, nil
}

// whoHolds returns a function that reports whether a run, by its name in references, may have the
// working tree. No run takes it before unlock is called.
func (g *Git) whoHolds() (holds func(run string) bool, unlock func(), err error) {
	if err := os.MkdirAll(g.home, privateDir); err != nil {
		return nil, nil, g.lockFault("", err)
	}
	lock, err := filelock.Try(filelock.Path(g.home, treeLock))
	if err != nil {
		return nil, nil, g.lockFault("", err)
	}
	if lock != nil {
		return func(string) bool { return false }, func() { _ = lock.Release() }, nil
	}
	h, known := filelock.Noted(g.home, treeLock)
	return func(run string) bool { return !known || run == refPart(h.Run) }, func() {}, nil
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
