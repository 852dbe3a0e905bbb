package toolbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
)

var (
	errGit      = errors.New("git's own files cannot be accessed")
	errBinary   = errors.New("not a text file")
	errTooLarge = errors.New("the file is too large")
)

type readArgs struct {
	Path   string `json:"path" jsonschema:"The file's path, relative to the root."`
	Offset int    `json:"offset,omitempty" jsonschema:"The first line to read, counted from 1."`
	Limit  int    `json:"limit,omitempty" jsonschema:"How many lines to read."`
}

// read implements read_file.
func (t *Toolbox) read(ctx context.Context, a readArgs) (Result, error) {
	if a.Offset < 0 || a.Limit < 0 {
		return failed("offset and limit must be positive"), nil
	}
	name, err := t.resolve(a.Path)
	var content []byte
	if err == nil {
		content, err = t.content(ctx, name)
	}
	if err != nil {
		return t.pathFailed(ctx, a.Path, err)
	}
	var out strings.Builder
	first, number := max(a.Offset, 1), 0
	for line := range bytes.Lines(content) {
		number++
		room := t.limits.read - out.Len()
		switch {
		case number < first:
			continue
		case a.Limit > 0 && number >= first+a.Limit, len(line) > room && number > first:
			fmt.Fprintf(&out, "\n[cut; continue with offset %d]", number)
		case len(line) > room: // the rest of the first line is skipped
			fmt.Fprintf(&out, "%s\n[cut; continue with offset %d]", line[:room], number+1)
		default:
			out.Write(line)
			continue
		}
		break
	}
	if out.Len() == 0 && a.Offset > 1 {
		return failed("%s has no line %d", text.Name(a.Path), a.Offset), nil
	}
	return Result{Text: strings.ToValidUTF8(out.String(), "\uFFFD")}, nil
}

// content returns the content of a text file that the model may read. Only regular files are read,
// because others, such as pipes, could block the reader.
func (t *Toolbox) content(ctx context.Context, name string) ([]byte, error) {
	if err := t.checkRead(ctx, name); err != nil {
		return nil, err
	}
	info, err := t.root.Lstat(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(t.limits.file)+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > t.limits.file:
		return nil, errTooLarge
	case bytes.IndexByte(content[:min(len(content), 8<<10)], 0) >= 0:
		return nil, errBinary
	}
	return content, nil
}

type writeArgs struct {
	Path    string `json:"path" jsonschema:"The file's path, relative to the root."`
	Content string `json:"content"`
}

// write implements write_file.
func (t *Toolbox) write(ctx context.Context, a writeArgs) (Result, error) {
	return t.change(ctx, "write", a.Path, func(name string) (string, error) {
		return fmt.Sprintf("wrote %d bytes to %s", len(a.Content), text.Name(name)), t.replace(name, []byte(a.Content))
	})
}

type editArgs struct {
	Path string `json:"path" jsonschema:"The file's path, relative to the root."`
	Old  string `json:"old" jsonschema:"The text to replace, exactly as it is in the file."`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty" jsonschema:"Replace every occurrence."`
}

// edit implements edit_file.
func (t *Toolbox) edit(ctx context.Context, a editArgs) (Result, error) {
	if a.Old == "" {
		return failed("old must not be empty"), nil
	}
	return t.change(ctx, "edit", a.Path, func(name string) (string, error) {
		content, err := t.content(ctx, name)
		n := bytes.Count(content, []byte(a.Old))
		switch {
		case err != nil:
			return "", err
		case n == 0:
			return "", errors.New("does not contain the old text")
		case n > 1 && !a.All:
			return "", fmt.Errorf("contains the old text %d times; give more of its context, or set all", n)
		case len(content)+n*(len(a.New)-len(a.Old)) > t.limits.file:
			return "", errTooLarge
		}
		return fmt.Sprintf("replaced %d in %s", n, text.Name(name)),
			t.replace(name, bytes.ReplaceAll(content, []byte(a.Old), []byte(a.New)))
	})
}

type deleteArgs struct {
	Path string `json:"path" jsonschema:"The file's path, relative to the root."`
}

// delete implements delete_file.
func (t *Toolbox) delete(ctx context.Context, a deleteArgs) (Result, error) {
	return t.change(ctx, "delete", a.Path, func(name string) (string, error) {
		info, err := t.root.Lstat(name)
		if err == nil && info.IsDir() {
			err = errors.New("is a directory")
		}
		if err == nil {
			err = t.root.Remove(name)
		}
		return "deleted " + text.Name(name), err
	})
}

// change changes a file by do, if that is allowed. An error of do is a result for the model. If the
// path leads out of the directory, or the disk fails, change returns evidence.
func (t *Toolbox) change(ctx context.Context, doing, path string, do func(name string) (string, error)) (
	Result, error) {
	name, err := t.resolve(path)
	switch {
	case err == nil && isGit(name):
		return Result{}, t.denied(doing, path, errGit)
	case err == nil && name == ".":
		err = errors.New("is a directory")
	case err == nil:
		if err := t.checkWrite(ctx, name); err != nil {
			return Result{}, err
		}
	}
	done := ""
	if err == nil {
		done, err = do(name)
	}
	if err == nil {
		return Result{Text: done}, nil
	}
	if escapes(err) {
		return Result{}, t.denied(doing, path, errOutside)
	}
	ev := detect.Of(err)
	switch ev.Errno {
	case "ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE":
		ev.Source, ev.Op = t.options.Source, opCall
		ev.Text = fmt.Sprintf("%s %s: %s", doing, text.Name(path), reason(err))
		return Result{}, &ev
	}
	return t.pathFailed(ctx, path, err)
}

// replace writes a file atomically. If it fails, the file keeps its content.
func (t *Toolbox) replace(name string, content []byte) (err error) {
	if len(content) > t.limits.file {
		return errTooLarge
	}
	info, err := t.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return regular(name, info)
	case info.Mode().Perm()&0o200 == 0:
		return errors.New("is read-only")
	}
	dir := path.Dir(name)
	if err := t.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := path.Join(dir, ".errgen-"+rand.Text()+".tmp")
	f, err := t.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = t.root.Rename(temp, name)
	}
	if err != nil {
		_ = t.root.Remove(temp) // the first error is reported
	}
	return err
}

// denied returns the evidence of a path that must not be changed.
func (t *Toolbox) denied(doing, path string, why error) error {
	ev := t.evidence()
	ev.Errno, ev.Err = "EACCES", why
	ev.Text = fmt.Sprintf("%s %s: %s", doing, text.Name(path), why)
	ev.Attributes = map[string]string{"path": path}
	return ev
}

// pathFailed reports to the model why a path cannot be accessed, without the path of the directory.
// If ctx has ended, pathFailed returns its cause.
func (t *Toolbox) pathFailed(ctx context.Context, path string, err error) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	return failed("%s: %s", text.Name(path), reason(err)), nil
}

// reason returns the text of an error without its path.
func reason(err error) string {
	if p, is := errors.AsType[*fs.PathError](err); is {
		return p.Err.Error()
	}
	if l, is := errors.AsType[*os.LinkError](err); is {
		return l.Err.Error()
	}
	return err.Error()
}
