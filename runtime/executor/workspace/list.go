package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
)

// Clone describes the clone of a run.
type Clone struct {
	// Run is the name of the run, and Home the directory of its clone.
	Run, Home string
	// State is "alive" if a process has the clone, "delivered" if the person's repository has its
	// commits, "unfinished" if it is not complete or has saved attempts only, and otherwise "dead".
	State string
	// Size is the size of its files in bytes, without objects of git.
	Size int64
	// Updated is when the run changed the clone last.
	Updated time.Time
}

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
		if e.IsDir() && filelock.CheckName(e.Name()) == nil {
			of := *w
			of.run, of.home = e.Name(), filepath.Join(parent, e.Name())
			all = append(all, (&Space{Workspace: &of}).inspect(ctx))
		}
	}
	return all, err
}

// inspect describes a clone without locking it.
func (s *Space) inspect(ctx context.Context) Clone {
	c := Clone{Run: s.run, Home: s.home, State: "dead"}
	_ = filepath.WalkDir(s.home, func(name string, d fs.DirEntry, err error) error {
		own := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, s.home)), "/")
		if err != nil || own == "git/objects" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			c.Size += info.Size()
			if (own == "run.json" || own == "unfinished" || own == "git/index") && info.ModTime().After(c.Updated) {
				c.Updated = info.ModTime()
			}
		}
		return nil
	})
	if _, alive, _ := filelock.Taken(filepath.Dir(s.home), s.run); alive {
		c.State = "alive"
	} else if s.readState(); s.err != nil {
		c.State = "unfinished"
	} else if head := s.git(ctx, s.reading("rev-parse", "HEAD")); head != s.state.Base && s.personHas(ctx, head) {
		c.State = "delivered"
	}
	return c
}

// Remove removes the clone of a run with its saved attempts, whether its work is delivered or not.
// If a process has the clone, the error wraps [ErrInUse].
func Remove(ctx context.Context, dir, run, home string) error {
	w, err := New(ctx, dir, run, Options{Home: home})
	if err != nil {
		return err
	}
	s := &Space{Workspace: w}
	err = s.operate(opPrepare, func() {
		if !exists(s.home) {
			s.fail("name", "no run of this working tree is named "+run)
		}
		s.take(ctx)
		s.remove(false)
	})
	return errors.Join(err, s.unlock())
}
