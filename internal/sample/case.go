// Package sample chooses the errors that the generated tests make, and the expected results.
//
// For a code it returns cases. Their contexts together contain every field present, absent and
// empty, values at and around every bound of a `when` branch, and texts that are too long or
// secret. The expected results follow from the model alone, never from generated code.
package sample

import (
	"maps"

	"github.com/errgen/errgen/internal/model"
)

// Cause is the text of the cause, in cases that have one.
const Cause = "some cause"

// Case is an error of a code.
type Case struct {
	Code    *model.Code
	Context model.Context
	Caused  bool // by an error with the text [Cause]
}

// Message returns the expected message of the error.
func (c Case) Message() string { return c.Code.Template.Text(c.Context, c.cause()) }

// Feedback returns the expected feedback for the error. If the code declares none, it returns "".
func (c Case) Feedback() string {
	if c.Code.Feedback == nil {
		return ""
	}
	return c.Code.Feedback.Text(c.Context, c.cause())
}

// Row returns the expected row of the error.
func (c Case) Row() *model.Row { return c.Code.RowFor(c.Context) }

func (c Case) cause() string {
	if c.Caused {
		return Cause
	}
	return ""
}

// With returns the case with another value of f.
func (c Case) With(f *model.Field, v model.Value) Case {
	c.Context = maps.Clone(c.Context)
	c.Context[f] = v
	return c
}

// Without returns the case without f; a required field is left empty.
func (c Case) Without(f *model.Field) Case {
	c.Context = maps.Clone(c.Context)
	delete(c.Context, f)
	if f.Required && !f.Sensitive {
		c.Context[f] = Zero(f)
	}
	return c
}

func (c Case) equal(d Case) bool {
	return c.Caused == d.Caused && maps.EqualFunc(c.Context, d.Context, model.Value.Equal)
}

// Base returns the error that the code's factory returns.
func Base(code *model.Code) Case {
	c := Case{Code: code, Context: ZeroContext(code.Fields())}
	for i, f := range code.Fields() {
		fixed, set := code.Fixed(f)
		switch {
		case code.HasParam(f):
			c.Context[f] = Value(f, i)
		case set:
			c.Context[f] = fixed
		}
	}
	return c
}

// Full returns an error of the code with a value for every field, except that the fields that the
// code sets keep their values.
func Full(code *model.Code) Case {
	c := Base(code)
	for i, f := range code.Fields() {
		if _, ok := c.Context[f]; !ok {
			c = c.With(f, Value(f, i))
		}
	}
	return c
}
