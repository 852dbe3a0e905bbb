package escalate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// treeMarker is a journal that knows which run is under way in a working tree, so that the next one
// can be told of one that has died there.
type treeMarker interface {
	// left returns the run that was under way in a tree last and did not come to an end; empty when
	// there is none.
	left(tree string) string
	// mark notes that the open run is under way in a tree, or no more.
	mark(tree string, underWay bool) error
}

// markTree notes that the run is under way in the working tree, and returns the run that has died
// there before; empty when none has.
func (r *run) markTree() (died string) {
	m, ok := r.cfg.Journal.(treeMarker)
	if !ok || r.state.Tree == "" {
		return ""
	}
	if died = m.left(r.state.Tree); died == r.result.Run {
		died = ""
	}
	if err := m.mark(r.state.Tree, true); err != nil {
		r.warn("note that the run is under way in the working tree", err)
	}
	return died
}

// unmarkTree notes that nothing of the run is left in the working tree that does not count.
func (r *run) unmarkTree() {
	m, ok := r.cfg.Journal.(treeMarker)
	if !ok || r.state.Tree == "" {
		return
	}
	if err := m.mark(r.state.Tree, false); err != nil {
		r.warn("note that the run is over", err)
	}
}

// markPath returns the file that names the run under way in a tree. No run has such a name.
func (j *fileJournal) markPath(tree string) string {
	return filepath.Join(j.dir, ".tree-"+tree[:min(len(tree), 32)])
}

func (j *fileJournal) left(tree string) string {
	f, err := atomicfile.OpenRegular(j.markPath(tree), os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxRunName+1))
	run := string(b)
	if err != nil || !validRun(run) {
		return ""
	}
	s, err := readFile(j.path(run), run)
	if err != nil || s == nil || s.Tree != tree || s.Result.EndReason != "" && s.Result.EndReason != EndRevert {
		return ""
	}
	return run
}

func (j *fileJournal) mark(tree string, underWay bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.held == nil {
		return stateEvidence(j.dir, errNotOpen)
	}
	path := j.markPath(tree)
	if underWay {
		if err := atomicfile.Replace(path, []byte(j.run)); err != nil {
			return stateEvidence(path, err)
		}
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stateEvidence(path, err)
	}
	return nil
}
