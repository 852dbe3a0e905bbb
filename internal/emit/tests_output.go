package emit

import (
	"maps"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
)

// outputs writes what is printed of an error with everything in it, and of the zero value and one
// with a code that does not exist.
func (w *testWriter) outputs(c *model.Category) {
	w.test(c.Type, "Outputs")
	w.f("#CheckOutputs(t, %q, []#Output[*%s]{\n", c.Name, c.Type)
	if len(c.Codes) > 0 {
		full := sample.Full(c.Codes[0])
		w.output(c, w.made(full), c.Codes[0].Value, full.Message(), full.Context)
		base := sample.Base(c.Codes[0])
		w.output(c, w.made(base), c.Codes[0].Value, base.Message(), base.Context)
	}
	zero := sample.ZeroContext(c.Fields)
	none := c.Name + " error without a code"
	w.output(c, "&"+c.Type+"{}", "", none, zero)
	unreal := c.Type + "{base: " + w.use(pkgGen, "Of") + "[" + c.CodeType + "](" + strconv.Itoa(len(c.Codes)+600) + ")}"
	w.output(c, "&"+unreal, "", none, zero)
	w.f("})\n}\n")
}

func (w *testWriter) output(c *model.Category, made, code, message string, ctx model.Context) {
	w.f("{\n%s, %q,\n%s,\n%s,\n},\n", made, code, w.str(message), w.str(sample.JSON(c.Fields, ctx)))
}

// hints writes what errors with and without everything say to whoever reacts to them.
func (w *testWriter) hints(c *model.Category) {
	if len(hintFields(c)) == 0 {
		return
	}
	w.test(c.Type, "Hints")
	w.f("for _, c := range []struct {\nerr   error\nhints %s\n}{\n", w.use(pkgTaxonomy, "Hints"))
	for _, e := range []sample.Case{sample.Base(c.Codes[0]), sample.Full(c.Codes[0])} {
		w.f("{%s, %s},\n", w.made(e), w.hintsLiteral(c, e.Context))
	}
	w.f("} {\n%s(t, c.hints, %s(c.err))\n}\n}\n", w.use(pkgAssert, "Equal"), w.use(pkgTaxonomy, "HintsOf"))
}

func hintFields(c *model.Category) []*model.Field {
	var out []*model.Field
	for _, r := range roles {
		if f := hintField(c, r); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// hintField returns the field that becomes the hint of a role, or nil.
func hintField(c *model.Category, r role) *model.Field {
	f := c.WithRole(r.role)
	if f == nil || f.Type != r.typ || r.opt && f.Sensitive {
		return nil
	}
	return f
}

func (w *testWriter) hintsLiteral(c *model.Category, ctx model.Context) string {
	l := w.structOf()
	for _, r := range roles {
		f := hintField(c, r)
		v, ok := ctx[f]
		switch {
		case f == nil || !ok || v.Type == model.Strings && v.Strings == nil:
		case r.opt:
			l.add(r.hint, w.use(pkgTaxonomy, "Some")+"("+w.typed(f, v)+")")
		default:
			l.add(r.hint, w.typed(f, v))
		}
	}
	return l.of("Hints")
}

// decoding writes contexts as they may come off the wire: with little, with nulls, with what is
// unknown, with what is wrong, and with words that an enum does not have.
func (w *testWriter) decoding(c *model.Category) {
	code := c.Codes[0]
	zero := sample.ZeroContext(c.Fields)
	var nulls []string
	for _, f := range c.Fields {
		nulls = append(nulls, strconv.Quote(f.Wire)+":null")
	}
	want := w.str(sample.JSON(c.Fields, zero))
	w.test(c.Type, "Decoding")
	w.f("#CheckDecoding(t, new(%s), #Wire{Category: %q, Code: %q}, []#Decoded{\n", c.Type, c.Name, code.Value)
	w.f("{`{}`, %s},\n{`{\"no such field\":[1,{}]}`, %s},\n", want, want)
	if full := sample.JSON(c.Fields, sample.Full(code).Context); full != "{}" {
		w.f("{%s, %s},\n", w.str(`{"no such field":[1,{}],`+full[1:]), w.str(full))
	}
	if len(nulls) > 0 {
		w.f("{%s, %s},\n", w.str("{"+strings.Join(nulls, ",")+"}"), want)
	}
	for _, f := range c.Fields {
		for _, o := range sample.Sparse(f) {
			ctx := maps.Clone(zero)
			ctx[f] = o.Value
			w.f("{%s, %s},\n", w.str("{"+strconv.Quote(f.Wire)+":"+o.JSON+"}"), w.str(sample.JSON(c.Fields, ctx)))
		}
	}
	w.f("}, []#Decoded{\n{`1`, \"context\"},\n")
	for _, wrong := range sample.Wrong(c.Fields) {
		w.f("{%s, %s},\n", w.str(wrong.JSON), w.str("context."+wrong.Path))
	}
	w.strange(sample.Strange(c.Fields))
	w.f(")\n}\n")
}

// strange writes the contexts with a word that does not exist.
func (w *testWriter) strange(contexts []sample.WrongContext) {
	if len(contexts) == 0 {
		w.f("}, nil")
		return
	}
	w.f("}, []#Decoded{\n")
	for _, c := range contexts {
		w.f("{%s, %s},\n", w.str(c.JSON), w.str("context."+c.Path))
	}
	w.f("}")
}

// role is what a field is read for, the hint that it becomes and the type that this takes.
type role struct {
	role model.Role
	hint string
	typ  model.Type
	opt  bool // the hint may be absent
}

var roles = []role{
	{model.RoleRetryAfter, "RetryAfter", model.Duration, true},
	{model.RoleResetAt, "ResetAt", model.Time, true},
	{model.RoleFiles, "Files", model.Strings, false},
	{model.RoleCredential, "Credential", model.String, false},
	{model.RoleOutput, "Output", model.String, false},
}
