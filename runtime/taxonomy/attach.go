package taxonomy

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/errgen/errgen/runtime/internal/fields"
)

// Attribute is the value of a field that all errors of a taxonomy have. Generated packages have a
// function for each of these fields.
type Attribute struct {
	t     *Taxonomy
	field int
	value any
}

// NewAttribute returns an attribute: the value of the field with an index. Only generated packages
// call it.
func NewAttribute[T any](t *Taxonomy, field int, value T) Attribute {
	return Attribute{t, field, value}
}

// Attach returns err with the attributes set. It copies the first error of the attributes' taxonomy
// in err's tree, and sets the fields of the copy. If err wraps that error, the result has the text
// of err and wraps both; its code and fields are those of the copy. An error of retry.Do is copied
// too. A code in the tree counts as its error without fields. If err contains no such error, or
// only an unknown one, which has no fields, Attach returns err unchanged.
func Attach(err error, attributes ...Attribute) error {
	for i, a := range attributes {
		if !slices.ContainsFunc(attributes[:i], func(b Attribute) bool { return a.t == b.t }) {
			err = attach(err, a.t, attributes[i:])
		}
	}
	return err
}

// attach sets the attributes of taxonomy t.
func attach(err error, t *Taxonomy, attributes []Attribute) error {
	if traced, ok := err.(*Traced); ok {
		return &Traced{err: attach(traced.err, t, attributes), pcs: traced.pcs}
	}
	c, _ := First(err, t)
	if _, ok := c.(Error); c != nil && !ok {
		if code := describe(c); code != nil && !code.Abstract {
			c = t.New(c.Row(), nil)
		}
	}
	v := reflect.ValueOf(c)
	own, ok := c.(Error)
	_, unknown := c.(*Unknown)
	if !ok || unknown || v.Kind() != reflect.Pointer || v.IsNil() || t.Categories[own.Row().Category()].Zero == nil {
		return err
	}
	if outer, ok := err.(interface{ Rewrap(func(error) error) error }); ok {
		return outer.Rewrap(func(inner error) error { return attach(inner, t, attributes) })
	}
	changed := reflect.New(v.Type().Elem())
	changed.Elem().Set(v.Elem())
	e := changed.Interface().(Error)
	list := fields.Pointers(e)
	for _, a := range attributes {
		if a.t == t && a.field < len(list) {
			reflect.ValueOf(list[a.field]).Elem().Set(reflect.ValueOf(a.value))
		}
	}
	if direct, ok := err.(Coded); ok && direct.Taxonomy() == t {
		return e
	}
	return &attachedError{outer: err, inner: e}
}

// attachedError is an error with a changed copy of an error that it wraps. It unwraps to the copy
// only, because both are one failure.
type attachedError struct {
	outer error
	inner Error // the copy
}

// Error returns the text of the outer error.
func (a *attachedError) Error() string { return a.outer.Error() }

// Unwrap returns the copy.
func (a *attachedError) Unwrap() error { return a.inner }

// Is looks for target in the outer error.
func (a *attachedError) Is(target error) bool { return errors.Is(a.outer, target) }

// As looks for target in the copy, and then in the outer error.
func (a *attachedError) As(target any) bool {
	return errors.As(a.inner, target) || errors.As(a.outer, target)
}

type attributesKey struct{}

// ContextWith returns a context with attributes for errors of the work that uses it. Servers and
// the option detect.WithAttributes set these attributes; [ContextAttributes] returns them.
func ContextWith(ctx context.Context, attributes ...Attribute) context.Context {
	return context.WithValue(ctx, attributesKey{}, slices.Concat(ContextAttributes(ctx), attributes))
}

// ContextAttributes returns the attributes of a context in the order in which they were added.
func ContextAttributes(ctx context.Context) []Attribute {
	attributes, _ := ctx.Value(attributesKey{}).([]Attribute)
	return attributes
}
