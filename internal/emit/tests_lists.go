package emit

import (
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
)

// keeping is a way of giving an error a list: an expression in which the list is called given, and
// what becomes of it.
type keeping struct {
	json bool
	code string
}

// lists writes the check that an error has lists of its own, whatever becomes of those that it was
// given.
func (w *testWriter) lists(c *model.Category) {
	var all []keeping
	for _, f := range c.Fields {
		all = append(all, w.keepings(c, f)...)
	}
	if len(all) == 0 {
		return
	}
	w.test(c.Type, "Lists")
	w.ownLists("[]string", `{"a", "b"}`, `"changed"`, all, false)
	if containsJSON(all) {
		w.ownLists(w.use(pkgJSON, "RawMessage"), "(`[1]`)", "'{'", all, true)
	}
	w.f("}\n")
}

func containsJSON(all []keeping) bool {
	for _, k := range all {
		if k.json {
			return true
		}
	}
	return false
}

func (w *testWriter) ownLists(typ, value, other string, all []keeping, json bool) {
	var rows []string
	for _, k := range all {
		if k.json == json {
			rows = append(rows, "func(given "+typ+") "+typ+" { return "+k.code+" },\n")
		}
	}
	if len(rows) == 0 {
		return
	}
	w.f("for i, keep := range []func(%s) %s{\n%s} {\n", typ, typ, strings.Join(rows, ""))
	w.f("given := %s%s\nkept := keep(given)\ngiven[0] = %s\n", typ, value, other)
	w.f("%s(t, %s%s, kept, \"row %%d\", i)\n}\n", w.use(pkgAssert, "Equal"), typ, value)
}

// keepings returns the ways of giving an error of the category the lists that are in f.
func (w *testWriter) keepings(c *model.Category, f *model.Field) []keeping {
	var out []keeping
	first := sample.Base(c.Codes[0])
	for _, p := range w.listsIn(f) {
		if !f.Required {
			out = append(out, keeping{p.json, p.read(w.made(first) + ".With" + f.Go + "(" + p.given + ")")})
		}
		for _, code := range c.Codes {
			if code.Takes(f) {
				out = append(out, keeping{p.json, p.read(w.factoryWith(sample.Base(code), f, p.given))})
			}
		}
	}
	return out
}

// listPath is a list in a field: the field's value with the list called given, and how the list is
// read.
type listPath struct {
	json  bool
	given string
	read  func(owner string) string
}

func (w *testWriter) listsIn(f *model.Field) []listPath {
	field := func(owner string) string { return owner + "." + f.Go }
	switch {
	case f.Sensitive:
		return nil
	case f.Type == model.Strings, f.Type == model.JSON:
		return []listPath{{f.Type == model.JSON, "given", field}}
	case f.Type != model.ObjectType:
		return nil
	}
	var out []listPath
	for _, part := range f.Object.Fields {
		for _, p := range w.listsIn(part) {
			read := func(owner string) string { return p.read(field(owner)) }
			if f.Optional() {
				read = func(owner string) string { return p.read(field(owner) + ".Or(" + f.Object.Type + "{})") }
			}
			given := p.given
			if part.Optional() {
				given = w.use(pkgTaxonomy, "Some") + "(" + given + ")"
			}
			out = append(out, listPath{p.json, f.Object.Type + "{" + part.Go + ": " + given + "}", read})
		}
	}
	return out
}

// factoryWith returns a call of the factory with one argument as it is given.
func (w *testWriter) factoryWith(c sample.Case, f *model.Field, given string) string {
	args := make([]string, len(c.Code.Args))
	for i, arg := range c.Code.Args {
		args[i] = w.value(arg, c.Context[arg])
		if arg == f {
			args[i] = given
		}
	}
	return c.Code.Factory + "(" + strings.Join(args, ", ") + ")"
}
