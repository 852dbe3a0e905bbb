package gentest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Attribute checks the attribute of the field with the given index, which all errors have. It sets
// the attribute on an error of each category and on a wrapped one. Context is the JSON of an error
// that has only this field.
func Attribute(
	t *testing.T, p *Package, field int, attach func(error, ...taxonomy.Attribute) error, a taxonomy.Attribute,
	context string,
) {
	t.Helper()
	p.begin()
	var want map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(context), &want))
	for i, c := range p.Table.Taxonomy.Categories {
		e := p.Table.Taxonomy.New(taxonomy.At(i, 1), nil)
		before := string(e.AppendContext(nil))
		name := c.Fields[field].Name
		for _, err := range []error{e, fmt.Errorf("wrapped: %w", e)} {
			changed := attach(err, a)
			found, ok := errors.AsType[taxonomy.Error](changed)
			require.True(t, ok)
			if err != error(e) {
				assert.EqualError(t, changed, err.Error())
			}
			assert.IsType(t, e, found)
			var got map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(found.AppendContext(nil), &got))
			assert.Equal(t, string(want[name]), string(got[name]), "%s of %s", name, c.Type)
			assert.Equal(t, before, string(e.AppendContext(nil)), "attach copies the error")
		}
	}
}

// Is returns an error that wraps target and has the given text. The text is given because an
// example's message may contain it, and errgen cannot read it from variables of other packages.
func Is(text string, target error) error { return &namedValue{text: text, target: target} }

type namedValue struct {
	text   string
	target error
}

func (e *namedValue) Error() string { return e.text }
func (e *namedValue) Unwrap() error { return e.target }

// As returns an error that errors.As accepts as a T. It wraps the given error, which may be nil. It
// contains no T, because T may be an interface, and because Error panics for the zero value of many
// types, such as *net.OpError.
func As[T error](text string, wrapped error) error {
	return &namedType[T]{text: text, wrapped: wrapped}
}

type namedType[T error] struct {
	text    string
	wrapped error
}

func (e *namedType[T]) Error() string { return e.text }
func (e *namedType[T]) Unwrap() error { return e.wrapped }

// As leaves target unchanged.
func (e *namedType[T]) As(target any) bool {
	_, ok := target.(*T)
	return ok
}
