package recovery

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/proc"
)

const (
	// maxRemembered bounds the changes that are remembered for whoever comes after this process.
	maxRemembered = 10_000
	// maxJournal bounds what is read of it, in bytes.
	maxJournal = 64 << 20
)

// journal is what is remembered of a mend while it is under way, so that one that a process did not
// bring to an end is noticed. It is a file in git's directory of the working tree.
type journal struct {
	Run     string            `json:"run"`
	Checked executor.Checked  `json:"checked"`
	PID     int               `json:"pid"`
	Start   string            `json:"start"`
	Process *executor.Process `json:"process,omitempty"` // the command that was started last
	Changes []executor.Change `json:"changes,omitempty"` // what had changed when that was looked at last
	Looked  bool              `json:"looked,omitempty"`  // Changes is complete

	file string
}

// newJournal begins to remember a mend of this process.
func newJournal(file, run string, checked executor.Checked) (*journal, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	j := &journal{Run: run, Checked: checked, PID: self.PID, Start: self.Start, file: file}
	return j, j.write()
}

// found remembers what has changed.
func (j *journal) found(changes []executor.Change) {
	j.Changes, j.Looked = nil, len(changes) <= maxRemembered
	if j.Looked {
		j.Changes = slices.Clone(changes)
	}
}

// write replaces the file atomically.
func (j *journal) write() error {
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.file), 0o700); err != nil {
		return err
	}
	return atomicfile.Replace(j.file, b)
}

func (j *journal) remove() {
	if j != nil {
		_ = os.Remove(j.file)
	}
}

// readJournal returns what is remembered of a mend that is not at its end; nil when there is none.
func readJournal(file string) (*journal, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxJournal) {
		err = &fs.PathError{Op: "read", Path: file, Err: errors.New("not what a mend is remembered in")}
	}
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	j := &journal{}
	if err := json.Unmarshal(b, j); err != nil {
		return nil, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	j.file = file
	return j, nil
}

// alive reports whether the process that mends is running.
func (j *journal) alive() bool { return proc.Alive(proc.ID{PID: j.PID, Start: j.Start}) }
