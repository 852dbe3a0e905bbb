package state

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth bounds how deep values are nested that are passed over.
	maxDepth = 1000
	// maxNumber bounds the digits of a number.
	maxNumber = 512
)

// place is where something is in a text. Both count from 1, columns in characters.
type place struct{ line, column int }

// misplaced is that a text is not as it should be, from a place on.
type misplaced struct {
	place
	what string
}

func (m *misplaced) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", m.line, m.column, m.what)
}

// jsonReader reads JSON piece by piece. It keeps of a string only as much as is asked for, so that
// it needs little memory however large the text is, and it always knows where it is.
type jsonReader struct {
	in *bufio.Reader
	at place // of the next byte
}

func newJSONReader(r io.Reader) *jsonReader {
	return &jsonReader{in: bufio.NewReaderSize(r, 64<<10), at: place{1, 1}}
}

func (r *jsonReader) fail(at place, format string, args ...any) error {
	return &misplaced{place: at, what: fmt.Sprintf(format, args...)}
}

// next returns the next byte.
func (r *jsonReader) next() (byte, error) {
	b, err := r.in.ReadByte()
	if err != nil {
		return 0, r.ended(err)
	}
	switch {
	case b == '\n':
		r.at = place{r.at.line + 1, 1}
	case utf8.RuneStart(b):
		r.at.column++
	}
	return b, nil
}

func (r *jsonReader) ended(err error) error {
	if errors.Is(err, io.EOF) {
		return r.fail(r.at, "the text ends too early")
	}
	return err
}

// peek returns the next byte that is no white space, and leaves it there.
func (r *jsonReader) peek() (byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, r.ended(err)
		}
		if err := r.in.UnreadByte(); err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b, nil
		}
		if _, err := r.next(); err != nil {
			return 0, err
		}
	}
}

// end returns an error unless nothing is left but white space.
func (r *jsonReader) end() error {
	_, err := r.peek()
	if _, ok := errors.AsType[*misplaced](err); ok { // the text ends
		return nil
	}
	if err != nil {
		return err
	}
	return r.fail(r.at, "there is more behind the end")
}

// kind says in words what begins with b.
func kind(b byte) string {
	switch {
	case b == '{':
		return "an object"
	case b == '[':
		return "a list"
	case b == '"':
		return "a text"
	case b == 't' || b == 'f':
		return "true or false"
	case b == 'n':
		return "null"
	case b == '-' || '0' <= b && b <= '9':
		return "a number"
	case b >= utf8.RuneSelf || b < ' ':
		return "no JSON"
	}
	return fmt.Sprintf("%q", b)
}

// open takes the byte that begins what is wanted.
func (r *jsonReader) open(want byte, what string) error {
	b, err := r.peek()
	if err != nil {
		return err
	}
	if b != want {
		return r.fail(r.at, "%s is expected, and this is %s", what, kind(b))
	}
	_, err = r.next()
	return err
}

// object reads an object, and has f read the value of each key. At is where the key is. Of one that
// is longer than maxName only the beginning is known, which is longer, too.
func (r *jsonReader) object(what string, f func(key string, at place) error) error {
	if err := r.open('{', what); err != nil {
		return err
	}
	return r.members('}', func() error {
		at := r.at
		key, err := r.text("a key", fromBeginning(maxName+1))
		if err != nil {
			return err
		}
		if err := r.open(':', "a colon"); err != nil {
			return err
		}
		return f(key, at)
	})
}

// list reads a list, and has f read each value in it.
func (r *jsonReader) list(what string, f func() error) error {
	if err := r.open('[', what); err != nil {
		return err
	}
	return r.members(']', f)
}

func (r *jsonReader) members(last byte, f func() error) error {
	b, err := r.peek()
	if err != nil {
		return err
	}
	if b == last {
		_, err = r.next()
		return err
	}
	for {
		if _, err := r.peek(); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
		b, err := r.peek()
		switch {
		case err != nil:
			return err
		case b != ',' && b != last:
			return r.fail(r.at, "a comma or %q is expected, and this is %s", last, kind(b))
		}
		if _, err := r.next(); err != nil || b == last {
			return err
		}
	}
}

// null reports whether the next value is null, and then takes it.
func (r *jsonReader) null() (bool, error) {
	b, err := r.peek()
	if err != nil || b != 'n' {
		return false, err
	}
	return true, r.word("null")
}

func (r *jsonReader) word(word string) error {
	at := r.at
	for i := range len(word) {
		b, err := r.next()
		if err != nil {
			return err
		}
		if b != word[i] {
			return r.fail(at, "%s is expected", word)
		}
	}
	return nil
}

// boolean reads true or false.
func (r *jsonReader) boolean(what string) (bool, error) {
	b, err := r.peek()
	switch {
	case err != nil:
		return false, err
	case b == 't':
		return true, r.word("true")
	case b == 'f':
		return false, r.word("false")
	}
	return false, r.fail(r.at, "%s is expected to be true or false, and is %s", what, kind(b))
}

// skip passes over a value.
func (r *jsonReader) skip(depth int) error {
	b, err := r.peek()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return r.fail(r.at, "values are nested too deep")
	}
	switch b {
	case '{':
		return r.object("an object", func(string, place) error { return r.skip(depth + 1) })
	case '[':
		return r.list("a list", func() error { return r.skip(depth + 1) })
	case '"':
		_, err := r.text("a text", fromBeginning(0))
		return err
	case 't', 'f':
		_, err := r.boolean("a value")
		return err
	case 'n':
		return r.word("null")
	}
	_, err = r.number("a value")
	return err
}

// text reads a string, of which keep decides what is kept. Half a pair of UTF-16, and what is not
// UTF-8, becomes U+FFFD.
func (r *jsonReader) text(what string, keep *keeper) (string, error) {
	if err := r.open('"', what); err != nil {
		return "", err
	}
	var half rune // the first half of a pair
	for {
		at := r.at
		b, err := r.next()
		if err != nil {
			return "", err
		}
		escaped := b == '\\'
		var c rune
		if escaped {
			if c, err = r.escape(at); err != nil {
				return "", err
			}
		}
		if half != 0 {
			whole := utf16.DecodeRune(half, c)
			half = 0
			if escaped && whole != utf8.RuneError {
				keep.rune(whole)
				continue
			}
			keep.rune(utf8.RuneError)
		}
		switch {
		case escaped && utf16.IsSurrogate(c) && c < 0xdc00:
			half = c
		case escaped:
			keep.rune(c)
		case b == '"':
			return keep.String(), nil
		case b < ' ':
			return "", r.fail(at, "a text must not hold a control character")
		default:
			keep.byte(b)
		}
	}
}

// escape reads what follows a backslash.
func (r *jsonReader) escape(at place) (rune, error) {
	b, err := r.next()
	if err != nil {
		return 0, err
	}
	switch b {
	case '"', '\\', '/':
		return rune(b), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return r.hex(at)
	}
	return 0, r.fail(at, "there is no such escape")
}

func (r *jsonReader) hex(at place) (c rune, err error) {
	for range 4 {
		b, err := r.next()
		if err != nil {
			return 0, err
		}
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, r.fail(at, "an escape has four hexadecimal digits")
		}
		c = c<<4 | rune(b)
	}
	return c, nil
}
