package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/proc"
)

// staged is what an index has for a path.
type staged struct {
	mode uint32
	id   string
}

func (g *Git) indexFile() string { return filepath.Join(g.dir, "index") }
func (g *Git) indexLock() string { return filepath.Join(g.dir, "index.lock") }

// readIndex returns what an index has. A file that is not there is an empty index.
func (g *Git) readIndex(ctx context.Context, op, file string) (map[string]staged, error) {
	out, err := g.git(
		ctx, call{op: op, args: []string{"ls-files", "-z", "--stage", "--full-name"},
			env: []string{"GIT_INDEX_FILE=" + file}})
	if err != nil {
		return nil, err
	}
	entries := map[string]staged{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line == "" {
			continue
		}
		mode, id, p, err := listed(line)
		if err != nil {
			return nil, fault(op, "", nil, err)
		}
		entries[p] = staged{mode: mode, id: id}
	}
	return entries, nil
}

// lockIndex takes the lock of the user's index as git does, and says in the run's state who has it.
func (g *Git) lockIndex(op string, st *state) (*os.File, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, fault(op, "", nil, err)
	}
	st.Locker = &locker{PID: self.PID, Start: self.Start}
	if err := g.setState(op, st); err != nil {
		return nil, err
	}
	f, err := g.createIndexLock()
	if errors.Is(err, fs.ErrExist) && g.removeLeftLock(st) {
		f, err = g.createIndexLock()
	}
	if errors.Is(err, fs.ErrExist) {
		ev := detect.Of(err)             // whose text would name the file once more
		ev.Source, ev.Op = sourceGit, op // and the files of the operation, which is what is left undone
		ev.Text = fmt.Sprintf("the index is locked: %s is there; another git command is running, or one has died: "+
			"wait for it, or remove the file if there is none", g.indexLock())
		return nil, &ev
	}
	if err != nil {
		return nil, fault(op, "lock the index", nil, err)
	}
	return f, nil
}

func (g *Git) createIndexLock() (*os.File, error) {
	return os.OpenFile(g.indexLock(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// removeLeftLock removes a lock of the user's index that was not there when the run began, if
// nobody has it: a git command of a call was killed. Of an older one only a person knows.
func (g *Git) removeLeftLock(st *state) bool {
	if st.Locked {
		return false
	}
	info, err := os.Lstat(g.indexLock())
	if err != nil || !info.Mode().IsRegular() || !g.abandoned(g.indexLock()) {
		return false
	}
	return os.Remove(g.indexLock()) == nil
}

// unlockIndex lets go of the lock, and makes next the user's index if that is not empty.
func (g *Git) unlockIndex(lock *os.File, next string) error {
	err := fillLock(lock, next)
	if cerr := lock.Close(); err == nil {
		err = cerr
	}
	if err == nil && next != "" {
		return os.Rename(g.indexLock(), g.indexFile())
	}
	if rerr := os.Remove(g.indexLock()); err == nil {
		err = rerr
	}
	return err
}

func fillLock(lock *os.File, next string) error {
	if next == "" {
		return nil
	}
	f, err := os.Open(next)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = io.Copy(lock, f); err != nil {
		return err
	}
	return lock.Sync()
}

// stage sets paths of an index file, which is not the user's own.
func (g *Git) stage(ctx context.Context, op, file string, set map[string]*staged) error {
	var in bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(set)) { // removals of files come before what is put in their place
		if set[p] == nil {
			fmt.Fprintf(&in, "0 %s\t%s\x00", strings.Repeat("0", g.idLen()), p)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(set)) {
		if s := set[p]; s != nil {
			fmt.Fprintf(&in, "%o %s\t%s\x00", s.mode, s.id, p)
		}
	}
	_, err := g.git(
		ctx, call{op: op, stdin: &in, args: []string{"update-index", "-z", "--index-info"},
			env: []string{"GIT_INDEX_FILE=" + file}})
	return err
}

func (g *Git) idLen() int {
	if g.algo == "sha256" {
		return 64
	}
	return 40
}

// restage sets paths of the user's index, and nothing else in it, under its lock.
func (g *Git) restage(ctx context.Context, op string, st *state, set map[string]*staged) error {
	lock, err := g.lockIndex(op, st)
	if err != nil {
		return err
	}
	next, err := g.nextIndex(ctx, op, set)
	if err != nil {
		_ = g.unlockIndex(lock, "")
		return err
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(next)) }()
	if err := g.unlockIndex(lock, next); err != nil {
		return fault(op, "write the index", nil, err)
	}
	return nil
}

// nextIndex returns a copy of the user's index with paths set in it, alone in a directory.
func (g *Git) nextIndex(ctx context.Context, op string, set map[string]*staged) (string, error) {
	dir, err := g.tempDir(op)
	if err != nil {
		return "", err
	}
	next := filepath.Join(dir, "index")
	if err := g.copyStaged(ctx, op, next, g.indexFile(), set); err != nil {
		_ = os.RemoveAll(dir)
		return "", err
	}
	return next, nil
}

// copyStaged makes a copy of an index, which need not be there, and sets paths in it.
func (g *Git) copyStaged(ctx context.Context, op, to, from string, set map[string]*staged) error {
	if err := copyFile(to, from); err != nil && !missing(err) {
		return fault(op, "copy the index", nil, err)
	}
	return g.stage(ctx, op, to, set)
}

// readIndexFile reads an index; nil is none.
func readIndexFile(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if missing(err) {
		return nil, nil
	}
	if b == nil && err == nil {
		b = []byte{}
	}
	return b, err
}
