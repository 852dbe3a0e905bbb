package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
)

// revertRefs puts HEAD and references back to where they were, if they still are where the changes
// say. What was not there is removed first: as long as a/b is there, nothing can have the name a.
func (g *Git) revertRefs(ctx context.Context, st *state, s *snapshot, changes []executor.Change) error {
	if err := g.trusted(ctx, opRevert, s, st); err != nil {
		return err
	}
	now, err := g.readRefs()
	if err != nil {
		return err
	}
	var gone, set bytes.Buffer
	var symbolic []string
	for _, c := range changes {
		name := strings.TrimPrefix(c.Path, ".git/")
		was, is := st.Git.Refs[raw(name)], now.Refs[raw(name)]
		if name == "HEAD" {
			was, is = st.Git.Head, now.Head
		}
		switch {
		case was == is:
		case c.Hash != string(is) && (c.Hash != "" || c.Kind == executor.Removed):
			return fmt.Errorf("%s has moved again since it was looked at", text.Quote(name, maxQuoted))
		case name == "HEAD":
			err = g.writeHead(was)
		case !isID(string(was)) && was != "":
			symbolic = append(symbolic, name)
		case !isID(string(is)) && is != "":
			err = g.writeSymbolic(name, was)
		case was == "":
			refCommand(&gone, name, "", string(is))
		default:
			refCommand(&set, name, string(was), string(is))
		}
		if err != nil {
			return err
		}
	}
	for _, in := range []*bytes.Buffer{&gone, &set} {
		if err := g.updateRefs(ctx, in, changes); err != nil {
			return err
		}
	}
	for _, name := range symbolic {
		if err := g.writeSymbolic(name, st.Git.Refs[raw(name)]); err != nil {
			return err
		}
	}
	return nil
}

// updateRefs carries commands out, all of them or none.
func (g *Git) updateRefs(ctx context.Context, in *bytes.Buffer, changes []executor.Change) error {
	if in.Len() == 0 {
		return nil
	}
	_, err := g.git(ctx, call{op: opRevert, stdin: in, files: pathsOf(changes), args: []string{
		"update-ref", "--no-deref", "-m", "errgen: put back", "--stdin", "-z",
	}})
	return err
}

// refCommand writes a command for update-ref.
func refCommand(in *bytes.Buffer, ref, to, from string) {
	switch {
	case to == "":
		fmt.Fprintf(in, "delete %s\x00%s\x00", ref, from)
	case from == "":
		fmt.Fprintf(in, "create %s\x00%s\x00", ref, to)
	default:
		fmt.Fprintf(in, "update %s\x00%s\x00%s\x00", ref, to, from)
	}
}

var errNoHead = errors.New("HEAD was not there when the run began")

// writeHead makes HEAD what it was, under its lock.
func (g *Git) writeHead(was raw) error {
	if was == "" {
		return errNoHead
	}
	return underLock(filepath.Join(g.dir, "HEAD"), string(was)+"\n")
}

// writeSymbolic makes a reference what it was of which one or the other value is no object.
func (g *Git) writeSymbolic(ref string, was raw) error {
	name := filepath.Join(g.common, filepath.FromSlash(ref))
	if was == "" {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if err := removeEmpty(name); err != nil {
		return err
	}
	return underLock(name, string(was)+"\n")
}

// removeEmpty removes a directory in which there is nothing but such directories, as git leaves
// them where references were.
func removeEmpty(name string) error {
	dirs, err := os.ReadDir(name)
	if err != nil {
		return nil // it is no directory
	}
	for _, d := range dirs {
		if d.IsDir() {
			if err := removeEmpty(filepath.Join(name, d.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(name)
}

// underLock writes a file as git does it.
func underLock(name, text string) error {
	f, err := os.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(name+".lock", name)
	}
	if err != nil {
		_ = os.Remove(name + ".lock")
	}
	return err
}
