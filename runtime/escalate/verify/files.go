package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/errgen/errgen/runtime/detect"
)

// local returns a path of a plan as this system has it. That it does not leave the tree is up to
// [os.Root].
func local(name string) string {
	if name == "" {
		return ""
	}
	return filepath.FromSlash(path.Clean(name))
}

// opExec is the operation of an error that says that a file may not be executed.
const opExec = "exec"

// kindError says that there is something else than what was looked for.
type kindError struct{ is string }

// Error says what it is.
func (e *kindError) Error() string { return e.is }

// regular returns why something is no regular file, or nil.
func regular(info fs.FileInfo, name string) error {
	is := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		is = "is a directory"
	case mode&fs.ModeNamedPipe != 0:
		is = "is a pipe"
	case mode&fs.ModeSocket != 0:
		is = "is a socket"
	case mode&fs.ModeDevice != 0:
		is = "is a device"
	default:
		is = "is no file"
	}
	return &fs.PathError{Op: "open", Path: name, Err: &kindError{is}}
}

// openRegular opens a regular file. It looks before it opens, since opening alone does something to
// a device, and again afterwards, since there may be another file by then.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if err = regular(info, name); err != nil {
		return nil, nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info, name)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// openDirectory opens a directory.
func openDirectory(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	var f *os.File
	if info.IsDir() {
		if f, err = root.OpenFile(name, os.O_RDONLY|openFlags, 0); err != nil {
			return nil, err
		}
		if info, err = f.Stat(); err == nil && info.IsDir() {
			return f, nil
		}
		_ = f.Close()
	}
	if err == nil {
		err = &fs.PathError{Op: "open", Path: name, Err: &kindError{"is no directory"}}
	}
	return nil, err
}

// whyNot says why something in the tree cannot be had, to follow its name.
func whyNot(err error) string {
	var kind *kindError
	switch {
	case errors.As(err, &kind):
		return kind.is
	case errors.Is(err, fs.ErrNotExist):
		return "is not there"
	case isNotDir(err):
		return "is not there: something above it is no directory"
	case errors.Is(err, fs.ErrPermission):
		if of, ok := errors.AsType[*fs.PathError](err); ok && of.Op == opExec {
			return "may not be executed"
		}
		return "may not be read"
	}
	if errno := detect.Of(err).Errno; errno != "" {
		return "cannot be had: " + errno
	}
	return "is not in the tree: its path, or a symbolic link, leads out of it"
}

// errTooLarge says that a file has more bytes than are read.
var errTooLarge = errors.New("too large")

// contents reads a regular file of at most limit bytes.
func contents(ctx context.Context, root *os.Root, name string, limit int64) ([]byte, error) {
	in, err := open(ctx, root, name, limit)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", named(name), err)
	}
	return data, nil
}

// bounded reads a file until a context ends. Reading more than limit bytes is an error.
type bounded struct {
	*os.File
	ctx  context.Context
	left int64
}

// open opens a regular file of at most limit bytes.
func open(ctx context.Context, root *os.Root, name string, limit int64) (*bounded, error) {
	f, info, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		_ = f.Close()
		return nil, errTooLarge
	}
	return &bounded{File: f, ctx: ctx, left: limit}, nil
}

// Read reads what is there, also when the file grows meanwhile.
func (b *bounded) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.File.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
