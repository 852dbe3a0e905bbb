package recovery

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/validate"
)

// local are the tools of this machine.
type local struct {
	dir    string
	runner *validate.Validator
	tree   Workspace
	lock   bool
	keep   time.Duration
	grace  time.Duration

	mu      sync.Mutex
	current *journal // of the mend that is under way; nil for none
}

func (l *local) Dir() string { return l.dir }

func (l *local) Run(ctx context.Context, op string, c validate.Command) validate.Result {
	return l.runner.RunStarted(ctx, op, c, l.started)
}

// started has the mend that is under way remember its process.
func (l *local) started(p executor.Process) error {
	l.remember(func(j *journal) { j.Process = &p })
	return nil // where that cannot be written, as on a full disk, the process runs all the same
}

// remember changes what is remembered of the mend that is under way.
func (l *local) remember(change func(*journal)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		change(l.current)
		_ = l.current.write()
	}
}

func (l *local) setCurrent(j *journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = j
}

func (l *local) Begin(ctx context.Context, run string) (Tree, error) {
	if l.tree == nil {
		return nil, ErrNoWorkspace
	}
	t := &localTree{local: l, run: run, unlock: func() error { return nil }}
	if l.lock {
		unlock, err := l.tree.Lock(ctx, run)
		if err != nil {
			return nil, err
		}
		t.unlock = unlock
	}
	if err := t.begin(ctx); err != nil {
		return nil, errors.Join(err, t.unlock())
	}
	return t, nil
}

// localTree is a working tree that a mend has.
type localTree struct {
	*local
	run     string
	checked executor.Checked
	unlock  func() error
	last    []executor.Change // what Changes has found last
	told    string
}

func (t *localTree) begin(ctx context.Context) (err error) {
	if t.told, err = t.finishOther(ctx); err != nil {
		return err
	}
	if t.checked, err = t.tree.Begin(ctx, t.run); err != nil {
		return err
	}
	j, err := newJournal(journalIn(t.tree), t.run, t.checked)
	if err != nil {
		return errors.Join(err, t.forget(ctx, t.run))
	}
	t.setCurrent(j)
	return nil
}

// Told returns what there is to say about the mend of a process that died; usually nothing.
func (t *localTree) Told() string { return t.told }

func (t *localTree) Before() string {
	if _, err := os.Lstat(filepath.Join(t.tree.GitDir(), "errgen", "runs", t.run)); err != nil {
		return "" // git's directory is gone, and with it what was kept
	}
	return "refs/errgen/" + t.run + "/checked"
}

func (t *localTree) Changes(ctx context.Context) ([]executor.Change, error) {
	changes, err := t.tree.Detect(ctx, t.checked)
	if err != nil {
		return nil, err
	}
	t.last = changes
	t.remember(func(j *journal) { j.found(changes) })
	return changes, nil
}

func (t *localTree) Save(ctx context.Context, changes []executor.Change) (string, error) {
	return t.tree.Save(ctx, t.run, 1, t.checked, changes)
}

func (t *localTree) Revert(ctx context.Context, changes []executor.Change) error {
	return errors.Join(t.tree.Revert(ctx, t.checked, changes), t.tree.RestoreModes(ctx, t.checked))
}

func (t *localTree) Release(ctx context.Context, keep bool) error {
	var err error
	if !keep {
		err = t.accept(ctx)
	}
	t.mu.Lock()
	t.current.remove()
	t.current = nil
	t.mu.Unlock()
	return errors.Join(err, t.unlock())
}

// accept takes the tree as it is before it lets go, because a workspace keeps what is nowhere else
// any more.
func (t *localTree) accept(ctx context.Context) error {
	if len(t.last) > 0 {
		if _, err := t.tree.Advance(ctx, t.run, t.checked, t.last); err != nil {
			return err
		}
	}
	return t.forget(ctx, t.run)
}

// forget removes all that is kept of a run besides what it has saved, and what mends have saved
// long ago.
func (l *local) forget(ctx context.Context, run string) error {
	if err := l.tree.Release(ctx, run); err != nil {
		return err
	}
	if err := l.tree.Forget(run); err != nil || l.keep < 0 {
		return err
	}
	_, err := l.tree.PruneRuns(ctx, runPrefix, l.keep)
	return err
}

// journalIn returns where the mend of a working tree is remembered.
func journalIn(w Workspace) string { return filepath.Join(w.GitDir(), "errgen", "mend.json") }
