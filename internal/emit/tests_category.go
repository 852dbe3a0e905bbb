package emit

import (
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
)

// categoryTests makes the file of a category's rows.
func categoryTests(m *model.Package, names testNames, c *model.Category) []byte {
	w := newTestWriter(m, names)
	w.codes(c)
	if len(c.Codes) > 0 {
		w.copies(c)
		w.lists(c)
		w.hints(c)
		w.feedback(c)
		w.decoding(c)
	}
	w.outputs(c)
	return w.bytes()
}

// codes writes the rows of every code.
func (w *testWriter) codes(c *model.Category) {
	w.test(c.Type, "Codes")
	w.f("category := %s\n", w.categoryLiteral(c))
	w.f("#CheckCodes(t, category, []#Code[*%s, %s]{\n", c.Type, c.CodeType)
	hosts := sample.Hosts(c)
	for _, code := range c.Codes {
		w.code(code, hosts[code])
	}
	w.f("})\n}\n")
}

func (w *testWriter) code(c *model.Code, odd []*model.Field) {
	cases, caused := split(sample.Cases(c, odd))
	w.f("{\ncode: %s,\ndescription: %s,\n", c.Const, w.codeLiteral(c))
	w.rowsOf("rows", "Row", eachText(codeRows(c), w.rowLiteral))
	w.rowsOf("cases", "Case[*"+c.Category.Type+"]", eachText(cases, w.caseLiteral))
	w.rowsOf("caused", "Case[*"+c.Category.Type+"]", eachText(caused, w.caseLiteral))
	w.rowsOf("picks", "Pick[*"+c.Category.Type+"]", eachText(sample.Branches(c), w.pickLiteral))
	w.f("},\n")
}

// rowsOf writes a list of one of the checker's types, unless it is empty.
func (w *testWriter) rowsOf(name, typ string, rows []string) {
	switch len(rows) {
	case 0:
	case 1:
		w.f("%s: []#%s{%s},\n", name, typ, rows[0])
	default:
		w.f("%s: []#%s{\n%s,\n},\n", name, typ, strings.Join(rows, ",\n"))
	}
}

// caseLiteral is an error and what it must be.
func (w *testWriter) caseLiteral(c sample.Case) string {
	return fmt.Sprintf("{%d, %s, %s, %s}", rowOf(c.Row()), w.made(c), w.str(c.Message()),
		w.str(sample.JSON(c.Code.Category.Fields, c.Context)))
}

// pickLiteral is an error and the row that its context picks.
func (w *testWriter) pickLiteral(c sample.Case) string {
	return fmt.Sprintf("{%d, %s}", rowOf(c.Row()), w.made(c))
}

// split parts the cases without a cause from those with one.
func split(cases []sample.Case) (plain, caused []sample.Case) {
	for _, c := range cases {
		if c.Caused {
			caused = append(caused, c)
		} else {
			plain = append(plain, c)
		}
	}
	return plain, caused
}

// codeRows are the rows that an error of the code can have: its own first.
func codeRows(c *model.Code) []*model.Row {
	rows := []*model.Row{c.Row}
	for _, b := range c.When {
		if b.Row != c.Row {
			rows = append(rows, b.Row)
		}
	}
	return rows
}

// copies writes what each With method must return, and what each factory must that takes more than
// shows.
func (w *testWriter) copies(c *model.Category) {
	first := sample.Base(c.Codes[0])
	w.test(c.Type, "Copies")
	w.f("original := %s\n", w.made(first))
	w.f("#CheckCopies(t, original, &%s, []#Copy[*%s]{\n", w.literal(first), c.Type)
	for i, f := range c.Fields {
		if f.Required {
			continue
		}
		for _, v := range givenValues(f, i, first) {
			w.f("{original.With%s(%s), &%s},\n", f.Go, w.value(f, v), w.literal(first.With(f, asKept(f, v))))
		}
	}
	caused := first
	caused.Caused = true
	w.f("{original.WithCause(#Cause), &%s},\n", w.literal(caused))
	for _, code := range c.Codes {
		if hides(code) {
			base := sample.Base(code)
			w.f("{%s, &%s},\n", w.made(base), w.literal(base))
		}
	}
	w.f("})\n}\n")
}

// givenValues are a value of f that is not in the original, and those of which an error keeps only
// what exists.
func givenValues(f *model.Field, index int, original sample.Case) []model.Value {
	value := sample.Value(f, index)
	if held, ok := original.Context[f]; ok {
		value = sample.Other(f, held)
	}
	values := []model.Value{value}
	if f.Type == model.EnumType || f.Type == model.ObjectType {
		values = append(values, sample.Variants(f)...)
	}
	return values
}

// hides reports whether a factory gives an error a value that its context does not show.
func hides(c *model.Code) bool {
	for _, f := range c.Category.Fields {
		if _, fixed := c.Fixed(f); (fixed || c.Takes(f)) && (f.Sensitive || f.MessageOnly || f.Const != "") {
			return true
		}
	}
	return false
}

// asKept returns a value as an error keeps it: without words that do not exist.
func asKept(f *model.Field, v model.Value) model.Value {
	switch {
	case f.Sensitive:
		return v
	case f.Type == model.EnumType && v.Str == "":
		v.Index = 0
	case f.Type == model.ObjectType:
		ctx := model.Context{}
		for part, value := range v.Object {
			if value = asKept(part, value); part.Required || part.Type != model.EnumType || value.Index != 0 {
				ctx[part] = value
			}
		}
		v.Object = ctx
	}
	return v
}

// feedback writes what the provider is told of errors whose codes have words of their own for it.
func (w *testWriter) feedback(c *model.Category) {
	var told []sample.Case
	for _, code := range c.Codes {
		if code.Feedback != nil {
			told = append(told, sample.Texts(code)...)
		}
	}
	if len(told) == 0 {
		return
	}
	w.test(c.Type, "Feedback")
	w.f("for _, c := range []struct {\nerr  *%s\ntext string\n}{\n", c.Type)
	for _, e := range told {
		w.f("{%s, %s},\n", w.made(e), w.str(e.Feedback()))
	}
	w.f("{&%s{}, \"\"},\n", c.Type)
	w.f("} {\n%s(t, \"> \"+c.text, string(c.err.AppendFeedback([]byte(\"> \"))))\n}\n}\n", w.use(pkgAssert, "Equal"))
}
