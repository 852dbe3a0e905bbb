package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Space is the clone of a run that this process has locked. Its methods are safe for concurrent use
// and run one after the other. It implements [executor.Space].
type Space struct {
	*Workspace
	mu       sync.Mutex
	op       string
	locks    []*filelock.Named
	made     bool // Open made the clone
	used     bool // before Open
	warnings []string
	state    state
	last     executor.Tree     // of the last snapshot; "" if the files can differ from the index
	head     string            // the commit of tracked
	tracked  map[string]bool   // the files of the last commit
	lfs      string            // where Git LFS stores the person's objects
	seal     string            // identifies the run's own files since BeforeCall
	noted    map[string]string // of the person's repository, since BeforeCall
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
	s := &Space{Workspace: w, op: opPrepare}
	err := s.begin(ctx, run)
	if err == nil {
		return s, nil
	}
	err = s.evidence(err)
	if s.made {
		err = errors.Join(err, s.remove(false))
	}
	return nil, errors.Join(err, s.unlock())
}

func (s *Space) begin(ctx context.Context, run string) error {
	if run != s.run {
		return fault("refused", "this is the clone of the run "+s.run, nil)
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	switch {
	case exists(s.file("run.json")):
		if err := s.readState(); err != nil {
			return err
		}
		if s.state.Root != s.root || (s.state.Person != nil) != s.opts.InPlace {
			return fault("refused", "the run belongs to another working tree, or to another mode", nil, s.state.Root)
		}
	case exists(s.gitDir()) && !exists(s.file("unfinished")):
		return s.damaged("run.json is missing", nil)
	default:
		s.made = true
		if err := s.make(ctx); err != nil {
			return err
		}
	}
	s.used = s.state.Used
	return s.resume(ctx)
}

// take locks the clone, and the working tree of a run in place.
func (s *Space) take(ctx context.Context) error {
	parent := filepath.Dir(s.home)
	if err := atomicfile.MakeDir(parent); err != nil {
		return err
	}
	names := [][3]string{{parent, s.run, "the clone of run " + s.run}}
	if s.opts.InPlace {
		names = append(names, [3]string{filepath.Dir(parent), filepath.Base(parent), "the working tree"})
	}
	for _, name := range names {
		lock, err := filelock.Take(ctx, name[0], name[1], name[2], s.run, filelock.DefaultPatience)
		if ev, held := filelock.Evidence(err); held {
			ev.Type, ev.Err = "held", ErrInUse
			return ev
		}
		if err != nil {
			s.op = opLock
			return err
		}
		s.locks = append(s.locks, lock)
	}
	return nil
}

func (s *Space) unlock() (err error) {
	for _, lock := range s.locks {
		err = errors.Join(err, lock.Release())
	}
	s.locks = nil
	return err
}

// damaged is the error of a clone that this package did not leave like this.
func (s *Space) damaged(what string, err error) error {
	if isEnd(err) {
		return err
	}
	text := "the clone is damaged (" + what
	if err != nil {
		text += ": " + err.Error()
	}
	return fault("clone", text+"): copy what you need from it, and remove it: "+s.home, nil, s.home)
}

// resume completes what a killed process began.
func (s *Space) resume(ctx context.Context) error {
	awaitLock(ctx, s.file("git/index.lock"))
	locks := []string{"index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"}
	_ = filepath.WalkDir(s.file("git/refs"), func(name string, _ fs.DirEntry, err error) error {
		if rel, rerr := filepath.Rel(s.gitDir(), name); err == nil && rerr == nil && strings.HasSuffix(name, ".lock") {
			locks = append(locks, rel)
		}
		return nil
	})
	for _, name := range locks {
		_ = os.Remove(filepath.Join(s.gitDir(), name))
	}
	if err := s.verify(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		s.writeConfig, s.finishCommits, s.rollBack, s.finishUpdate,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if s.opts.InPlace {
		return s.publish(ctx)
	}
	return s.renewAgentGit(ctx, false)
}

// verify fails if the clone does not have its parts.
func (s *Space) verify(ctx context.Context) error {
	if info, err := os.Lstat(s.Dir()); err != nil || !info.IsDir() {
		return s.damaged("its files are missing", err)
	}
	if !exists(s.file("git/index")) {
		return s.damaged("git/index is missing", nil)
	}
	for _, args := range [][]string{{"rev-parse", "--verify", "-q", "HEAD^{tree}"}, {"ls-files", "--", ".git"}} {
		if _, err := s.own(ctx, args...); err != nil {
			return s.damaged("git", err)
		}
	}
	return nil
}

func (s *Space) readState() error {
	content, err := os.ReadFile(s.file("run.json"))
	if err == nil {
		err = json.Unmarshal(content, &s.state)
	}
	if err != nil {
		return s.damaged("run.json", err)
	}
	return nil
}

func (s *Space) saveState() error {
	b, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	beforeStep("write run.json")
	return atomicfile.Replace(s.file("run.json"), b)
}

// Close unlocks the clone. If forget is set, and the person's repository has everything, it removes
// the clone, except saved attempts.
func (s *Space) Close(forget bool) error {
	return s.operate(opPrepare, func() (err error) {
		if s.locks == nil {
			return nil
		}
		if forget {
			var done bool
			if done, err = s.isDelivered(context.Background()); err == nil && done {
				err = s.remove(true)
			}
		}
		return errors.Join(err, s.unlock())
	})
}

// isDelivered reports whether a branch of the person's repository has the commits of the run, and
// the files have no other change.
func (s *Space) isDelivered(ctx context.Context) (bool, error) {
	head, tree, err := s.headTree(ctx)
	if err != nil {
		return false, err
	}
	if head != s.state.Base && !s.personHas(ctx, head) {
		return false, nil
	}
	now, err := s.snapshot(ctx)
	if err != nil {
		return false, err
	}
	changes, err := s.describe(ctx, tree, string(now))
	for _, c := range changes {
		if !c.Ignored {
			return false, err
		}
	}
	return err == nil, err
}

// remove removes the clone. If saved is set, and attempts are saved, their repository stays until
// the clone is made again.
func (s *Space) remove(saved bool) error {
	if saved {
		out, err := s.own(context.Background(), "for-each-ref", "--count=1", savedRefs)
		if err != nil {
			return err
		}
		saved = out != ""
	}
	entries, err := os.ReadDir(s.home)
	if notFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file("unfinished"), nil, 0o600); err != nil {
		return err
	}
	beforeStep("remove run.json")
	err = os.Remove(s.file("run.json"))
	if notFound(err) {
		err = nil
	}
	for _, e := range entries {
		if name := e.Name(); err == nil && name != "unfinished" && (!saved || name != "git") {
			beforeStep("remove " + name)
			err = os.RemoveAll(s.file(name))
		}
	}
	if err == nil && !saved {
		err = os.RemoveAll(s.home)
	}
	return err
}

// Discard unlocks the clone after a dry run, and removes it if Open made it.
func (s *Space) Discard() error {
	return s.operate(opPrepare, func() (err error) {
		if s.made && s.locks != nil {
			err = s.remove(false)
		}
		return errors.Join(err, s.unlock())
	})
}

// BeforeCall prepares the clone for a provider or a check: its .git shows the last commit. It notes
// the state of the person's repository for AfterCall.
func (s *Space) BeforeCall(ctx context.Context) error {
	return s.operate(opPrepare, func() (err error) {
		if !s.opts.InPlace {
			if err := s.renewAgentGit(ctx, false); err != nil {
				return err
			}
		}
		if s.noted, err = s.personState(ctx); err != nil {
			return err
		}
		if !s.state.Used || s.state.Update != [2]string{} {
			s.state.Used, s.state.Update = true, [2]string{}
			err = s.saveState()
		}
		s.seal = s.marks()
		return err
	})
}

// AfterCall returns what differs in the person's repository since BeforeCall: HEAD, configuration,
// hooks, exclusions and attributes. It restores nothing, because the person can have changed them.
func (s *Space) AfterCall(ctx context.Context) (changed []string, err error) {
	return operate(s, opDetect, func() ([]string, error) {
		if s.noted == nil {
			return nil, nil
		}
		now, err := s.personState(ctx)
		if err != nil {
			return nil, err
		}
		return differences(s.noted, now), nil
	})
}

// marks identifies the run's own files.
func (s *Space) marks() string {
	var b strings.Builder
	for _, name := range []string{"run.json", "git/config", "git/HEAD", "git/index", "git/info/exclude",
		"git/info/attributes", "git/packed-refs", "git/" + s.ref(), "git/objects/info/alternates"} {
		if info, err := os.Lstat(s.file(name)); err == nil {
			b.WriteString(name + info.ModTime().String() + info.Mode().String())
		}
	}
	return b.String()
}

// operate carries out an operation, whose errors become evidence. It fails if another process
// changed the run's own files during a call.
func (s *Space) operate(op string, do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op = op
	if s.seal != "" && s.seal != s.marks() {
		s.seal = ""
		return s.evidence(fault("store", "another process changed the files of the run in "+s.home+
			": check what it did before you resume the run", nil))
	}
	s.seal = ""
	return s.evidence(do())
}

func operate[T any](s *Space, op string, do func() (T, error)) (done T, err error) {
	err = s.operate(op, func() (err error) {
		done, err = do()
		return err
	})
	return done, err
}
