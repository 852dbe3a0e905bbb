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
	"path/filepath"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/text"
)

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

// write is write_file.
func (t *Toolbox) write(ctx context.Context, a writeArgs) (Result, error) {
	if a.Content == nil {
		return failed("content is missing"), nil
	}
	if len(*a.Content) > t.limits.Write {
		return failed("the content has %d bytes, more than the %d that a file may have", len(*a.Content),
			t.limits.Write), nil
	}
	name, refused, err := t.target(ctx, "write", a.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	mode, refused := t.writable(name, a.Path)
	if refused != nil {
		return *refused, nil
	}
	if err := t.replace(name, []byte(*a.Content), mode); err != nil {
		return t.unwritten("write", a.Path, err)
	}
	return Result{Text: fmt.Sprintf("wrote %d bytes to %s", len(*a.Content), text.Name(name))}, nil
}

type editArgs struct {
	Path string  `json:"path"`
	Old  string  `json:"old"`
	New  *string `json:"new"`
	All  bool    `json:"all"`
}

// edit is edit_file.
func (t *Toolbox) edit(ctx context.Context, a editArgs) (Result, error) {
	if a.Old == "" || a.New == nil {
		return failed("old and new are required, and old must not be empty"), nil
	}
	name, refused, err := t.target(ctx, "edit", a.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	if err := t.readable(ctx, name); err != nil {
		return t.unread(a.Path, err), nil
	}
	mode, refused := t.writable(name, a.Path)
	if refused != nil {
		return *refused, nil
	}
	content, err := t.whole(name)
	if err != nil {
		return t.unwritten("edit", a.Path, err)
	}
	n := bytes.Count(content, []byte(a.Old))
	switch {
	case n == 0:
		return failed("%s does not hold the old text", text.Name(a.Path)), nil
	case n > 1 && !a.All:
		return failed("%s holds the old text %d times; give more of what is around it, or set all", text.Name(a.Path),
			n), nil
	case len(content)+n*(len(*a.New)-len(a.Old)) > t.limits.Write:
		return failed("the file would have more than the %d bytes that it may have", t.limits.Write), nil
	}
	if err := t.replace(name, bytes.ReplaceAll(content, []byte(a.Old), []byte(*a.New)), mode); err != nil {
		return t.unwritten("edit", a.Path, err)
	}
	return Result{Text: fmt.Sprintf("replaced %d in %s", n, text.Name(name))}, nil
}

type deleteArgs struct {
	Path string `json:"path"`
}

// delete is delete_file.
func (t *Toolbox) delete(ctx context.Context, a deleteArgs) (Result, error) {
	name, refused, err := t.target(ctx, "delete", a.Path)
	if err != nil || refused != nil {
		return deref(refused), err
	}
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err == nil {
		err = t.root.Remove(filepath.FromSlash(name))
	}
	if err != nil {
		return t.unwritten("delete", a.Path, err)
	}
	return Result{Text: "deleted " + text.Name(name)}, nil
}

// target returns which file a change of the named one changes, if that is allowed. Refused is what
// the model is told otherwise; an error ends the call.
func (t *Toolbox) target(ctx context.Context, doing, name string) (target string, refused *Result, err error) {
	if name == "" {
		return "", tell("path is missing"), nil
	}
	target, err = t.resolve(name)
	switch {
	case escapes(err):
		return "", nil, t.denied(doing, name, errOutside)
	case err != nil:
		return "", tell("%s: %s", text.Name(name), reason(err)), nil
	case target == ".":
		return "", tell("%s: is a directory", text.Name(name)), nil
	case isGit(target):
		return "", nil, t.denied(doing, name, errors.New("git's own files are not to be changed"))
	}
	if t.options.Write == nil {
		return target, nil, nil
	}
	return target, nil, t.options.Write(ctx, target)
}

// writable returns the mode of the file that is to be replaced; 0 when there is none yet.
func (t *Toolbox) writable(name, shown string) (fs.FileMode, *Result) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil {
		err = regular(name, info)
	}
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		err = errors.New("is read-only")
	}
	if err != nil {
		return 0, tell("%s: %s", text.Name(shown), reason(err))
	}
	return info.Mode().Perm(), nil
}

// whole returns a file that is not larger than what may be written.
func (t *Toolbox) whole(name string) ([]byte, error) {
	f, info, err := t.openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > int64(t.limits.Write) {
		return nil, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(t.limits.Write)+1))
	if err == nil && len(content) > t.limits.Write {
		return nil, errTooLarge
	}
	return content, err
}

// replace writes a file so that it has the old content or the new, whatever happens. Mode 0 is that
// of a new file.
func (t *Toolbox) replace(name string, content []byte, mode fs.FileMode) error {
	dir := path.Dir(name)
	if err := t.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		return err
	}
	draft := filepath.FromSlash(path.Join(dir, ".errgen-"+rand.Text()+".tmp"))
	f, err := t.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = fill(f, content, mode); err == nil {
		err = t.root.Rename(draft, filepath.FromSlash(name))
	}
	if err != nil {
		_ = t.root.Remove(draft) // the first error is the one to tell of
	}
	return err
}

// fill writes and closes a file.
func fill(f *os.File, content []byte, mode fs.FileMode) error {
	_, err := f.Write(content)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// denied is evidence that a path may not be changed at all.
func (t *Toolbox) denied(doing, name string, why error) error {
	ev := t.evidence()
	ev.Errno = "EACCES"
	ev.Attributes = map[string]string{"path": name}
	ev.Text = fmt.Sprintf("%s %s: %s", doing, text.Name(name), why)
	ev.Err = why
	return ev
}

// unwritten tells the model why a file was not changed. What the model cannot do anything about
// ends the call.
func (t *Toolbox) unwritten(doing, name string, err error) (Result, error) {
	if escapes(err) {
		return Result{}, t.denied(doing, name, errOutside)
	}
	ev := detect.Of(err)
	switch ev.Errno {
	case "ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE":
		ev.Source, ev.Op = t.options.Source, opCall
		ev.Text = fmt.Sprintf("%s %s: %s", doing, text.Name(name), reason(err))
		return Result{}, &ev
	}
	return failed("%s: %s", text.Name(name), reason(err)), nil
}

// escapes reports whether err says that a path leads out of the directory: by our own word, or by
// the root's, which has no error value for it.
func escapes(err error) bool {
	var e *fs.PathError
	return errors.Is(err, errOutside) || errors.As(err, &e) && e.Err != nil &&
		e.Err.Error() == "path escapes from parent"
}

// reason returns what an error says without the path, which is told as the model gave it.
func reason(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return err.Error()
}

func tell(format string, args ...any) *Result {
	r := failed(format, args...)
	return &r
}

func deref(r *Result) Result {
	if r == nil {
		return Result{}
	}
	return *r
}
