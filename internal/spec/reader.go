package spec

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// What a taxonomy may measure. Ten thousand codes with rules and examples stay below; a value costs
// up to a kilobyte.
const (
	maxBytes  = 16 << 20
	maxLines  = 1_000_000
	maxValues = 400_000
	maxFinds  = 1000 // that are shown
	maxKept   = 20 * maxFinds
)

// reader turns bytes into nodes, and reports what is wrong with them as text.
type reader struct {
	lines   *lines
	out     []diag.Finding
	tooDeep bool
	mended  bool // the text was changed to be read in spite of faults
}

func (r *reader) fail(id string, at diag.Span, message, hint string) {
	r.out = add(r.out, diag.Finding{ID: id, Span: at, Message: message, Hint: hint})
}

// add keeps a finding, unless there are so many that it is never shown.
func add(out []diag.Finding, f diag.Finding) []diag.Finding {
	if len(out) >= maxKept {
		return out
	}
	return append(out, f)
}

// read returns the root of the file, nil when there is none to go on with.
func (r *reader) read(src []byte) *node {
	r.lines = newLines("")
	if len(src) > maxBytes {
		r.fail(IDTooLarge, r.lines.span(1, 1, 1), fmt.Sprintf(
			"the file has %d bytes, more than %d", len(src), maxBytes), "")
		return nil
	}
	text := r.clean(bytes.TrimPrefix(src, []byte("\uFEFF")))
	if n := strings.Count(text, "\n") + 1; n > maxLines {
		r.fail(IDTooLarge, r.lines.span(1, 1, 1), fmt.Sprintf("the file has %d lines, more than %d", n, maxLines), "")
		return nil
	}
	r.lines = newLines(text)
	if n := countValues(text); n > maxValues {
		r.fail(IDTooLarge, r.lines.span(1, 1, 1), fmt.Sprintf(
			"the file has about %d values, more than %d", n, maxValues), "")
		return nil
	}
	root, err := r.readYAML([]byte(text))
	if err == nil {
		return root
	}
	s := scanner{lines: r.lines}
	s.scan()
	r.out = append(r.out, s.out...)
	if len(s.out) == 0 {
		r.syntax(err)
		return nil
	}
	return r.again(&s)
}

// again reads the text once more, with what the scanner could mend mended, for the findings beyond.
// It returns nil when the text still cannot be read.
func (r *reader) again(s *scanner) *node {
	if len(s.edits) == 0 || len(s.edits) > maxFinds {
		return nil
	}
	known := len(r.out)
	r.mended = true
	root, err := r.readYAML([]byte(s.mended()))
	if err != nil {
		r.out = r.out[:known]
		return nil
	}
	return root
}

// syntax reports a fault of which only the library knows.
func (r *reader) syntax(err error) {
	at := diag.Span{Line: 1, Col: 1, Len: 1}
	text := err.Error()
	if y := (*yamlError)(nil); errors.As(err, &y) && y.line > 0 {
		line := r.lines.line(y.line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		at = r.lines.rest(y.line, indent+1)
		if y.line > len(r.lines.text) {
			at = r.lines.span(len(r.lines.text), 1, 1)
		}
	}
	r.fail(IDSyntax, at, "this is not YAML: "+text, "the fault may stand above this line")
}

// countValues estimates, from above, how many values the text holds: reading one costs some hundred
// bytes.
func countValues(text string) int {
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ',', '{', '[':
			n++
		case ':', '-', '?':
			if i+1 == len(text) || text[i+1] <= ' ' {
				n++
			}
		}
	}
	return n
}

// clean reports the characters that a taxonomy cannot hold, and puts a harmless one in the place of
// each, so that reading goes on with the same columns.
func (r *reader) clean(src []byte) string {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		r.fail(IDEncoding, diag.Span{Line: 1, Col: 1, Len: 1}, "the file is encoded as UTF-16", "save it as UTF-8")
		return ""
	}
	if i := firstBad(src, 0); i < 0 {
		return string(src)
	}
	var b strings.Builder
	line, start, from := 1, 0, 0
	for n := 0; ; n++ {
		i := firstBad(src, from)
		if i < 0 {
			b.Write(src[from:])
			return b.String()
		}
		b.Write(src[from:i])
		if k := bytes.LastIndexByte(src[from:i], '\n'); k >= 0 {
			line += bytes.Count(src[from:i], []byte("\n"))
			start = from + k + 1
		}
		c, size := utf8.DecodeRune(src[i:])
		if n < 20 {
			at := diag.Span{Line: line, Col: utf8.RuneCount(src[start:i]) + 1, Len: 1}
			r.badRune(c, size, src[i], at)
		}
		b.WriteRune(utf8.RuneError)
		from = i + size
	}
}

// firstBad returns the offset of the first character from a place on that a taxonomy cannot hold,
// or -1.
func firstBad(src []byte, from int) int {
	for i := from; i < len(src); {
		c := src[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			i++
			continue
		}
		c4, size := utf8.DecodeRune(src[i:])
		if c4 < 0xA0 || c4 == utf8.RuneError && size == 1 || c4 == 0x2028 || c4 == 0x2029 || c4 == 0xFEFF ||
			c4 == 0xFFFE || c4 == 0xFFFF {
			return i
		}
		i += size
	}
	return -1
}

func (r *reader) badRune(c rune, size int, raw byte, at diag.Span) {
	escape := fmt.Sprintf(`write "\u%04X" in double quotes if it is meant`, c)
	switch {
	case c == utf8.RuneError && size == 1:
		r.fail(IDEncoding, at, fmt.Sprintf("the byte %#02x is not UTF-8", raw), "save the file as UTF-8")
	case c == '\r':
		r.fail(IDEncoding, at, "a carriage return without a newline ends a line for some readers only",
			`end lines with a newline; write "\r" in double quotes if it is meant`)
	case c == 0x85 || c == 0x2028 || c == 0x2029:
		r.fail(IDEncoding, at, fmt.Sprintf("the character U+%04X ends a line for some readers only", c), escape)
	case c == 0:
		r.fail(IDControl, at, "a NUL character", "remove it")
	default:
		r.fail(IDControl, at, fmt.Sprintf("the control character U+%04X", c), escape)
	}
}
