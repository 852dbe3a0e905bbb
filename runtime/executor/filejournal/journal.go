package filejournal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Journal is an [executor.Journal] in a directory. It serves one run at a time; its methods may be
// called from several goroutines. Its errors are a *taxonomy.Evidence.
type Journal struct {
	dir      string
	patience time.Duration // in which a lock of a dead process is waited for

	mu   sync.Mutex
	run  string
	held *filelock.Named
	file file // nil as long as there is no entry
	// size is where the last whole entry ends, entries how many there are.
	size    int64
	entries int
	// torn reports that there may be something behind size.
	torn bool
}

// file is what a journal needs of its file.
type file interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

var _ executor.Journal = (*Journal)(nil)

var (
	errNotOpen = errors.New("the journal is not open")
	errOpen    = errors.New("the journal is open for another run")
)

// New returns a journal in dir, which is made by [Journal.Open] if it does not exist.
func New(dir string) *Journal { return &Journal{dir: dir, patience: filelock.DefaultPatience} }

func (j *Journal) path(suffix string) string { return filepath.Join(j.dir, j.run+suffix) }

// Open takes the run for this process and returns its entries. A run that a living process has is
// evidence of source "executor", op "lock", with the attributes path, pid, host and since; a
// journal that cannot be read is evidence of op "resume", and stays as it is. A file is made by the
// first entry.
//
// When whoever had the run is dead, and the lock is held all the same, it is waited for, for 3
// seconds at most.
func (j *Journal) Open(ctx context.Context, run string) ([]executor.Entry, error) {
	if err := filelock.CheckName(run); err != nil {
		return nil, refusedName(j.dir, run, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held != nil {
		return nil, evidence(sourceExecutor, opPrepare, j.dir, errOpen)
	}
	j.run = run
	if err := j.takeLock(ctx); err != nil {
		return nil, err
	}
	entries, err := j.load()
	if err != nil {
		_ = j.letGo() // what cannot be read counts
		return nil, unreadable(j.path(journalSuffix), err)
	}
	return entries, nil
}

func (j *Journal) takeLock(ctx context.Context) error {
	if err := atomicfile.MakeDir(j.dir); err != nil {
		return evidence(sourceExecutor, opPrepare, j.dir, fmt.Errorf("make the directory of journals: %w", err))
	}
	held, err := filelock.Take(ctx, j.dir, j.run, "run "+j.run, "", j.patience)
	if refused, ok := filelock.Evidence(err); ok {
		return refused
	}
	if err != nil {
		return evidence(sourceExecutor, opLock, filelock.Path(j.dir, j.run), err)
	}
	j.held = held
	return nil
}

// load reads the file of the run, if there is one, and keeps it open.
func (j *Journal) load() ([]executor.Entry, error) {
	j.file, j.size, j.entries, j.torn = nil, 0, 0, false
	f, err := atomicfile.OpenRegular(j.path(journalSuffix), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := read(f, j.run)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	j.file, j.size, j.entries, j.torn = f, c.size, len(c.entries), true
	return c.entries, nil
}

// Append makes the entry durable before it returns, whatever becomes of ctx. When it fails, nothing
// of the entry is in the journal, and the error is evidence of source "state", op "state_write",
// with the attribute path.
func (j *Journal) Append(_ context.Context, e executor.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	path := j.path(journalSuffix)
	if j.held == nil {
		return evidence(sourceState, opWrite, j.dir, errNotOpen)
	}
	line, err := j.line(e)
	if err == nil {
		err = j.write(path, line)
	}
	if err != nil {
		return evidence(sourceState, opWrite, path, fmt.Errorf("write the journal of run %s: %w", j.run, err))
	}
	j.entries++
	return nil
}

// line returns the line of the next entry.
func (j *Journal) line(e executor.Entry) ([]byte, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	line := frame(j.entries+1, raw)
	switch {
	case len(line) > maxLine:
		return nil, fmt.Errorf("an entry of %d bytes is too long; %d are allowed", len(line), maxLine)
	case j.size+int64(len(line)) > maxFile:
		return nil, fmt.Errorf("the journal would have more than %d bytes", maxFile)
	case j.entries+2 > maxEntries: // read counts the first line, too
		return nil, fmt.Errorf("the journal would have more than %d entries", maxEntries)
	}
	return line, nil
}

func (j *Journal) write(path string, line []byte) error {
	if j.file == nil {
		return j.create(path, line)
	}
	if j.torn {
		if err := j.file.Truncate(j.size); err != nil {
			return err
		}
		j.torn = false
	}
	_, err := j.file.WriteAt(line, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		// The disk may have taken a part. If that cannot be cut off now, it is before the next
		// entry.
		j.torn = j.file.Truncate(j.size) != nil
		return err
	}
	j.size += int64(len(line))
	return nil
}

// create makes the file with its first entry.
func (j *Journal) create(path string, line []byte) error {
	content := append(headerLine(j.run), line...)
	if err := atomicfile.Replace(path, content); err != nil {
		return errors.Join(err, undone(path))
	}
	f, err := atomicfile.OpenRegular(path, os.O_RDWR)
	if err != nil {
		return errors.Join(err, undone(path))
	}
	j.file, j.size = f, int64(len(content))
	return nil
}

// undone removes a file that was not made durably.
func undone(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Close lets go of the run; the entries stay. Closing a journal that is not open does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.letGo(); err != nil {
		return evidence(sourceState, opWrite, j.path(journalSuffix),
			fmt.Errorf("close the journal of run %s: %w", j.run, err))
	}
	return nil
}

func (j *Journal) letGo() error {
	if j.held == nil {
		return nil
	}
	var errs []error
	if j.file != nil {
		errs = append(errs, j.file.Close())
	}
	errs = append(errs, j.held.Release())
	j.held, j.file = nil, nil
	return errors.Join(errs...)
}
