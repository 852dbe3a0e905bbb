package gittree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// homeName is errgen's directory in git's directory. It contains the stores of the runs, and the
// lock of the working tree.
const homeName = "errgen"

// treeLock is the name of the lock of a working tree.
const treeLock = "tree"

// Open takes the working tree that dir is in for a run, or continues the run in another process. It
// finishes what a killed process began. If it fails, it removes what it made. If another process
// has the working tree, the error wraps [ErrInUse] and is evidence of source "executor".
func Open(ctx context.Context, dir, run string, opts Options) (*Space, error) {
	s, err := locate(ctx, dir, run, opts)
	if err != nil {
		return nil, err
	}
	if err := s.take(ctx, s.gitDir, treeLock, "the working tree"); err != nil {
		return nil, s.evidence(err, nil)
	}
	if err := s.prepare(ctx, ""); err != nil {
		return nil, errors.Join(s.evidence(err, nil), s.Discard())
	}
	return s, nil
}

// locate returns the space of a run without taking the working tree.
func locate(ctx context.Context, dir, run string, opts Options) (*Space, error) {
	s := &Space{opts: opts, run: run, op: opPrepare}
	s.opts.Binary, s.opts.Remote = cmp.Or(opts.Binary, "git"), cmp.Or(opts.Remote, "origin")
	s.opts.Timeout = cmp.Or(max(opts.Timeout, 0), 5*time.Minute)
	if err := s.locate(ctx, dir); err != nil {
		return nil, s.evidence(err, nil)
	}
	return s, nil
}

func (s *Space) locate(ctx context.Context, dir string) error {
	if err := filelock.CheckName(s.run); err != nil {
		return fault(typeName, filelock.NameExpected, err)
	}
	if err := errors.Join(checkPlaceholders(s.opts.PR), checkPlaceholders(s.opts.FindPR)); err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	out, err := s.line(ctx, command{in: inNone, dir: abs, args: []string{"rev-parse", "--path-format=absolute",
		"--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format"}})
	if err != nil {
		return err
	}
	places := strings.Split(out, "\n")
	if len(places) != 4 {
		return fault(typeLayout, "the path of the working tree contains a line end", nil, dir)
	}
	s.root, s.gitDir = filepath.FromSlash(places[0]), filepath.FromSlash(places[1])
	s.common = filepath.FromSlash(places[2])
	s.state.Root, s.state.Format = s.root, places[3]
	if _, err := os.Lstat(filepath.Join(s.common, "reftable")); err == nil {
		return fault(typeLayout, "references in the reftable format are not supported", nil, s.common)
	}
	s.store = filepath.Join(s.common, homeName, s.run)
	return nil
}

// take takes a lock in a directory of git's.
func (s *Space) take(ctx context.Context, gitDir, name, what string) error {
	s.op = opLock
	home := filepath.Join(gitDir, homeName)
	if err := atomicfile.MakeDir(home); err != nil {
		return err
	}
	lock, err := filelock.Take(ctx, home, name, what, s.run, filelock.DefaultPatience)
	if held, ok := filelock.Evidence(err); ok {
		ev := *held
		ev.Type, ev.Err = typeHeld, ErrInUse
		return &ev
	}
	if err != nil {
		return err
	}
	s.lock, s.op = lock, opPrepare
	return nil
}

// prepare makes the store or continues with it. It resolves what a killed process left.
func (s *Space) prepare(ctx context.Context, clone string) error {
	if err := s.openStore(ctx, clone); err != nil {
		return err
	}
	var err error
	if s.state.Begun {
		err = errors.Join(s.setRules(ctx, s.state.Rules), s.finishCommits(ctx))
	} else {
		err = s.begin(ctx)
	}
	s.seal = s.marks()
	return err
}

// begin records the state of the working tree and of git itself at the beginning of a run. If the
// process is killed before the end, all of this is done again.
func (s *Space) begin(ctx context.Context) error {
	if err := s.readTracked(ctx); err != nil {
		return err
	}
	tree, err := s.work.snapshot(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(s.setRules(ctx, tree), s.readModes(ctx)); err != nil {
		return err
	}
	s.state.Rules, s.state.Begun = tree, true
	return s.recordGit(ctx)
}

// removeStore removes the store, unless it has saved attempts or locates a clone that may have
// some. If discard is set, it also removes the clone that Open made.
func (s *Space) removeStore(discard bool) error {
	beforeStep("remove store")
	if discard && s.newClone {
		if err := os.RemoveAll(s.state.Clone); err != nil {
			return err
		}
	}
	if discard && s.earlier.Root == "" {
		s.state.Clone = "" // the store is new, so no saved attempts need it
	}
	if len(names(filepath.Join(s.store, savedRefs))) == 0 && s.state.Clone == "" {
		return os.RemoveAll(s.store)
	}
	s.state.Begun = false
	return s.saveState()
}
