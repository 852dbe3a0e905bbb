package emit

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
)

// made returns the expression that makes a case's error: its factory and what is put on top of it;
// or the struct itself, where a factory does not lead to it.
func (w *testWriter) made(c sample.Case) string {
	base := w.baseOf(c.Code)
	if !reachable(c, base) {
		return "&" + w.literal(c)
	}
	args := make([]string, len(c.Code.Args))
	for i, f := range c.Code.Args {
		args[i] = w.value(f, c.Context[f])
	}
	text := c.Code.Factory + "(" + strings.Join(args, ", ") + ")"
	for _, f := range c.Code.Category.Fields {
		v, ok := c.Context[f]
		if !ok || c.Code.Takes(f) {
			continue
		}
		if _, fixed := base.Context[f]; !fixed || !same(f, v, base.Context[f]) {
			text += ".With" + f.Go + "(" + w.value(f, v) + ")"
		}
	}
	if c.Caused {
		text += ".WithCause(" + w.prefix + "Cause)"
	}
	return text
}

// baseOf returns what the code's factory makes; it is asked for many cases of one code in a row.
func (w *testWriter) baseOf(c *model.Code) sample.Case {
	if w.base.Code != c {
		w.base = sample.Base(c)
	}
	return w.base
}

// reachable reports whether the factory and With methods can make the case.
func reachable(c, base sample.Case) bool {
	for _, f := range c.Code.Category.Fields {
		v, ok := c.Context[f]
		was, had := base.Context[f]
		switch {
		case !ok && had:
			return false
		case ok && f.Required && !c.Code.Takes(f) && (!had || !same(f, v, was)):
			return false
		case ok && v.Type == model.Strings && v.Strings == nil && !f.Required:
			return false
		}
	}
	return true
}

func same(f *model.Field, v, w model.Value) bool {
	if f.Type == model.ObjectType {
		return len(v.Object) == 0 && len(w.Object) == 0
	}
	return v.Equal(w)
}

// literal returns the struct that a case's error must be.
func (w *testWriter) literal(c sample.Case) string {
	return c.Code.Category.Type + w.structFields(c)
}

func (w *testWriter) structFields(c sample.Case) string {
	base := w.use(pkgGen, "Of") + "(" + c.Code.Const + ")"
	if c.Caused {
		base = fmt.Sprintf("gen.Made[%s](uint16(%s), %sCause)", c.Code.Category.CodeType, c.Code.Const, w.prefix)
	}
	return w.fields(c.Code.Category.Fields, c.Context, "base: "+base)
}
