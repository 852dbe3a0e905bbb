package state

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Bounds on journals, in bytes and entries.
const (
	maxEntry   = 8 << 20
	maxJournal = 256 << 20
	maxEntries = 100_000
)

var (
	errNotOpen  = errors.New("the journal is not open")
	errOpen     = errors.New("the journal is open for another run")
	errReadOnly = errors.New("the state is open for reading only")
)

// journal is an [executor.Journal] in a [Store]. The entries are what a run is gone on from; what
// follows from an entry is written in the same transaction.
type journal struct {
	store *Store

	mu   sync.Mutex
	run  string
	held *filelock.Named // nil when it is not open
	task *filelock.Named // nil when the run has not begun, or has ended
	// entries is how many there are, size how many bytes they have.
	entries int
	size    int64
	// last is a digest of the last entry.
	last [sha256.Size]byte
	// seen is what the entries say of the iteration that is under way.
	seen progress
}

// Journal returns a journal for an executor. It serves one run at a time; there may be many. Its
// methods may be called from several goroutines.
//
// Open takes a lock beside the state, which ends with the process, and another one on the task if
// the run has begun and has not ended; a run that begins takes that with its first entry. A run or
// a task that a living process has is evidence of source "executor", op "lock", with the attributes
// path, pid, host and since, and nothing is written. Entries that cannot be read are evidence of op
// "resume" and type "refused", and stay as they are.
//
// Append is otherwise evidence of source "state", op "state_write", when nothing of the entry was
// written. An entry that is appended twice in a row is there once, also when the first time was
// said to have failed and had not.
func (s *Store) Journal() executor.Journal {
	return &journal{store: s}
}

// locks returns the directory of the locks on runs.
func (s *Store) locks() string { return s.path + locksSuffix }

// Open takes the run for this process and returns its entries.
func (j *journal) Open(ctx context.Context, run string) ([]executor.Entry, error) {
	if err := filelock.CheckName(run); err != nil {
		return nil, j.store.refusedName("run", run, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.held != nil:
		return nil, evidence("executor", "prepare", j.store.path, errOpen)
	case j.store.writer == nil:
		return nil, evidence("executor", "prepare", j.store.path, errReadOnly)
	}
	held, err := take(ctx, j.store.locks(), run, "run "+run, "")
	if err != nil {
		return nil, err
	}
	had, err := j.store.entries(ctx, run)
	if err != nil {
		_ = held.Release() // what cannot be read counts
		return nil, j.store.unreadable(err)
	}
	task, err := j.store.takeTaskOf(ctx, run, had.entries)
	if err != nil {
		_ = held.Release() // who has the task counts
		return nil, err
	}
	j.run, j.held, j.task, j.entries, j.size, j.last, j.seen = run, held, task, len(had.entries), had.size, had.last,
		progress{}
	for i := range had.entries {
		j.seen.add(&had.entries[i])
	}
	return had.entries, nil
}

// take takes what is called name in a directory of locks, which is made if it is not there. Others
// are told what it is, and of which run, if that is not empty.
func take(ctx context.Context, dir, name, what, run string) (*filelock.Named, error) {
	if err := atomicfile.MakeDir(dir); err != nil {
		return nil, evidence("executor", "prepare", dir, fmt.Errorf("make the directory of locks: %w", err))
	}
	held, err := filelock.Take(ctx, dir, name, what, run, filelock.DefaultPatience)
	if refused, ok := filelock.Evidence(err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, evidence("executor", "lock", filelock.Path(dir, name), err)
	}
	return held, nil
}

// Append makes the entry durable before it returns, whatever becomes of ctx.
func (j *journal) Append(ctx context.Context, e executor.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	doing := "write the journal of run " + j.run
	body, err := j.body(&e)
	if err != nil {
		return j.store.failed(doing, err)
	}
	digest := sha256.Sum256(body)
	if digest == j.last {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	letGo, err := j.takeTask(ctx, &e)
	if err != nil {
		return err
	}
	err = j.store.write(ctx, doing, func(t *tx) error {
		p := &projection{tx: t, run: j.run, entry: &e, at: stamp(e.At), seen: &j.seen}
		return p.write(j.entries+1, body)
	})
	if err != nil {
		letGo()
		return err
	}
	j.entries++
	j.size += int64(len(body))
	j.last = digest
	j.seen.add(&e)
	return nil
}

// body returns an entry as it is written.
func (j *journal) body(e *executor.Entry) ([]byte, error) {
	if j.held == nil {
		return nil, errNotOpen
	}
	if (e.Point == executor.PointBegun) != (e.Begun != nil) || j.entries == 0 && e.Begun == nil {
		return nil, errNotBegun
	}
	body, err := json.Marshal(e)
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxEntry:
		return nil, fmt.Errorf("an entry of %d bytes is too long; %d are allowed", len(body), maxEntry)
	case j.size+int64(len(body)) > maxJournal:
		return nil, fmt.Errorf("the journal would have more than %d bytes", maxJournal)
	case j.entries == maxEntries:
		return nil, fmt.Errorf("the journal would have more than %d entries", maxEntries)
	}
	return body, nil
}

// Close lets go of the run and its task; the entries stay. Closing a journal that is not open does
// nothing.
func (j *journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held == nil {
		return nil
	}
	var errs []error
	if j.task != nil {
		errs = append(errs, j.task.Release())
	}
	err := errors.Join(append(errs, j.held.Release())...)
	j.held, j.task = nil, nil
	if err != nil {
		return evidence("state", "state_write", filelock.Path(j.store.locks(), j.run),
			fmt.Errorf("let go of run %s: %w", j.run, err))
	}
	return nil
}

// claims returns the directory of the locks on other things than runs.
func (s *Store) claims() string { return filepath.Join(s.locks(), "claims") }
