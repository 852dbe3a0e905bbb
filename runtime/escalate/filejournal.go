package escalate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// stateSuffix ends the names of files with states.
const stateSuffix = ".json"

// maxState bounds a state, in bytes.
const maxState = 64 << 20

// fileJournal is a [Journal] in a directory: a file for each run, and a lock beside it.
type fileJournal struct {
	dir string

	mu   sync.Mutex
	run  string
	held *filelock.Named // nil while it is not open
	// encoder knows what was saved last.
	encoder encoder
}

var (
	errNotOpen  = errors.New("the journal is not open for this run")
	errOpen     = errors.New("the journal is open for another run")
	errNoDir    = errors.New("a journal needs a directory")
	errTooLarge = fmt.Errorf("the state has more than %d bytes", maxState)
)

// NewFileJournal returns a journal that keeps the state of each run in a file of its own in dir,
// for the owner only and replaced as a whole. The directory is made when a run is opened. It must
// be out of the tiers' reach, as below git's own directory, and must not be that of
// [executor.Journal] files. A file that cannot be read, or that is of another form, is evidence of
// source "executor", op "resume", and stays as it is; one that cannot be written is of source
// "state", op "state_write".
func NewFileJournal(dir string) (Journal, error) {
	if dir == "" {
		return nil, errNoDir
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the directory of journals: %w", err)
	}
	return &fileJournal{dir: abs}, nil
}

func (j *fileJournal) path(run string) string { return filepath.Join(j.dir, run+stateSuffix) }

// Open takes the run. A lock of a process that has died is waited for, for 3 seconds at most.
func (j *fileJournal) Open(ctx context.Context, run string) (*State, error) {
	if !validRun(run) {
		ev := fileEvidence("prepare", j.dir, errors.New("a run cannot have this name"))
		ev.Source, ev.Attributes["field"], ev.Attributes["value"], ev.Attributes["expected"] = "executor", "run",
			text.Beginning(run, maxWord), runNameExpected
		return nil, ev
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held != nil {
		return nil, fileEvidence("prepare", j.dir, errOpen)
	}
	if err := atomicfile.MakeDir(j.dir); err != nil {
		return nil, fileEvidence("prepare", j.dir, fmt.Errorf("make the directory of journals: %w", err))
	}
	held, err := filelock.Take(ctx, j.dir, run, "run "+run, "", filelock.DefaultPatience)
	if refused, ok := filelock.Evidence(err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, fileEvidence("lock", filelock.Path(j.dir, run), err)
	}
	s, err := readFile(j.path(run), run)
	if err != nil {
		return nil, errors.Join(unreadable(j.path(run), err), held.Release())
	}
	j.run, j.held = run, held
	return s, nil
}

// readFile returns the state in a file; nil when there is no file.
func readFile(path, run string) (*State, error) {
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return nil, err
	}
	return decodeState(b, run)
}

// Save replaces the file, whatever becomes of ctx.
func (j *fileJournal) Save(_ context.Context, s *State) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held == nil || s == nil || s.Result.Run != j.run {
		return stateEvidence(j.dir, errNotOpen)
	}
	b, err := j.encoder.encode(s)
	if err == nil {
		err = atomicfile.Replace(j.path(j.run), b)
	}
	if err != nil {
		return stateEvidence(j.path(j.run), fmt.Errorf("write the state of run %s: %w", j.run, err))
	}
	return nil
}

// Close lets go of the run. Closing a journal that is not open does nothing.
func (j *fileJournal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held == nil {
		return nil
	}
	err := j.held.Release()
	j.held, j.encoder = nil, encoder{}
	if err != nil {
		return stateEvidence(j.path(j.run), fmt.Errorf("close the journal of run %s: %w", j.run, err))
	}
	return nil
}

// fileEvidence returns err as evidence about a path.
func fileEvidence(op, path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = "executor", op
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes["path"] = path
	return &ev
}

func stateEvidence(path string, err error) *taxonomy.Evidence {
	ev := fileEvidence("state_write", path, err)
	ev.Source = "state"
	return ev
}

// unreadable returns evidence that a state cannot be gone on with.
func unreadable(path string, err error) *taxonomy.Evidence {
	ev := fileEvidence(opResume, path, err)
	if d, ok := errors.AsType[*damage](err); ok {
		ev.Type, ev.Text = "refused", "the state in "+path+" cannot be gone on with: "+d.Error()
		ev.Attributes["field"], ev.Attributes["value"], ev.Attributes["expected"] = d.field, d.value, d.expected
	}
	return ev
}
