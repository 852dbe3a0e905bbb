package toolbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
)

type searchArgs struct {
	Regexp  string `json:"regexp"`
	Path    string `json:"path"`
	Pattern string `json:"pattern"`
}

// search is search_files.
func (t *Toolbox) search(ctx context.Context, a searchArgs) (Result, error) {
	if a.Regexp == "" || len(a.Regexp) > maxExpression {
		return failed("regexp must have from 1 to %d bytes", maxExpression), nil
	}
	expression, err := regexp.Compile(a.Regexp)
	if err != nil {
		return failed("%s", err), nil
	}
	if err := checkPattern(a.Pattern); err != nil {
		return failed("pattern %s: %s", text.Quote(a.Pattern, maxQuoted), err), nil
	}
	start, err := t.resolve(orText(a.Path, "."))
	if err != nil {
		return t.unread(a.Path, err), nil
	}
	s := searching{t: t, ctx: ctx, expression: expression, left: t.limits.Search}
	whole, err := t.visit(ctx, start, func(name string, entry fs.DirEntry) error {
		if !entry.Type().IsRegular() || !matchesPattern(a.Pattern, name) || t.readable(ctx, name) != nil {
			return nil
		}
		return s.file(name)
	})
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case err != nil && !errors.Is(err, errEnough):
		return t.unread(orText(a.Path, "."), err), nil
	case len(s.found) == 0 && whole && err == nil:
		return Result{Text: "nothing matches"}, nil
	case !whole || err != nil:
		s.found = append(s.found, fmt.Sprintf("[cut after %d; search less]", len(s.found)))
	}
	return Result{Text: strings.Join(s.found, "\n")}, nil
}

const (
	maxExpression = 1000
	maxLine       = 64 << 10 // bytes of a line that are searched
	maxShown      = 300      // bytes of a line that are shown
	maxQuoted     = 200      // bytes of an argument that an error quotes
)

// searching is a search that goes on.
type searching struct {
	t          *Toolbox
	ctx        context.Context
	expression *regexp.Regexp
	left       int64 // bytes that may still be read
	size       int   // bytes that were found
	found      []string
}

// file searches a file. One that cannot be read, or is not text, is left out.
func (s *searching) file(name string) error {
	f, _, err := s.t.openRegular(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	counted := &pollingReader{ctx: s.ctx, r: f, left: s.left}
	in := bufio.NewReaderSize(counted, maxLine)
	if head, _ := in.Peek(sniffed); isBinary(head) {
		return nil
	}
	err = s.lines(name, in)
	s.left = counted.left
	if s.left <= 0 {
		return errEnough
	}
	return err
}

func (s *searching) lines(name string, in *bufio.Reader) error {
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if text := bytes.TrimRight(line, "\r\n"); len(line) > 0 && s.expression.Match(text) {
			if enough := s.keep(name, number, text); enough {
				return errEnough
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
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

// keep keeps a line that matches, and reports whether there is no room for it.
func (s *searching) keep(name string, number int, line []byte) (enough bool) {
	found := strings.ToValidUTF8(string(line), "\uFFFD")
	if len(found) > maxShown {
		found = text.Head(found, maxShown)
	}
	entry := fmt.Sprintf("%s:%d: %s", text.Name(name), number, found)
	if len(s.found) >= s.t.limits.Entries || s.size+len(entry) > s.t.limits.Read {
		return true
	}
	s.size += len(entry) + 1
	s.found = append(s.found, entry)
	return false
}

// Label says on one line, for people, what a call of a tool is about: "write_file src/a.go".
func Label(name string, args []byte) string {
	var a struct {
		Path, Command, Regexp string
	}
	if err := readArguments(args, &a); err != nil {
		return name
	}
	about := orText(a.Path, orText(a.Command, a.Regexp))
	if about == "" {
		return name
	}
	return name + " " + text.Name(text.Head(about, maxShown))
}
