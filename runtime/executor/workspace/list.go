package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Clone describes the clone of a run.
type Clone struct {
	// Run is the name of the run, and Home the directory of its clone.
	Run, Home string
	State     CloneState
	// Size is the size of its files in bytes, without the objects that the repository has too.
	Size int64
	// Updated is when the run changed the clone last.
	Updated time.Time
	// PID is the process of a clone in use.
	PID int
}

// CloneState is the state of a clone without regard to the state of its run.
type CloneState string

// The states of clones.
const (
	// Alive is the state of a clone that a process has locked.
	Alive CloneState = "alive"
	// Dead is the state of a clone that no process has, and whose work is not delivered.
	Dead CloneState = "dead"
	// Done is the state of a clone whose commits the person's repository has.
	Done CloneState = "delivered"
	// Unfinished is the state of a clone that is being made or removed, or that was removed except
	// saved attempts.
	Unfinished CloneState = "unfinished"
)

// List returns the clones of the working tree that dir is in, sorted by run. It needs no store of
// states. An empty home is the default of [Options].
func List(ctx context.Context, dir, home string) ([]Clone, error) {
	w, err := New(ctx, dir, "none", Options{Home: home})
	if err != nil {
		return nil, err
	}
	parent := filepath.Dir(w.home)
	entries, err := os.ReadDir(parent)
	if notFound(err) {
		return nil, nil
	}
	var all []Clone
	for _, e := range entries {
		if !e.IsDir() || filelock.CheckName(e.Name()) != nil {
			continue
		}
		of := *w
		of.run, of.home = e.Name(), filepath.Join(parent, e.Name())
		s := &Space{Workspace: &of, op: opPrepare}
		all = append(all, s.inspect(ctx))
	}
	return all, err
}

// inspect describes a clone without locking it.
func (s *Space) inspect(ctx context.Context) Clone {
	c := Clone{Run: s.run, Home: s.home, State: Dead}
	for _, name := range []string{"run.json", "git/index", "git/" + s.ref(), "unfinished"} {
		if info, err := os.Stat(s.file(name)); err == nil && info.ModTime().After(c.Updated) {
			c.Updated = info.ModTime()
		}
	}
	objects := s.file("git/objects")
	_ = filepath.WalkDir(s.home, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // a file can be removed meanwhile
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		if rel, ok := strings.CutPrefix(name, objects); ok {
			if of, err := os.Stat(filepath.Join(s.common, "objects", rel)); err == nil && os.SameFile(of, info) {
				return nil
			}
		}
		c.Size += info.Size()
		return nil
	})
	holder, alive, _ := filelock.Taken(filepath.Dir(s.home), s.run)
	switch head, err := s.line(ctx, s.reading("rev-parse", "--verify", "-q", "HEAD")); {
	case alive:
		c.State, c.PID = Alive, holder.PID
	case !exists(s.file("run.json")):
		c.State = Unfinished
	case s.readState() == nil && err == nil && head != s.state.Base && s.personHas(ctx, head):
		c.State = Done
	}
	return c
}

// Remove removes the clone of a run with its saved attempts, whether its work is delivered or not. If
// a process has the clone, the error wraps [ErrInUse].
func Remove(ctx context.Context, dir, run, home string) error {
	w, err := New(ctx, dir, run, Options{Home: home})
	if err != nil {
		return err
	}
	s := &Space{Workspace: w, op: opPrepare}
	if !exists(s.home) {
		return s.evidence(fault("name", "no run of this working tree is named "+run, nil))
	}
	if err = s.take(ctx); err == nil {
		err = s.remove(false)
	}
	return errors.Join(s.evidence(err), s.unlock())
}
