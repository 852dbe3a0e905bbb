package verify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on counting, in bytes: of a file, and of a line in it.
const (
	maxCounted = 4 << 30
	maxLine    = 1 << 20
)

// countLines counts the lines of a file that match.
func (l *looking) countLines() *unmet {
	expected := bounds(l.k, "line", " matching "+named(l.k.Text))
	expression, err := l.k.Regexp()
	if err != nil {
		return &unmet{kind: typeCount, expected: expected, actual: "an expression that cannot be used"}
	}
	in, err := open(l.ctx, l.root, l.name, maxCounted)
	if err != nil {
		l.maxRead = maxCounted
		return l.unread(typeCount, expected, err)
	}
	defer in.Close()
	n, long, err := lines(in, expression.Match, enough(l.k))
	switch {
	case long > 0:
		return &unmet{kind: typeCount, expected: expected, actual: "line " + strconv.FormatInt(long, 10) +
			" of more than 1 MiB, which cannot be counted"}
	case err != nil:
		return l.unread(typeCount, expected, err)
	case inBounds(l.k, n):
		return nil
	}
	return &unmet{kind: typeCount, expected: expected, actual: text.Count(n, "line")}
}

// enough returns the number at which it is settled that a criterion is met; 0 for one that is never
// settled before the end.
func enough(k *plan.Criterion) int64 {
	if k.Max > 0 {
		return 0
	}
	return k.Min
}

// lines counts the lines that match, without their ends, up to enough of them if that is not 0.
// Long is the number of the first line that is too long.
func lines(r io.Reader, match func([]byte) bool, enough int64) (n, long int64, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for number := int64(1); ; number++ {
		line = line[:0]
		for {
			part, readErr := in.ReadSlice('\n')
			if len(line)+len(part) > maxLine {
				return n, number, nil
			}
			line, err = append(line, part...), readErr
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && err != io.EOF {
			return n, 0, err
		}
		if len(line) > 0 && match(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))) {
			n++
		}
		if err == io.EOF || n == enough && enough > 0 {
			return n, 0, nil
		}
	}
}

// content searches a file for an expression.
func (l *looking) content() *unmet {
	expected := "a text that matches " + named(l.k.Text)
	expression, err := l.k.Regexp()
	if err != nil {
		return &unmet{kind: typeContent, expected: expected, actual: "an expression that cannot be used"}
	}
	in, err := open(l.ctx, l.root, l.name, l.maxRead)
	if err != nil {
		return l.unread(typeContent, expected, err)
	}
	defer in.Close()
	text := &polled{Reader: bufio.NewReaderSize(in, 64<<10), ctx: l.ctx}
	if expression.MatchReader(text) {
		return nil
	}
	if text.err != nil {
		return l.unread(typeContent, expected, text.err)
	}
	return &unmet{kind: typeContent, expected: expected, actual: "a file without one"}
}

// polled reads runes until a context ends, and keeps why it ended. Who searches takes an error for
// the end of the text.
type polled struct {
	*bufio.Reader
	ctx  context.Context
	read int
	err  error
}

// ReadRune reads a rune.
func (p *polled) ReadRune() (r rune, size int, err error) {
	if p.read++; p.read%1024 == 0 && p.ctx.Err() != nil {
		err = context.Cause(p.ctx)
	} else {
		r, size, err = p.Reader.ReadRune()
	}
	if err != nil && err != io.EOF {
		p.err = err
	}
	return r, size, err
}
