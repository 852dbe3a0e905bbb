package filejournal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Run is a run that a directory has a journal of.
type Run struct {
	Name string
	// Task and Dir are what the run was begun with.
	Task string
	Dir  string
	// Point, Iteration and At are those of the last entry.
	Point     executor.Point
	Iteration int
	At        time.Time
	// Status and EndReason are empty for a run that has not ended, and can be gone on with.
	Status    executor.Status
	EndReason executor.EndReason
	// Err says why the journal cannot be read; what else is known stands beside it.
	Err error
}

// Ended reports whether the run is over.
func (r Run) Ended() bool { return r.Status != "" }

// Bounds on what is read of a directory and of each journal in it.
const (
	maxRuns  = 10_000
	headSize = 64 << 10
	tailSize = 256 << 10
)

// Runs returns the runs that dir has journals of, the one that was written to last first; of very
// many some. It reads the beginning and the end of each, and takes no locks: a run may be under
// way. A directory that does not exist has none.
func Runs(dir string) ([]Run, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, evidence(sourceExecutor, opResume, dir, fmt.Errorf("list the runs: %w", err))
	}
	defer func() { _ = d.Close() }() // it was only read
	entries, err := d.ReadDir(3 * maxRuns)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, evidence(sourceExecutor, opResume, dir, fmt.Errorf("list the runs: %w", err))
	}
	var runs []Run
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), journalSuffix)
		if ok && filelock.CheckName(name) == nil && len(runs) < maxRuns {
			runs = append(runs, lookAt(dir, name))
		}
	}
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Name, b.Name))
	})
	return runs, nil
}

// lookAt returns what the beginning and the end of a journal say.
func lookAt(dir, name string) Run {
	run := Run{Name: name}
	path := filepath.Join(dir, name+journalSuffix)
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	if err == nil {
		err = errors.Join(run.readHead(f), run.readTail(f), f.Close())
	}
	if err != nil {
		run.Err = unreadable(path, err)
	}
	return run
}

// readHead reads the first lines.
func (r *Run) readHead(f io.ReaderAt) error {
	head, err := io.ReadAll(io.NewSectionReader(f, 0, headSize))
	if err != nil {
		return err
	}
	first, rest, ok := bytes.Cut(head, newline)
	if !ok {
		return &damage{line: 1, err: errors.New("it does not begin as a journal does")}
	}
	if err := checkHeader(first, r.Name); err != nil {
		return &damage{line: 1, err: err}
	}
	second, _, _ := bytes.Cut(rest, newline)
	if e, ok := parse(second); ok && e.Begun != nil {
		r.Task, r.Dir = e.Begun.Task, e.Begun.Dir
	}
	return nil
}

// readTail reads the last lines, more of them if the last one is long.
func (r *Run) readTail(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	for size := int64(tailSize); ; size *= 8 {
		from := max(0, info.Size()-size)
		tail, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
		if err != nil {
			return err
		}
		if r.readLast(tail) || from == 0 {
			return nil
		}
		if size >= 2*maxLine {
			return errors.New("there is no entry at its end")
		}
	}
}

// readLast takes the state from the last entries in tail, and reports whether they are all that it
// depends on: a run's end is told by an entry before that of the people who were told.
func (r *Run) readLast(tail []byte) bool {
	for last := true; ; {
		cut := bytes.LastIndexByte(tail, '\n')
		if cut < 0 {
			return false
		}
		tail = tail[:cut]
		e, ok := parse(tail[bytes.LastIndexByte(tail, '\n')+1:])
		if !ok {
			continue
		}
		if last {
			r.Point, r.Iteration, r.At, last = e.Point, e.Iteration, e.At, false
		}
		if e.Ended != nil {
			r.Status, r.EndReason = e.Ended.Status, e.Ended.EndReason
		}
		if e.Point != executor.PointNotified {
			return true
		}
	}
}

// parse returns the entry in a line.
func parse(line []byte) (e executor.Entry, ok bool) {
	_, raw, ok := unframe(line)
	if !ok || json.Unmarshal(raw, &e) != nil {
		return executor.Entry{}, false
	}
	return e, true
}
