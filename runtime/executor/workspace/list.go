package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
)

// Clone describes the clone of a run.
type Clone struct {
	// Run is the name of the run, Home the directory of its clone, and Base the commit with which
	// it began.
	Run, Home, Base string
	// State is "alive" if a process has locked the clone, "delivered" if the person's repository
	// has its commits, "unfinished" if it is not complete or has saved attempts only, and otherwise
	// "dead".
	State string
	// Used reports whether a call or a check was about to run in it.
	Used bool
	// Updated is when the run changed the clone last.
	Updated time.Time
}

// Size returns the size of the files in bytes, without objects of git.
func (c Clone) Size() (size int64) {
	_ = filepath.WalkDir(c.Home, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == filepath.Join(c.Home, "git", "objects") {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// Commands returns shell commands that show and remove the work of a run, for programs without such
// commands. They do not read the repository that an agent could change.
func (c Clone) Commands() string {
	return fmt.Sprintf("git --git-dir='%[1]s/git' --work-tree='%[1]s/tree' diff %.7[2]s shows its work, "+
		"rm -rf '%[1]s' removes it", c.Home, c.Base)
}

// List returns the clones of the working tree that dir is in, sorted by run. It needs no store of
// states. An empty home is the default of [Options].
func List(ctx context.Context, dir, home string) ([]Clone, error) {
	w, err := New(ctx, dir, "none", Options{Home: home})
	if err != nil {
		return nil, err
	}
	return w.clones(ctx)
}

func (w *Workspace) clones(ctx context.Context) (all []Clone, err error) {
	parent := filepath.Dir(w.home)
	entries, err := os.ReadDir(parent)
	if notFound(err) {
		return nil, nil
	}
	for _, e := range entries {
		if e.IsDir() && filelock.CheckName(e.Name()) == nil {
			of := *w
			of.run, of.home = e.Name(), filepath.Join(parent, e.Name())
			all = append(all, (&Space{Workspace: &of}).inspect(ctx))
		}
	}
	return all, err
}

// nameLeftovers warns about the clones of other runs.
func (s *Space) nameLeftovers(ctx context.Context) {
	all, err := s.clones(ctx)
	s.do(func() error { return err })
	for _, c := range all {
		if c.Run != s.run && (c.State == "dead" || c.State == "delivered") {
			if text := s.opts.Leftover(c); text != "" {
				s.warnings = append(s.warnings, text)
			}
		}
	}
}

// describeLeftover is the default of [Options.Leftover].
func describeLeftover(c Clone) string {
	if c.State == "delivered" {
		return ""
	}
	return "run " + c.Run + " has not ended, or is not delivered: to continue, begin it again by its name, with its " +
		"store; " + c.Commands()
}

// inspect describes a clone without locking it.
func (s *Space) inspect(ctx context.Context) Clone {
	c := Clone{Run: s.run, Home: s.home, State: "dead"}
	for _, name := range []string{"", "run.json", "git/index"} {
		if info, err := os.Stat(s.file(name)); err == nil && info.ModTime().After(c.Updated) {
			c.Updated = info.ModTime()
		}
	}
	if _, alive, _ := filelock.Taken(filepath.Dir(s.home), s.run); alive {
		c.State = "alive"
	} else if s.readState(); s.err != nil {
		c.State = "unfinished"
	} else if head := s.own(ctx, "rev-parse", "HEAD"); head != s.state.Base && s.personHas(ctx, head) {
		c.State = "delivered"
	}
	c.Base, c.Used = s.state.Base, s.state.Used
	return c
}

// Remove removes the clone of a run with its saved attempts, whether its work is delivered or not.
// If a process has the clone, the error is that of Open.
func Remove(ctx context.Context, dir, run, home string) error {
	w, err := New(ctx, dir, run, Options{Home: home})
	if err != nil {
		return err
	}
	s := &Space{Workspace: w}
	return s.end(func() {
		if !exists(s.home) {
			s.fail("name", "no run of this working tree is named "+run)
		}
		s.take(ctx)
		s.remove(false)
	})
}
