package gen

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Code is a code of a category.
type Code interface {
	~uint16
	taxonomy.Coded
}

// Base is the part that all errors of a category have: a code and a cause. Generated packages embed
// it under an unexported name, so that only they can set it.
type Base[C Code] struct {
	_    [0]func() // makes it not comparable, so that error types need no function to compare them
	code C
	sent uint8 // the branch that the sender selected, from 1; see Sent
	// effect is that of the call, if the error was received or classified; see CallEffect.
	effect  taxonomy.Effect
	hasSent bool // the effect is what the sender declared
	cause   error
}

// Of returns the base of an error of a code.
func Of[C Code](code C) Base[C] { return Base[C]{code: code} }

// Made returns the base of an error with a cause. The code is its index in the category; 0 means
// that the error has no code.
func Made[C Code](code uint16, cause error) Base[C] { return Base[C]{code: C(code), cause: cause} }

// Init sets the cause of a new error, and its code by the index in the category.
func Init(e taxonomy.Error, code uint16, cause error) {
	e.(interface {
		set(code uint16, cause error)
	}).set(code, cause)
}

func (b *Base[C]) set(code uint16, cause error) { b.code, b.cause = C(code), cause }

// SetCause sets the cause.
func SetCause[C Code](b *Base[C], cause error) {
	if r, ok := b.cause.(*received); ok {
		cause = &received{code: r.code, error: cause}
	}
	b.cause = cause
}

// With returns a changed copy of e. It is small enough to be inlined, so that an error that is made
// and completed in one expression takes one allocation.
func With[E any](e E, change func(e *E)) *E {
	change(&e)
	return &e
}

// Code returns the code.
func (b *Base[C]) Code() C { return b.code }

// Unwrap returns the cause, or nil.
func (b *Base[C]) Unwrap() error {
	if r, ok := b.cause.(*received); ok {
		return r.error
	}
	return b.cause
}

// Is reports whether target is the error's code. An error is never a target for another error.
func (b *Base[C]) Is(target error) bool {
	c, ok := target.(C)
	return ok && c == b.code && c != 0
}

// IsBelow reports whether target is the code c or one of the codes above it.
func IsBelow[C Code](c C, target error) bool {
	above, ok := target.(C)
	for ok && c != 0 {
		if c == above {
			return true
		}
		code := c.Taxonomy().Code(c.Row())
		if code == nil {
			break
		}
		c = C(code.Parent)
	}
	return false
}

// Constant returns the constant with an index of the first error or code of taxonomy t in err's
// tree, if its code has the constant.
func Constant[T any](err error, t *taxonomy.Taxonomy, index int) (value T, ok bool) {
	if c, found := taxonomy.First(err, t); found {
		if code := taxonomy.Describe(c); code != nil && index < len(code.Extras().Constants) {
			value, ok = code.Extras().Constants[index].(T)
		}
	}
	return value, ok
}

// As stores the error's code in target, if that is a pointer to a code of the category.
func (b *Base[C]) As(target any) bool {
	c, ok := target.(*C)
	if !ok || b.code == 0 {
		return false
	}
	*c = b.code
	return true
}

// noCode is the text of an invalid code.
const noCode = "no code"

// CodeText returns the wire value of a code. For an invalid code it returns "no code".
//
//go:noinline
func CodeText(row taxonomy.Row, t *taxonomy.Taxonomy) string {
	if c := t.Code(row); c != nil {
		return c.Value
	}
	return noCode
}

// Reaction returns the reaction to a code without any context. Its callers stay small enough to be
// inlined.
func Reaction(c *taxonomy.Category, code uint16, t *taxonomy.Taxonomy) *taxonomy.Reaction {
	if code > 0 && int(code) < len(c.Codes) {
		return c.Codes[code].Reaction
	}
	return t.None.Reaction
}

// CodeMessage returns the message of a code. A message that a code cannot have without context, one
// with placeholders, optional parts or escapes of them, is replaced by the wire value.
//
//go:noinline
func CodeMessage(row taxonomy.Row, t *taxonomy.Taxonomy) string {
	if c := t.Code(row); c != nil && c.Message != "" && !strings.ContainsAny(c.Message, "{}[]") {
		return c.Message
	}
	return CodeText(row, t)
}

// MarshalCode returns the wire value of a code; an invalid code is an error.
func MarshalCode(row taxonomy.Row, t *taxonomy.Taxonomy) ([]byte, error) {
	if c := t.Code(row); c != nil {
		return []byte(c.Value), nil
	}
	return nil, fmt.Errorf("%s: marshal code: no such code", t.Package)
}

// UnmarshalCode sets c to the code of its category with text as value or alias. Any other text is
// an error and changes nothing.
func UnmarshalCode[C Code](text []byte, c *C) error {
	index, err := indexOf(text, (*c).Taxonomy(), (*c).Row().Category())
	if err == nil {
		*c = C(index)
	}
	return err
}

// indexOf returns the index of a code in a category, by its value or alias.
func indexOf(text []byte, t *taxonomy.Taxonomy, category int) (int, error) {
	row, ok := t.Find(string(text))
	if !ok || row.Category() != category {
		return 0, fmt.Errorf("%s: unmarshal code: %s has no code %s",
			t.Package, t.Categories[category].Name, echo(string(text)))
	}
	return row.Code(), nil
}

// InCategory reports whether the first error of taxonomy t in err's tree is of the category.
//
//go:noinline
func InCategory(err error, t *taxonomy.Taxonomy, category int) bool {
	return CategoryOf(err, t) == t.Categories[category].Name
}

// InGroup reports whether the first error of taxonomy t in err's tree has a code of the group,
// which is an index into the taxonomy's groups.
func InGroup(err error, t *taxonomy.Taxonomy, group int) bool {
	c, ok := taxonomy.First(err, t)
	if !ok {
		return false
	}
	code := taxonomy.Describe(c)
	return code != nil && code.Groups&(1<<group) != 0
}

// CategoryOf returns the name of the category of the first error of taxonomy t in err's tree, or
// "".
func CategoryOf(err error, t *taxonomy.Taxonomy) string {
	c, ok := taxonomy.First(err, t)
	if !ok {
		return ""
	}
	if u, ok := c.(*taxonomy.Unknown); ok && !u.Of(t) {
		return ""
	}
	return taxonomy.CategoryOf(c)
}

// OwnText returns the message of e.
//
//go:noinline
func OwnText(e taxonomy.Error) string { return string(e.AppendMessage(make([]byte, 0, 128))) }
