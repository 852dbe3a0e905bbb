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
)

// revertRefs puts HEAD and references back to where they were, if they still are where the changes say.
func (g *Git) revertRefs(ctx context.Context, st *state, s *snapshot, changes []executor.Change) error {
	if err := g.trusted(ctx, opRevert, s, st); err != nil {
		return err
	}
	now, err := g.readRefs()
	if err != nil {
		return err
	}
	var in bytes.Buffer
	for _, c := range changes {
		name := strings.TrimPrefix(c.Path, ".git/")
		was, is := st.Git.Refs[raw(name)], now.Refs[raw(name)]
		if name == "HEAD" {
			was, is = st.Git.Head, now.Head
		}
		switch {
		case was == is:
		case c.Hash != string(is) && (c.Hash != "" || c.Kind == executor.Removed):
			return fmt.Errorf("%s has moved again since it was looked at", quoted(name))
		case name == "HEAD":
			err = g.writeHead(was)
		case !isID(string(was)) && was != "" || !isID(string(is)) && is != "":
			err = g.writeSymbolic(name, was)
		default:
			refCommand(&in, name, string(was), string(is))
		}
		if err != nil {
			return err
		}
	}
	if in.Len() == 0 {
		return nil
	}
	_, err = g.git(ctx, call{op: opRevert, stdin: &in, files: pathsOf(changes), args: []string{
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
	return underLock(name, string(was)+"\n")
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
