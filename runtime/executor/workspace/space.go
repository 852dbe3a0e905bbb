package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// Space is the clone of a run that this process has locked. Its methods are safe for concurrent use
// and run one after the other. It implements [executor.Space].
type Space struct {
	*Workspace
	mu        sync.Mutex
	op        string
	err       error // the first failure of the operation
	locks     []*filelock.Named
	made      bool // Open made the clone
	warnings  []string
	state     state
	last      executor.Tree     // of the last snapshot; "" if the files can differ from the index
	trackedAt string            // the commit of tracked
	tracked   map[string]bool   // the files of the last commit
	lfs       string            // where Git LFS stores the person's objects
	seal      string            // identifies the run's own files since BeforeCall
	noted     map[string]string // of the person's repository, since BeforeCall
}

// state is the content of run.json.
type state struct {
	Root, Base string
	// Ref is the branch that was checked out; empty if HEAD was detached.
	Ref string
	// Probed are settings of the file system that git found when it made the clone.
	Probed []string
	// Ignored are the files and directories that were ignored at the beginning. They are never
	// committed.
	Ignored []string
	// Used reports that a call or a check was about to run.
	Used bool
	// Person is the state of the person's repository at the beginning of a run in place.
	Person map[string]string
	// Forward is a forward that is under way: the person's commit before and after it.
	Forward [2]string
	// Update is the last update since the last call: the run's commit before and after it.
	Update [2]string
	// Attempt is the attempt that is under way.
	Attempt *attemptNote
}

// Open locks the clone of the run, and makes it or continues with it. It completes what a killed
// process began. If it fails, it removes the clone that it made. If another process has the clone,
// the error wraps [ErrInUse] and is evidence of source "executor".
func (w *Workspace) Open(ctx context.Context, run string) (executor.Space, error) {
	s, err := w.open(ctx, run)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (w *Workspace) open(ctx context.Context, run string) (*Space, error) {
	s := &Space{Workspace: w}
	err := s.operate(opPrepare, func() {
		if run != s.run {
			s.fail("refused", "this is the clone of the run "+s.run)
		}
		if s.take(ctx); s.err != nil {
			return
		}
		switch {
		case exists(s.file("run.json")):
			s.readState()
			if s.err == nil && (s.state.Root != s.root || (s.state.Person != nil) != s.opts.InPlace) {
				s.fail("refused", "the run belongs to another working tree, or to another mode", s.state.Root)
			}
		case exists(s.gitDir()) && !exists(s.file("unfinished")):
			s.damaged("run.json is missing", nil)
		default:
			s.make(ctx)
		}
		s.resume(ctx)
	})
	if err == nil {
		return s, nil
	}
	if s.made {
		err = errors.Join(err, s.operate(opPrepare, func() { s.remove(false) }))
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
	names := [][3]string{{parent, s.run, "the clone of run " + s.run}}
	if s.opts.InPlace {
		names = append(names, [3]string{filepath.Dir(parent), filepath.Base(parent), "the working tree"})
	}
	for _, name := range names {
		s.do(func() error {
			lock, err := filelock.Take(ctx, name[0], name[1], name[2], s.run, filelock.DefaultPatience)
			if ev, held := filelock.Evidence(err); held {
				ev.Type, ev.Err = "held", ErrInUse
			}
			if err == nil {
				s.locks = append(s.locks, lock)
			}
			return err
		})
	}
}

func (s *Space) unlock() (err error) {
	for _, lock := range s.locks {
		err = errors.Join(err, lock.Release())
	}
	s.locks = nil
	return err
}

// damaged is the failure of a clone that this package did not leave like this.
func (s *Space) damaged(what string, err error) {
	if err != nil && !isEnd(err) {
		what += ": " + err.Error()
	}
	if s.err = nil; isEnd(err) {
		s.err = err
	}
	s.fail("clone", "the clone is damaged ("+what+"): copy what you need from it, and remove it: "+s.home, s.home)
}

// resume completes what a killed process began.
func (s *Space) resume(ctx context.Context) {
	if s.err != nil {
		return
	}
	awaitLock(ctx, s.file("git/index.lock"))
	locks := []string{"git/index.lock", "git/HEAD.lock", "git/packed-refs.lock"}
	_ = fs.WalkDir(os.DirFS(s.home), "git/refs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".lock") {
			locks = append(locks, name)
		}
		return nil
	})
	for _, name := range locks {
		_ = os.Remove(s.file(name))
	}
	s.verify(ctx)
	s.writeConfig(ctx)
	s.finishCommits(ctx)
	s.rollBack(ctx)
	s.finishUpdate(ctx)
	s.publish(ctx)
	s.renewAgentGit(ctx, false)
}

// verify fails if the clone does not have its parts.
func (s *Space) verify(ctx context.Context) {
	for _, name := range []string{s.Dir(), s.file("git/index")} {
		if _, err := os.Lstat(name); err != nil {
			s.damaged("a part is missing", err)
			return
		}
	}
	s.own(ctx, "rev-parse", "--verify", "-q", "HEAD^{tree}")
	if s.own(ctx, "ls-files", "--", ".git"); s.err != nil {
		s.damaged("git", s.err)
	}
}

func (s *Space) readState() {
	content, err := os.ReadFile(s.file("run.json"))
	if err == nil {
		err = json.Unmarshal(content, &s.state)
	}
	if err != nil {
		s.damaged("run.json", err)
	}
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
	err := s.operate(opPrepare, func() {
		if forget && s.locks != nil && s.isDelivered(ctx) {
			saved := s.own(ctx, "for-each-ref", "--count=1", savedRefs)
			s.remove(saved != "")
		}
	})
	return errors.Join(err, s.unlock())
}

// isDelivered reports whether the person's repository has the commits of the run, and the files
// have no other change.
func (s *Space) isDelivered(ctx context.Context) bool {
	head, tree := s.head(ctx)
	if s.err != nil || head != s.state.Base && !s.personHas(ctx, head) {
		return false
	}
	changes := s.describe(ctx, tree, string(s.snapshot(ctx)))
	return s.err == nil && !slices.ContainsFunc(changes, func(c executor.Change) bool { return !c.Ignored })
}

// remove removes the clone, except the repository if it has saved attempts that stay. It stays
// until the clone is made again.
func (s *Space) remove(saved bool) {
	s.do(func() error {
		entries, err := os.ReadDir(s.home)
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.file("unfinished"), nil, 0o600); err != nil {
			return err
		}
		beforeStep("remove run.json")
		if err := os.RemoveAll(s.file("run.json")); err != nil {
			return err
		}
		for _, e := range entries {
			if name := e.Name(); name != "unfinished" && (!saved || name != "git") {
				beforeStep("remove " + name)
				err = errors.Join(err, os.RemoveAll(s.file(name)))
			}
		}
		if err == nil && !saved {
			err = os.RemoveAll(s.home)
		}
		return err
	})
}

// Discard unlocks the clone after a dry run, and removes it if Open made it.
func (s *Space) Discard() error {
	err := s.operate(opPrepare, func() {
		if s.made && s.locks != nil {
			s.remove(false)
		}
	})
	return errors.Join(err, s.unlock())
}

// BeforeCall prepares the clone for a provider or a check: its .git shows the last commit. It notes
// the state of the person's repository for AfterCall.
func (s *Space) BeforeCall(ctx context.Context) error {
	return s.operate(opPrepare, func() {
		s.renewAgentGit(ctx, false)
		s.noted = s.personState(ctx)
		if !s.state.Used || s.state.Update != [2]string{} {
			s.state.Used, s.state.Update = true, [2]string{}
			s.saveState()
		}
		if s.err == nil {
			s.seal = s.marks()
		}
	})
}

// AfterCall returns what differs in the person's repository since BeforeCall: HEAD, configuration,
// hooks, exclusions and attributes. It restores nothing, because the person can have changed them.
func (s *Space) AfterCall(ctx context.Context) (changed []string, err error) {
	return operate(s, opDetect, func() []string {
		if s.noted == nil {
			return nil
		}
		return differences(s.noted, s.personState(ctx))
	})
}

// marks identifies the run's own files.
func (s *Space) marks() string {
	var b strings.Builder
	for _, name := range []string{"run.json", "git/config", "git/HEAD", "git/index", "git/info/exclude",
		"git/info/attributes", "git/packed-refs", "git/" + s.ref(), "git/objects/info/alternates"} {
		if info, err := os.Lstat(s.file(name)); err == nil {
			fmt.Fprintln(&b, name, info.ModTime(), info.Mode())
		}
	}
	return b.String()
}

// operate carries out an operation, whose failure becomes evidence. It fails if another process
// changed the run's own files during a call.
func (s *Space) operate(op string, do func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op, s.err = op, nil
	seal := s.seal
	if s.seal = ""; seal != "" && seal != s.marks() {
		s.fail("store", "another process changed the files of the run in "+s.home+
			": check what it did before you resume the run")
	} else {
		do()
	}
	return s.evidence(s.err)
}

func operate[T any](s *Space, op string, do func() T) (T, error) {
	var done, none T
	if err := s.operate(op, func() { done = do() }); err != nil {
		return none, err
	}
	return done, nil
}
