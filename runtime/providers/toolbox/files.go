package toolbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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

// read is read_file.
func (t *Toolbox) read(ctx context.Context, a readArgs) (Result, error) {
	if a.Offset < 0 || a.Limit < 0 {
		return failed("offset and limit must be positive"), nil
	}
	name, err := t.resolve(a.Path)
	if err == nil {
		err = t.readable(ctx, name)
	}
	var content string
	next := 0
	if err == nil {
		content, next, err = t.lines(ctx, name, max(a.Offset, 1), a.Limit)
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return unread(a.Path, err), nil
	case content == "" && a.Offset > 1:
		return failed("%s has no line %d", text.Name(a.Path), a.Offset), nil
	case next > 0:
		content += fmt.Sprintf("\n[cut; continue with offset %d]", next)
	}
	return Result{Text: content}, nil
}

// readable returns why the content of a file must not be read, or nil.
func (t *Toolbox) readable(ctx context.Context, name string) error {
	if isGit(name) {
		return errGit
	}
	if t.options.Read == nil {
		return nil
	}
	return t.options.Read(ctx, name)
}

// lines returns count lines, from the one numbered first on; all if count is 0, and at most what a
// call may return. next is the number of the line to continue with; 0 at the end of the file.
func (t *Toolbox) lines(ctx context.Context, name string, first, count int) (content string, next int, err error) {
	f, _, err := t.openRegular(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(&limitedReader{ctx: ctx, r: f, left: t.limits.Search}, maxSniffed)
	if isBinary(in) {
		return "", 0, errBinary
	}
	var out strings.Builder
	valid := func() string { return strings.ToValidUTF8(out.String(), "\uFFFD") }
	for number := 1; ; {
		piece, err := in.ReadSlice('\n')
		if number >= first && len(piece) > 0 {
			if count > 0 && number >= first+count {
				return valid(), number, nil
			}
			if room := t.limits.Read - out.Len(); len(piece) > room {
				if number > first {
					return valid(), number, nil
				}
				// The first line is too long: the rest of it is skipped.
				out.Write(piece[:room])
				return valid(), number + 1, nil
			}
			out.Write(piece)
		}
		switch {
		case err == nil:
			number++
		case errors.Is(err, io.EOF):
			return valid(), 0, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", 0, err
		}
	}
}

// maxSniffed is how much of a file is examined to detect that it is binary.
const maxSniffed = 8 << 10

func isBinary(in *bufio.Reader) bool {
	head, _ := in.Peek(maxSniffed)
	return bytes.IndexByte(head, 0) >= 0
}

// limitedReader reads until its context ends or the limit is reached.
type limitedReader struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

// Read reads.
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

type writeArgs struct {
	Path    string `json:"path" jsonschema:"The file's path, relative to the root."`
	Content string `json:"content"`
}

// write is write_file.
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

// edit is edit_file.
func (t *Toolbox) edit(ctx context.Context, a editArgs) (Result, error) {
	if a.Old == "" {
		return failed("old must not be empty"), nil
	}
	return t.change(ctx, "edit", a.Path, func(name string) (string, error) {
		if err := t.readable(ctx, name); err != nil {
			return "", err
		}
		f, info, err := t.openRegular(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		content, err := io.ReadAll(io.LimitReader(f, int64(t.limits.Write)+1))
		n := bytes.Count(content, []byte(a.Old))
		switch {
		case err != nil:
			return "", err
		case info.Size() > int64(t.limits.Write), len(content) > t.limits.Write:
			return "", errTooLarge
		case n == 0:
			return "", errors.New("does not contain the old text")
		case n > 1 && !a.All:
			return "", fmt.Errorf("contains the old text %d times; give more of its context, or set all", n)
		case len(content)+n*(len(a.New)-len(a.Old)) > t.limits.Write:
			return "", errTooLarge
		}
		return fmt.Sprintf("replaced %d in %s", n, text.Name(name)),
			t.replace(name, bytes.ReplaceAll(content, []byte(a.Old), []byte(a.New)))
	})
}

type deleteArgs struct {
	Path string `json:"path" jsonschema:"The file's path, relative to the root."`
}

// delete is delete_file.
func (t *Toolbox) delete(ctx context.Context, a deleteArgs) (Result, error) {
	return t.change(ctx, "delete", a.Path, func(name string) (string, error) {
		info, err := t.root.Lstat(filepath.FromSlash(name))
		if err == nil && info.IsDir() {
			err = errors.New("is a directory")
		}
		if err == nil {
			err = t.root.Remove(filepath.FromSlash(name))
		}
		return "deleted " + text.Name(name), err
	})
}

// change changes a file if that is allowed. An error of do is for the model, unless it means that
// the path leads out of the directory or that the disk has failed: that ends the call.
func (t *Toolbox) change(ctx context.Context, doing, path string, do func(name string) (string, error)) (
	Result, error) {
	name, err := t.resolve(path)
	switch {
	case err == nil && isGit(name):
		return Result{}, t.denied(doing, path, errGit)
	case err == nil && name == ".":
		err = errors.New("is a directory")
	case err == nil && t.options.Write != nil:
		if err := t.options.Write(ctx, name); err != nil {
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
	return unread(path, err), nil
}

// replace writes a file so that it has either the old content or the new.
func (t *Toolbox) replace(name string, content []byte) (err error) {
	if len(content) > t.limits.Write {
		return errTooLarge
	}
	info, err := t.root.Lstat(filepath.FromSlash(name))
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
	if err := t.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		return err
	}
	draft := filepath.FromSlash(path.Join(dir, ".errgen-"+rand.Text()+".tmp"))
	f, err := t.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && info != nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = t.root.Rename(draft, filepath.FromSlash(name))
	}
	if err != nil {
		_ = t.root.Remove(draft) // the first error is reported
	}
	return err
}

// denied is evidence that a path must not be changed.
func (t *Toolbox) denied(doing, path string, why error) error {
	ev := t.evidence()
	ev.Errno, ev.Err = "EACCES", why
	ev.Text = fmt.Sprintf("%s %s: %s", doing, text.Name(path), why)
	ev.Attributes = map[string]string{"path": path}
	return ev
}

// unread tells the model why a path cannot be accessed, without the place of the directory.
func unread(path string, err error) Result { return failed("%s: %s", text.Name(path), reason(err)) }

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
