package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Space is the clone of a run that this process has locked. Its methods are safe for concurrent use
// and run one after the other. It implements [executor.Space].
type Space struct {
	*Workspace
	mu       sync.Mutex
	op       string
	err      error // the first failure of the operation
	locks    []*filelock.Named
	made     bool // Open made the clone
	warnings []string
	state    state
	last     executor.Tree // of the last snapshot; "" if the files can differ from the index
	lfs      string        // where Git LFS stores the person's objects
	// ownAtCall and personAtCall are the state of the run's files and of the person's repository at
	// BeforeCall. The next operation compares and forgets ownAtCall.
	ownAtCall, personAtCall map[string]string
}

// state is the content of run.json.
type state struct {
	// Base is the commit with which the run began.
	Base string
	// Ref is the branch that was checked out; empty if HEAD was detached.
	Ref string
	// Ignored are the files and directories that were ignored at the beginning. They are never
	// committed.
	Ignored []string
	// Used reports that a call or a check was about to run.
	Used bool
	// Person is the state of the person's repository at the beginning of a run in place.
	Person map[string]string
	// Forward is a forward that is under way: the person's commit before and after it.
	Forward [2]string
	// Update is an update that is under way: the run's commit after it.
	Update string
}

// Open locks the clone of the run, and makes it or continues with it. It completes what a killed
// process began. If it fails, it removes the clone that it made. If another process has the clone,
// the error is evidence of source "executor" and type "held".
func (w *Workspace) Open(ctx context.Context, run string) (executor.Space, error) {
	s := &Space{Workspace: w}
	err := s.operate(loop.OpPrepare, func() {
		if run != s.run {
			s.fail("refused", "this is the clone of the run "+s.run)
		}
		if s.take(ctx); s.err != nil {
			return
		}
		if !exists(s.file("run.json")) {
			s.make(ctx)
			return
		}
		s.readState()
		if (s.state.Person != nil) != s.opts.InPlace {
			s.fail("refused", "the run began in the other mode, in place or in a clone", s.home)
		}
		s.resume(ctx)
	})
	if err == nil {
		return s, nil
	}
	if s.made {
		err = errors.Join(err, s.operate(loop.OpPrepare, func() { s.remove(false) }))
	}
	return nil, errors.Join(err, s.unlock())
}

// Warnings returns texts about what Open found, such as files of the person's that the run does not
// begin with.
func (s *Space) Warnings() []string { return s.warnings }

// take locks the clone, and the working tree of a run in place.
func (s *Space) take(ctx context.Context) {
	parent := filepath.Dir(s.home)
	s.do(func() error { return atomicfile.MakeDir(parent) })
	s.lock(ctx, parent, s.run, "the clone of run "+s.run)
	if s.opts.InPlace {
		s.lock(ctx, filepath.Dir(parent), filepath.Base(parent), "the working tree")
	}
}

func (s *Space) lock(ctx context.Context, dir, name, what string) {
	s.do(func() error {
		lock, err := filelock.Take(ctx, dir, name, what, s.run, filelock.DefaultPatience)
		if ev, is := errors.AsType[*taxonomy.Evidence](err); is {
			ev.Type = "held"
		}
		if err == nil {
			s.locks = append(s.locks, lock)
		}
		return err
	})
}

func (s *Space) unlock() (err error) {
	for _, lock := range s.locks {
		err = errors.Join(err, lock.Release())
	}
	s.locks = nil
	return err
}

// damaged fails if err is not nil, because this package never leaves the clone in such a state.
func (s *Space) damaged(err error) {
	if s.err = err; err != nil && !isEnd(err) {
		s.err = nil
		s.fail("clone", fmt.Sprintf("the clone is damaged (%v): copy what you need from it, and remove it: %s", err,
			s.home), s.home)
	}
}

// resume completes what a killed process began.
func (s *Space) resume(ctx context.Context) {
	if s.err != nil {
		return
	}
	awaitLock(ctx, s.file("git/index.lock"))
	_ = filepath.WalkDir(s.gitDir(), func(name string, _ fs.DirEntry, err error) error {
		switch {
		case err != nil || name == s.file("git/objects"):
			return fs.SkipDir
		case strings.HasSuffix(name, ".lock"):
			_ = os.Remove(name)
		}
		return nil
	})
	s.verify(ctx)
	s.writeConfig(ctx)
	s.finishCommits(ctx)
	s.rollBack(ctx)
	s.finishUpdate(ctx)
	s.publish(ctx)
	s.renewAgentGit(ctx)
}

// verify fails if a part of the clone is missing or unreadable.
func (s *Space) verify(ctx context.Context) {
	s.do(func() error {
		_, noIndex := os.Lstat(s.file("git/index"))
		return errors.Join(s.requireTree(), noIndex)
	})
	s.own(ctx, "diff-index", "--cached", "--name-only", "HEAD")
	s.damaged(s.err)
}

func (s *Space) readState() {
	content, err := os.ReadFile(s.file("run.json"))
	if err == nil {
		err = json.Unmarshal(content, &s.state)
	}
	s.damaged(err)
}

func (s *Space) saveState() {
	s.do(func() error {
		b, err := json.Marshal(s.state)
		if err != nil {
			return err
		}
		beforeStep("write run.json")
		return atomicfile.Replace(s.file("run.json"), b)
	})
}

// Close unlocks the clone. If forget is set, and the person's repository has everything, it removes
// the clone, except saved attempts.
func (s *Space) Close(forget bool) error {
	ctx := context.Background()
	if !forget {
		return s.unlock()
	}
	return s.end(func() {
		if s.locks != nil && s.isDelivered(ctx) {
			s.remove(s.own(ctx, "for-each-ref", "--count=1", savedRefs) != "")
		}
	})
}

// end carries out the last operation, and unlocks the clone.
func (s *Space) end(last func()) error {
	return errors.Join(s.operate(loop.OpPrepare, last), s.unlock())
}

// isDelivered reports whether the person's repository has the commits of the run, and the files
// have no other change.
func (s *Space) isDelivered(ctx context.Context) bool {
	head, tree := s.head(ctx)
	if s.err != nil || head != s.state.Base && !s.personHas(ctx, head) {
		return false
	}
	changes := s.diff(ctx, tree, string(s.snapshot(ctx)))
	return len(s.unignored(ctx, changes)) == 0 && s.err == nil
}

// remove removes the clone, except the repository if it has saved attempts that stay. It stays
// until the clone is made again.
func (s *Space) remove(saved bool) {
	names := []string{"run.json", "tree", "old", ""} // a clone without run.json is not complete
	if saved {
		names = names[:3]
	}
	for _, name := range names {
		s.do(func() error {
			beforeStep("remove " + name)
			return os.RemoveAll(s.file(name))
		})
	}
}

// Discard unlocks the clone after a dry run, and removes it if Open made it.
func (s *Space) Discard() error {
	return s.end(func() {
		if s.made && s.locks != nil {
			s.remove(false)
		}
	})
}

// BeforeCall prepares the clone for a provider or a check: its .git has the last commit. It records
// the state of the person's repository for AfterCall.
func (s *Space) BeforeCall(ctx context.Context) error {
	return s.operate(loop.OpPrepare, func() {
		s.renewAgentGit(ctx)
		s.personAtCall = s.personState(ctx)
		if !s.state.Used {
			s.state.Used = true
			s.saveState()
		}
		if s.err == nil {
			s.ownAtCall = s.ownState()
		}
	})
}

// AfterCall returns the changes of the person's repository since BeforeCall: of HEAD,
// configuration, hooks, exclusions and attributes. It reverts none, because the person can have
// made them.
func (s *Space) AfterCall(ctx context.Context) (changed []string, err error) {
	return operate(s, loop.OpDetect, func() []string {
		if s.personAtCall == nil {
			return nil
		}
		return differences(s.personAtCall, s.personState(ctx))
	})
}

// ownState returns the content of the run's files that no other process may change.
func (s *Space) ownState() map[string]string {
	state := contents(s.home, "run.json", "git/config", "git/HEAD", "git/index", "git/info", "git/packed-refs",
		"git/"+s.ref(), "git/objects/info/alternates")
	if err := s.requireTree(); err != nil {
		state["tree"] = err.Error()
	}
	return state
}

// requireTree returns an error if the tree is missing, or a link to other files.
func (s *Space) requireTree() error {
	info, err := os.Lstat(s.Dir())
	if err == nil && !info.IsDir() {
		err = errors.New("tree is not a directory")
	}
	return err
}

// operate carries out an operation, whose failure becomes evidence. If another process changed the
// run's own files during a call, it fails until the clone is opened again.
func (s *Space) operate(op string, do func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op, s.err = op, nil
	if s.ownAtCall != nil {
		if changed := differences(s.ownAtCall, s.ownState()); len(changed) > 0 {
			s.fail("store", fmt.Sprintf("another process changed the files of the run in %s (%s): check what it did "+
				"before you resume the run", s.home, strings.Join(changed, "; ")))
		}
	}
	if s.err == nil {
		s.ownAtCall = nil
		do()
	}
	return s.evidence(s.err)
}

func operate[T any](s *Space, op string, do func() T) (done T, err error) {
	err = s.operate(op, func() { done = do() })
	return done, err
}
