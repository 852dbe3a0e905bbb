// Package gittree keeps a working tree of git under control while a program that is not trusted
// changes it. [Open] takes the working tree for a run and returns a [Space], which finds, saves,
// reverts and commits changes. [OpenClone] does the same in a private copy.
//
//	space, err := gittree.Open(ctx, ".", "run-1", gittree.Options{Watch: guard})
//	checked, err := space.Snapshot(ctx)
//	// The program changes files.
//	found, err := space.Snapshot(ctx)
//	ofGit, err := space.Guard(ctx)
//	changes, err := space.Diff(ctx, checked, found)
//
// The engine is stock git with a private repository, the run's store. Commands that detect, save or
// restore use the store alone, so no hook, filter, attribute or setting that the program planted
// takes effect. Only Open, Commit, Push, OpenPR and Deliver run git in the user's repository.
//
// Every operation is idempotent: if the process is killed, repeating the operation in another
// process leads to the state of one undisturbed run. Errors are *[taxonomy.Evidence] of source
// "git", or the error of the context.
package gittree

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Options configure a [Space]. The zero Options are complete.
type Options struct {
	// Binary is the git to run: a path, or a name in PATH. Empty is "git". It must be 2.32 or
	// later.
	Binary string
	// Timeout limits each git command; 0 is 5 minutes.
	Timeout time.Duration
	// Watch selects files that are part of every tree although git ignores them. A scope.Scope
	// selects those that it forbids. Nil selects none. See also [Workspace.Watch].
	Watch Watcher
	// Hooks runs the user's own pre-commit, commit-msg and pre-push hooks. Otherwise no hook runs.
	Hooks bool
	// Remote is where Push pushes if the branch has no upstream; empty is "origin".
	Remote string
	// PR is the command that opens a pull request, and its arguments. In an argument, {title},
	// {branch} and {base} are replaced; an argument that begins with one of them is invalid,
	// because its value could be an option. The body is the standard input. The last web address in
	// the output is the pull request's.
	PR []string
	// FindPR is the command that prints the web address of the branch's open pull request, if there
	// is one. It has the form of PR. Without it, opening a pull request twice runs PR twice.
	FindPR []string
}

// Watcher selects files that are watched although git ignores them.
type Watcher = executor.Watcher

// Tree names the content of all files of a working tree.
type Tree = executor.Tree

// Change is a path that differs between two trees.
type Change = executor.Change

// Workspace is a working tree that runs take one after the other. It implements
// [executor.Workspace]. Make it with [New].
type Workspace struct {
	dir, gitDir string
	opts        Options
	user        string // the user's working tree if this is a clone; "" in place
	clone       Clone
}

var _ executor.Workspace = (*Workspace)(nil)

// New returns the working tree that dir is in. It changes nothing.
func New(ctx context.Context, dir string, opts Options) (*Workspace, error) {
	s, err := locate(ctx, dir, "none", opts)
	if err != nil {
		return nil, err
	}
	return &Workspace{dir: s.root, gitDir: s.gitDir, opts: opts}, nil
}

// NewClone returns a working tree that is a private clone of the one that dir is in; see
// [OpenClone]. The clone is made when a run opens it, and serves that run.
func NewClone(ctx context.Context, dir string, c Clone) (*Workspace, error) {
	w, err := New(ctx, dir, c.Options)
	if err != nil {
		return nil, err
	}
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, err
	}
	return &Workspace{dir: c.Dir, gitDir: filepath.Join(c.Dir, ".git"), opts: c.Options, user: w.dir, clone: c}, nil
}

// Dir returns the root of the working tree, absolute and without symbolic links.
func (w *Workspace) Dir() string { return w.dir }

// GitDir returns git's directory of the working tree.
func (w *Workspace) GitDir() string { return w.gitDir }

// Watch sets [Options.Watch], for patterns that depend on the root. Call it before Open.
func (w *Workspace) Watch(watcher Watcher) { w.opts.Watch = watcher }

// Open takes the working tree for a run; see [Open].
func (w *Workspace) Open(ctx context.Context, run string) (executor.Space, error) {
	s, err := w.open(ctx, run)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (w *Workspace) open(ctx context.Context, run string) (*Space, error) {
	if w.user == "" {
		return Open(ctx, w.dir, run, w.opts)
	}
	w.clone.Options = w.opts
	clone, user, err := OpenClone(ctx, w.user, run, w.clone)
	if err != nil {
		return nil, err
	}
	clone.user = user
	return clone, nil
}

// Deliver brings the commits of a run that worked in a clone to a branch of the user's repository;
// see [Space.Deliver]. No other process may use the clone.
func (w *Workspace) Deliver(ctx context.Context, run, branch string, forward bool) error {
	s, err := w.open(ctx, run)
	if err != nil {
		return err
	}
	if s.user == nil {
		err = s.evidence(fault(typeClone, "the run did not work in a clone", nil), nil)
	} else {
		err = s.user.DeliverClone(ctx, s, branch, forward)
	}
	return errors.Join(err, s.Close(false))
}

// Space is a working tree that a run has taken. Its methods are safe for concurrent use and run one
// after the other. It implements [executor.Space].
type Space struct {
	opts   Options
	run    string
	root   string // of the working tree
	gitDir string // of the user, for this working tree
	common string // of the user, for all working trees
	store  string
	lock   *filelock.Named
	user   *Space // of the user's working tree, which is closed too; nil in place
	// earlier is the state that Open found, and nil until Open read it.
	earlier  *state
	newClone bool // whether Open made the clone

	mu    sync.Mutex
	state state
	work  *area // the working tree
	seal  string
	// tracked are the files that rules ignore although git tracks them, and their directories.
	tracked map[string]bool
	op      string // the current operation
}

// Root returns the root of the working tree, absolute and without symbolic links.
func (s *Space) Root() string { return s.root }

var _ executor.Space = (*Space)(nil)

// ErrInUse means that another process has the working tree. The errors of Open wrap it.
var ErrInUse = errors.New("another process has the working tree")

// ErrMoved means that git itself changed since the run began or committed last.
var ErrMoved = errors.New("git itself changed")

// beforeStep is called before every git command and every change of a file. Tests replace it.
var beforeStep = func(string) {}

// operate carries out an operation if only this process changed the store. It returns an error as
// evidence about the files.
func operate[T any](s *Space, op string, files []string, do func() (T, error)) (done T, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op = op
	if err := s.checkSeal(); err != nil {
		return done, s.evidence(err, files)
	}
	defer func() { s.seal = s.marks() }()
	done, err = do()
	return done, s.evidence(err, files)
}

// operate carries out an operation that has no result.
func (s *Space) operate(op string, do func() error) error {
	_, err := operate(s, op, nil, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// Snapshot stores every file and returns their tree: the files that git does not ignore, those that
// [Options.Watch] selects, and those of repositories within the working tree.
func (s *Space) Snapshot(ctx context.Context) (Tree, error) {
	return operate(s, opDetect, nil, func() (Tree, error) { return s.work.snapshot(ctx) })
}

// Diff returns what differs between two trees, sorted by path.
func (s *Space) Diff(ctx context.Context, from, to Tree) ([]Change, error) {
	return operate(s, opDetect, nil, func() ([]Change, error) {
		all, err := s.work.diff(ctx, from, to)
		if err != nil {
			return nil, err
		}
		return s.describe(ctx, all)
	})
}

// Accept returns base with the paths as from has them. An accepted .gitignore applies from then on.
func (s *Space) Accept(ctx context.Context, base, from Tree, paths []string) (Tree, error) {
	return operate(s, opDetect, nil, func() (Tree, error) {
		changes, err := s.work.diff(ctx, base, from)
		if err != nil {
			return "", err
		}
		accepted := only(changes, paths)
		tree, err := s.work.accept(ctx, base, from, changes, accepted)
		if err != nil {
			return "", err
		}
		return s.acceptRules(ctx, tree, accepted)
	})
}

// Seal records the state of the store. Every operation does that when it ends, and the next one
// fails if another process changed the store since.
func (s *Space) Seal(context.Context) error { return s.operate(opPrepare, func() error { return nil }) }

// BeforeCall is Seal.
func (s *Space) BeforeCall(ctx context.Context) error { return s.Seal(ctx) }

// AfterCall reverts the changes of git itself and returns them.
func (s *Space) AfterCall(ctx context.Context) (changed []string, err error) {
	changes, err := s.Guard(ctx)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths, changed = append(paths, c.Path), append(changed, "git changed, and was restored: "+c.Path)
	}
	now, err := s.Snapshot(ctx)
	if err == nil {
		_, err = s.Restore(ctx, now, paths)
	}
	return changed, err
}

// Deliver does nothing, because the commits are on the person's branch.
func (s *Space) Deliver(context.Context) (string, error) { return "", nil }

// Forward does nothing.
func (s *Space) Forward(context.Context) (why, next string, err error) { return "", "", nil }

// Update accepts the current state of git.
func (s *Space) Update(ctx context.Context) ([]string, error) { return nil, s.Adopt(ctx) }

// Close ends the use of the working tree. If forget is set, it removes the store, except saved
// attempts. If an attempt could not be restored, the store stays, so that the next one restores it.
func (s *Space) Close(forget bool) error { return s.close(forget, false) }

// Discard ends the use of the working tree, and removes the store and the clone if Open made them.
// Those of a run that another process began stay.
func (s *Space) Discard() error {
	if !s.isNew() || s.user != nil && !s.user.isNew() {
		return s.Close(false)
	}
	return s.close(true, true)
}

// isNew reports whether Open began the run.
func (s *Space) isNew() bool { return s.earlier != nil && !s.earlier.Begun }

func (s *Space) close(forget, discard bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.state.Begun {
		err = s.restoreObjects()
	}
	if forget && s.state.Attempt == nil && (!discard || s.checkSeal() == nil) {
		err = errors.Join(err, s.removeStore(discard))
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Release())
		s.lock = nil
	}
	if s.user != nil {
		err = errors.Join(err, s.user.close(forget, discard))
	}
	return s.evidence(err, nil)
}
