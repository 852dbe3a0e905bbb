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
	first, next := max(a.Offset, 1), 0
	var out strings.Builder
	name, err := t.resolve(a.Path)
	if err == nil {
		left := t.limits.Search
		err = t.lines(ctx, name, &left, t.limits.Read+1, func(number int, line []byte) bool {
			room := t.limits.Read - out.Len()
			switch {
			case number < first:
				return true
			case a.Limit > 0 && number >= first+a.Limit, len(line) > room && number > first:
				next = number
				return false
			case len(line) > room: // the first line is too long: the rest of it is skipped
				line, next = line[:room], number+1
			}
			out.Write(line)
			return next == 0
		})
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return unread(a.Path, err), nil
	case out.Len() == 0 && a.Offset > 1:
		return failed("%s has no line %d", text.Name(a.Path), a.Offset), nil
	case next > 0:
		fmt.Fprintf(&out, "\n[cut; continue with offset %d]", next)
	}
	return Result{Text: strings.ToValidUTF8(out.String(), "\uFFFD")}, nil
}

// maxSniffed is how much of a file is examined to detect that it is binary.
const maxSniffed = 8 << 10

// lines calls f with each line of a text file, and its number, until f returns false. Lines are cut
// to the given length. It reads at most as many bytes as are left.
func (t *Toolbox) lines(ctx context.Context, name string, left *int64, length int, f func(int, []byte) bool) error {
	file, err := t.open(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(&limitedReader{ctx: ctx, r: file, left: left}, max(length, maxSniffed))
	if head, _ := in.Peek(maxSniffed); bytes.IndexByte(head, 0) >= 0 {
		return errBinary
	}
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 && !f(number, line) {
			return nil
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long line
			_, err = in.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// limitedReader reads until its context ends or the limit is reached.
type limitedReader struct {
	ctx  context.Context
	r    io.Reader
	left *int64
}

// Read reads.
func (l *limitedReader) Read(b []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	if *l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(b[:min(int64(len(b)), *l.left)])
	*l.left -= int64(n)
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
		f, err := t.open(ctx, name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		content, err := io.ReadAll(io.LimitReader(f, int64(t.limits.Write)+1))
		n := bytes.Count(content, []byte(a.Old))
		switch {
		case err != nil:
			return "", err
		case len(content) > t.limits.Write:
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
	draft := path.Join(dir, ".errgen-"+rand.Text()+".tmp")
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
		err = t.root.Rename(draft, name)
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
