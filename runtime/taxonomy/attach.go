package taxonomy

import (
	"context"
	"errors"
	"reflect"
	"slices"
)

// Attribute is the value of a field that all errors of a taxonomy have. Generated packages have a
// function for each of these fields.
type Attribute struct {
	t     *Taxonomy
	field int
	set   func(p any)
}

// NewAttribute returns an attribute. Set gets the pointer to the field, as [Category.List] has it.
// Only generated packages call it.
func NewAttribute(t *Taxonomy, field int, set func(p any)) Attribute { return Attribute{t, field, set} }

// Attach returns err with fields that all errors of a taxonomy have. The first error of the
// attributes' taxonomy in err's tree is copied, not changed. If err wraps it, the result has the
// text of err, wraps both, and answers as the copy. An err without such an error is returned
// unchanged, and so are codes and unknown errors, which have no fields.
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
	v := reflect.ValueOf(c)
	own, ok := c.(Error)
	_, unknown := c.(*Unknown)
	if !ok || unknown || v.Kind() != reflect.Pointer || v.IsNil() || t.Categories[own.Row().Category()].List == nil {
		return err
	}
	changed := reflect.New(v.Type().Elem())
	changed.Elem().Set(v.Elem())
	e := changed.Interface().(Error)
	list := t.Categories[e.Row().Category()].List(e)
	for _, a := range attributes {
		if a.t == t && a.field < len(list) {
			a.set(list[a.field])
		}
	}
	if _, direct := err.(Error); direct {
		return e
	}
	return &attached{whole: err, changed: e}
}

// attached is an error with a changed copy of an error that it wraps. It is a chain and not a fork,
// because it is one failure.
type attached struct {
	whole   error
	changed Error
}

// Error returns the text of the error.
func (a *attached) Error() string { return a.whole.Error() }

// Unwrap returns the copy.
func (a *attached) Unwrap() error { return a.changed }

// Is looks for target in the error.
func (a *attached) Is(target error) bool { return errors.Is(a.whole, target) }

// As looks for target in the copy, and then in the error.
func (a *attached) As(target any) bool {
	return errors.As(a.changed, target) || errors.As(a.whole, target)
}

type attributesKey struct{}

// ContextWith returns a context with attributes for the errors of the work that it is about. The
// option detect.WithAttributes sets them when an error is classified; [ContextAttributes] returns
// them.
func ContextWith(ctx context.Context, attributes ...Attribute) context.Context {
	return context.WithValue(ctx, attributesKey{}, slices.Concat(ContextAttributes(ctx), attributes))
}

// ContextAttributes returns the attributes of a context, those that were added last at the end.
func ContextAttributes(ctx context.Context) []Attribute {
	attributes, _ := ctx.Value(attributesKey{}).([]Attribute)
	return attributes
}
