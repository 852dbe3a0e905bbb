package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/runtime/internal/text"
)

// A submodule, and a repository in the tree, has an index of its own. Nothing is committed to one
// from here, so that its index is to be as it was when the run began.

func (g *Git) moduleCopy(run, module string) string {
	return filepath.Join(g.quietDir(run), "index-"+g.idOf([]byte(module)))
}

func (g *Git) quietDir(run string) string { return filepath.Join(g.runDir(run), "quiet") }

// copyModules remembers the indexes of the submodules that the state names.
func (g *Git) copyModules(op string, st *state) error {
	for module := range st.Modules {
		b, err := readIndexFile(filepath.Join(g.where(string(module)), "index"))
		if err == nil && b != nil {
			err = writePrivate(g.moduleCopy(st.Run, string(module)), func(w io.Writer) error {
				_, err := w.Write(b)
				return err
			})
		}
		if err != nil {
			return fault(op, "remember the index of "+text.Quote(string(module), maxQuoted), nil, err)
		}
		st.Modules[module] = g.nameOfIndex(b)
	}
	return nil
}

// putModulesBack makes the indexes of submodules what they were. One that says the same is left as
// it is.
func (g *Git) putModulesBack(ctx context.Context, op string, st *state) error {
	var errs []error
	for module, was := range st.Modules {
		if err := g.putModuleBack(ctx, op, st, string(module), was); err != nil && len(errs) < maxFaults {
			errs = append(errs, err)
		}
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return errors.Join(errs...)
}

func (g *Git) putModuleBack(ctx context.Context, op string, st *state, module, was string) error {
	dir := g.where(module)
	file := filepath.Join(dir, "index")
	is, err := g.idOfIndex(module+"/index", file)
	if err != nil {
		return fault(op, "read the index of "+text.Quote(module, maxQuoted), nil, err)
	}
	if is == was || g.sameModules[module] == (indexPair{is: is, as: was}) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return nil // the repository is not there
	}
	b, err := readIndexFile(g.moduleCopy(st.Run, module))
	if err != nil {
		return fault(op, "read what was staged", nil, err)
	}
	if was == "" {
		b = nil
	} else if g.nameOfIndex(b) != was {
		return nil // the copy was destroyed, so that it says nothing
	}
	if b != nil && is != "" {
		same, err := g.sayTheSame(ctx, op, g.moduleCopy(st.Run, module), file)
		if err != nil {
			return err
		}
		if same {
			g.sameModules[module] = indexPair{is: is, as: was}
			return nil
		}
	}
	if err := g.replaceModuleIndex(st, module, b); err != nil {
		return fault(op, "write the index of "+text.Quote(module, maxQuoted), nil, err)
	}
	return nil
}

// replaceModuleIndex writes the index of a submodule, under its lock; nil is none.
func (g *Git) replaceModuleIndex(st *state, module string, b []byte) (err error) {
	base, rel := g.baseOf(module + "/index")
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(rel)
	if err := realParents(root, name); err != nil {
		return err
	}
	f, err := g.lockModule(st, root, filepath.Join(base, name), name+".lock")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if info, lerr := root.Lstat(name); err == nil && lerr == nil && (b == nil || !info.Mode().IsRegular()) {
		err = root.RemoveAll(name)
	}
	if err == nil && b != nil {
		return root.Rename(name+".lock", name)
	}
	if rerr := root.Remove(name + ".lock"); err == nil {
		err = rerr
	}
	return err
}

// lockModule takes the lock of an index, also when a git command that was killed has left it
// behind.
func (g *Git) lockModule(st *state, root *os.Root, file, lock string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := root.OpenFile(lock, flags, 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if _, old := st.Locks[raw(file+".lock")]; old || !g.removeIfLeft(file+".lock") {
		return nil, fmt.Errorf("the index is locked: %w", err)
	}
	return root.OpenFile(lock, flags, 0o666)
}
