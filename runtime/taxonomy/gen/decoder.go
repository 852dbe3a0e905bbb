package gen

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Decoder reads the context of an error out of its JSON. After Next has returned true, exactly one
// of the methods that read a value, or Skip, must follow. Null leaves the target as it is. The
// first value of a wrong type ends the reading: Next is false from then on. A word that an enum
// does not have is noted, and reading goes on.
type Decoder struct {
	scanner
	t           *taxonomy.Taxonomy
	decode      func(*Decoder) taxonomy.Error
	cause       error
	err         error
	unknownEnum error // the first word that an enum does not have
	category    int
	depth       int
	path        []string // of the objects that are open
	ordinal     uint16
}

// Category returns the index of the error's category.
func (d *Decoder) Category() int { return d.category }

// Ordinal returns the number of the code in its category, counted from 1; 0 when the error has no
// code.
func (d *Decoder) Ordinal() uint16 { return d.ordinal }

// Cause returns the decoded cause, or nil.
func (d *Decoder) Cause() error { return d.cause }

// Next goes on to the next field of the object and reports whether there is one.
func (d *Decoder) Next() bool {
	if d.err != nil {
		return false
	}
	if d.nextKey() {
		return true
	}
	if n := len(d.path); n > 0 {
		d.path = d.path[:n-1]
	}
	return false
}

// Key returns the name of the field; it is valid until the next call of Next.
func (d *Decoder) Key() []byte { return d.key }

// Skip passes over the value.
func (d *Decoder) Skip() { d.value() }

// Open enters the object that is the value; it reports false, having passed over it, when it is
// null or no object. The fields follow by Next, until that returns false.
func (d *Decoder) Open() bool {
	switch d.peek() {
	case '{':
		d.path = append(d.path, string(d.key))
		return true
	case 'n':
	default:
		d.wrong("an object")
	}
	d.value()
	return false
}

// DecodeEnum reads the word of an enum whose values are 1 to len(words).
func DecodeEnum[T ~uint8](d *Decoder, p *T, words []string) {
	if v := d.word(words); v != 0 {
		*p = T(v)
	}
}

// DecodeOptEnum is [DecodeEnum] of a value that may be absent.
func DecodeOptEnum[T ~uint8](d *Decoder, p *taxonomy.Opt[T], words []string) {
	if v := d.word(words); v != 0 {
		*p = taxonomy.Some(T(v))
	}
}

// wrong fails because the value is not what it must be. The value itself is not said: it may be a
// secret.
//
//go:noinline
func (d *Decoder) wrong(want string) { d.fail("not " + want) }

func (d *Decoder) fail(problem string) {
	if d.err != nil {
		return
	}
	d.err = d.problem(problem)
}

// problem returns an error that says where the decoder stands.
func (d *Decoder) problem(what string) error {
	path := append([]string{"context"}, d.path...)
	return fmt.Errorf("%s.%s: %s", strings.Join(path, "."), d.key, what)
}
