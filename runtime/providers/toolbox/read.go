package toolbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// read is read_file.
func (t *Toolbox) read(ctx context.Context, a readArgs) (Result, error) {
	if a.Path == "" {
		return failed("path is missing"), nil
	}
	if a.Offset < 0 || a.Limit < 0 {
		return failed("offset and limit must be positive"), nil
	}
	name, err := t.resolve(a.Path)
	if err == nil {
		err = t.readable(ctx, name)
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return t.unread(a.Path, err), nil
	}
	f, info, err := t.openRegular(name)
	if err != nil {
		return t.unread(a.Path, err), nil
	}
	defer f.Close()
	s, next, err := t.lines(ctx, f, max(a.Offset, 1), a.Limit)
	switch {
	case errors.Is(err, errBinary):
		return failed("%s is not a text file; it has %d bytes", text.Name(a.Path), info.Size()), nil
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil:
		return t.unread(a.Path, err), nil
	case s == "" && a.Offset > 1:
		return failed("%s has no line %d", text.Name(a.Path), a.Offset), nil
	}
	if next > 0 {
		s += fmt.Sprintf("\n[cut; go on with offset %d]", next)
	}
	return Result{Text: s}, nil
}

// errGit says that a path is of what git keeps. What is in there may hold passwords, and says where
// to push.
var errGit = errors.New("git's own files are not to be read")

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

// errBinary says that what was to be read is no text.
var errBinary = errors.New("not a text file")

// lines returns the lines from the one numbered first on: count of them if count is not 0, and not
// more than a read may return. Next is the number of the line to go on with, and 0 at the end of
// the file.
func (t *Toolbox) lines(ctx context.Context, r io.Reader, first, count int) (text string, next int, err error) {
	in := bufio.NewReaderSize(&pollingReader{ctx: ctx, r: r, left: t.limits.Search}, sniffed)
	if head, _ := in.Peek(sniffed); isBinary(head) {
		return "", 0, errBinary
	}
	var out strings.Builder
	for number := 1; ; {
		piece, err := in.ReadSlice('\n')
		if number >= first && len(piece) > 0 {
			if count > 0 && number >= first+count {
				return valid(&out), number, nil
			}
			if out.Len()+len(piece) > t.limits.Read {
				return t.full(&out, piece), number + endsLine(&out, first, number), nil
			}
			out.Write(piece)
		}
		switch {
		case err == nil:
			number++
		case errors.Is(err, io.EOF):
			return valid(&out), 0, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", 0, err
		}
	}
}

// full returns what was read, with as much of the next piece as there is room for if nothing else
// would be returned.
func (t *Toolbox) full(out *strings.Builder, piece []byte) string {
	if out.Len() == 0 {
		out.Write(piece[:t.limits.Read])
	}
	return valid(out)
}

// endsLine is 1 when the line that did not fit was returned in part, so that reading goes on after
// it, and else 0. A line that is longer than a read may return could not be got past otherwise.
func endsLine(out *strings.Builder, first, number int) int {
	if number == first && out.Len() > 0 {
		return 1
	}
	return 0
}

func valid(b *strings.Builder) string { return strings.ToValidUTF8(b.String(), "\uFFFD") }

// sniffed is how much of a file is looked at to tell whether it is text.
const sniffed = 8 << 10

func isBinary(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }

// pollingReader reads until its context ends or nothing is left of what may be read.
type pollingReader struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

// Read reads; at the bound it says so in an error of its own.
func (p *pollingReader) Read(b []byte) (int, error) {
	if p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx)
	}
	if p.left <= 0 {
		return 0, errTooLarge
	}
	n, err := p.r.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	return n, err
}

var errTooLarge = errors.New("the file is too large")

// unread tells the model why a path cannot be read. The directory's own place on the machine is not
// told.
func (t *Toolbox) unread(name string, err error) Result {
	return failed("%s: %s", text.Name(name), reason(err))
}
