package workspace

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// What the user has staged is the user's. A call that stages, unstages or destroys the index is no
// violation, since no file is another one for it; the index is put back quietly.

// putIndexBack makes the user's index what it was, with the run's own commits in it. An index that
// says the same with other times of files is left as it is. No configuration of the repository is
// read.
func (g *Git) putIndexBack(ctx context.Context, op string, st *state) error {
	if st.Released || st.Pending != nil {
		return nil // nothing to compare with, or a commit of ours which the copy does not have yet
	}
	is, err := g.indexID()
	if err != nil {
		return fault(op, "read the index", nil, err)
	}
	if is == st.Index || is == g.sameIndex.is && st.Index == g.sameIndex.as {
		return nil
	}
	was, err := readIndexFile(g.indexCopy(st.Run))
	if err != nil {
		return fault(op, "read what was staged", nil, err)
	}
	if g.nameOfIndex(was) != st.Index {
		return nil // the copy was destroyed, so that it says nothing
	}
	same, err := g.sayTheSame(ctx, op, g.indexCopy(st.Run), g.indexFile())
	if err != nil {
		return err
	}
	if !same {
		return g.replaceIndex(ctx, op, st)
	}
	g.sameIndex = indexPair{is: is, as: st.Index}
	return nil
}

// indexPair are an index and a copy of it that say the same.
type indexPair struct{ is, as string }

// indexID returns the name of the content of the user's index; "" when there is none.
func (g *Git) indexID() (string, error) { return g.idOfIndex(".git/index", g.indexFile()) }

// idOfIndex returns the name of the content of an index with a path; "" when there is none.
func (g *Git) idOfIndex(p, file string) (string, error) {
	info, err := os.Lstat(file)
	if err == nil && info.Mode().IsRegular() {
		sc := &scan{Git: g}
		id, _, err := sc.contentID(p, file, info)
		return id, err
	}
	if missing(err) {
		return "", nil
	}
	return "other", err // a directory, say
}

// nameOfIndex returns the name of an index as [state.Index] has it.
func (g *Git) nameOfIndex(b []byte) string {
	if b == nil {
		return ""
	}
	return g.idOf(b)
}

// sayTheSame reports whether two indexes have the same entries, with the same flags.
func (g *Git) sayTheSame(ctx context.Context, op, one, other string) (bool, error) {
	if err := g.makeShadow(ctx, op); err != nil {
		return false, err
	}
	var said [2][]byte
	for i, file := range []string{one, other} {
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return false, nil
		}
		out, err := g.git(ctx, call{
			op: op, shadow: true, args: []string{"ls-files", "-z", "--stage", "-v", "--full-name"},
			env: []string{"GIT_INDEX_FILE=" + file},
		})
		if ctx.Err() != nil {
			return false, err
		}
		if err != nil {
			return false, nil // it cannot be read
		}
		said[i] = out
	}
	return bytes.Equal(said[0], said[1]), nil
}

// replaceIndex puts the run's copy in the place of the user's index, under its lock.
func (g *Git) replaceIndex(ctx context.Context, op string, st *state) error {
	dir, err := g.tempDir(op)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	next := ""
	if st.Index != "" {
		next = filepath.Join(dir, "index")
		if err := copyFile(next, g.indexCopy(st.Run)); err != nil {
			return fault(op, "copy the index", nil, err)
		}
		g.refresh(ctx, op, next)
	}
	lock, err := g.lockIndex(op, st)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(g.indexFile()); err == nil && (next == "" || !info.Mode().IsRegular()) {
		_ = os.RemoveAll(g.indexFile())
	}
	if err := g.unlockIndex(lock, next); err != nil {
		return fault(op, "write the index", nil, err)
	}
	g.indexIs(st)
	return nil
}

// indexIs notes that the user's index says what the copy does.
func (g *Git) indexIs(st *state) {
	if id, err := g.indexID(); err == nil {
		g.sameIndex = indexPair{is: id, as: st.Index}
	}
}

// refresh brings the times of files in an index up to date. It runs no filter, so that a file which
// has one stays to be looked at by the user's next git command. Without it that would have to look
// at every file, which is no failure.
func (g *Git) refresh(ctx context.Context, op, file string) {
	if g.makeShadow(ctx, op) == nil {
		_, _ = g.git(ctx, call{
			op: op, shadow: true, none: 1, args: []string{"update-index", "-q", "--refresh"},
			env: []string{"GIT_INDEX_FILE=" + file},
		})
	}
}

// copyIndex remembers the user's index.
func (g *Git) copyIndex(op string, st *state) error {
	b, err := readIndexFile(g.indexFile())
	if err == nil {
		err = g.writeIndexCopy(st, b)
	}
	if err != nil {
		return fault(op, "remember the index", nil, err)
	}
	return nil
}

func (g *Git) writeIndexCopy(st *state, b []byte) error {
	to := g.indexCopy(st.Run)
	if b == nil {
		if err := os.Remove(to); err != nil && !missing(err) {
			return err
		}
	} else if err := writePrivate(to, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}); err != nil {
		return err
	}
	st.Index = g.nameOfIndex(b)
	return nil
}

func (g *Git) indexCopy(run string) string { return filepath.Join(g.runDir(run), "index") }

// rememberIndex sets paths of the copy of the user's index as they were committed, or moved.
func (g *Git) rememberIndex(ctx context.Context, op string, st *state, set map[string]*staged) error {
	dir, err := g.tempDir(op)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	was, err := readIndexFile(g.indexCopy(st.Run))
	if err != nil {
		return fault(op, "read what was staged", nil, err)
	}
	if g.nameOfIndex(was) != st.Index {
		return nil // it was destroyed, and nothing is put back by it
	}
	next := filepath.Join(dir, "index")
	if err := g.copyStaged(ctx, op, next, g.indexCopy(st.Run), set); err != nil {
		return err
	}
	b, err := readIndexFile(next)
	if err == nil {
		err = g.writeIndexCopy(st, b)
	}
	if err != nil {
		return fault(op, "remember the index", nil, err)
	}
	g.indexIs(st)
	return nil
}

// stagedOnly makes a commit of what the user has staged and that is nowhere else, to be a parent of
// the checked tree: a call could take it out of the index and have git collect it. "" is none.
func (g *Git) stagedOnly(ctx context.Context, st *state, tracked map[string]*entry, s *snapshot) string {
	have := objectsOf(s)
	empty := g.idOf(nil)
	only := map[string]*entry{}
	for p, e := range tracked {
		if _, ok := have[e.id]; !ok && e.id != empty {
			only[p] = e
		}
	}
	head := st.Git.commit()
	if len(only) > 0 && head != "" {
		out, err := g.git(
			ctx, call{op: opPrepare, shadow: true, args: []string{"ls-tree", "-r", "-z", "--full-tree", head}})
		committed := &snapshot{entries: map[string]*entry{}}
		if err == nil && committed.tree(string(out)) == nil {
			maps.DeleteFunc(
				only, func(p string, e *entry) bool {
					return committed.entries[p] != nil &&
						committed.entries[p].id == e.id
				})
		}
	}
	if len(only) == 0 {
		return ""
	}
	var items []item
	for _, p := range slices.Sorted(maps.Keys(only)) {
		items = append(items, item{path: p, mode: only[p].mode, id: only[p].id})
	}
	id, err := g.store(ctx, opPrepare, items, []byte("errgen: staged when run "+st.Run+" began\n"), nil)
	if err != nil {
		return "" // an index that has what is not there: nothing can be kept of it
	}
	return id
}

// moved has what the runs know of the user's index follow a move that was staged.
func (g *Git) moved(ctx context.Context, set map[string]*staged) error {
	for _, st := range g.states {
		if st.Released {
			continue
		}
		if err := g.rememberIndex(ctx, opCommit, st, set); err != nil {
			return err
		}
		if err := g.setState(opCommit, st); err != nil {
			return err
		}
	}
	return nil
}
