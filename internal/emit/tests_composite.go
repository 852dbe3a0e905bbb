package emit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
)

// fieldList collects the fields of a struct literal as text; zero values are left out.
type fieldList struct {
	w      *testWriter
	fields []string
}

func (w *testWriter) structOf() *fieldList { return &fieldList{w: w} }

func (l *fieldList) add(name, value string) {
	l.fields = append(l.fields, name+": "+value)
}

func (l *fieldList) text(name, s string) {
	if s != "" {
		l.add(name, l.w.str(s))
	}
}

func (l *fieldList) number(name string, n int) {
	if n != 0 {
		l.add(name, strconv.Itoa(n))
	}
}

func (l *fieldList) float(name string, x float64) {
	if x != 0 {
		l.add(name, floatText(x))
	}
}

func (l *fieldList) duration(name string, d time.Duration) {
	if d != 0 {
		l.add(name, l.w.duration(d))
	}
}

func (l *fieldList) flag(name string, v bool) {
	if v {
		l.add(name, "true")
	}
}

func (l *fieldList) constant(name, constant string) {
	if constant != "" {
		l.add(name, l.w.use(pkgTaxonomy, constant))
	}
}

// list adds a slice of one of the runtime's types.
func (l *fieldList) list(name, typ string, elements []string) {
	if len(elements) > 0 {
		l.add(name, l.w.runtimeList(typ, elements))
	}
}

func (l *fieldList) inLine() string { return "{" + strings.Join(l.fields, ", ") + "}" }

// of returns the literal of one of the runtime's types.
func (l *fieldList) of(typ string) string { return l.w.use(pkgTaxonomy, typ) + l.inLine() }

// runtimeList returns a slice of one of the runtime's types; of pointers, if typ begins with an
// asterisk.
func (w *testWriter) runtimeList(typ string, elements []string) string {
	if len(elements) == 0 {
		return "nil"
	}
	pointer, name := "", typ
	if typ[0] == '*' {
		pointer, name = "*", typ[1:]
	}
	text := "[]" + pointer + w.use(pkgTaxonomy, name) + "{"
	if len(elements) == 1 {
		return text + elements[0] + "}"
	}
	return text + "\n" + strings.Join(elements, ",\n") + ",\n}"
}

func (w *testWriter) codeLiteral(c *model.Code) string {
	l := w.structOf()
	l.text("Value", c.Value)
	l.text("Doc", c.Doc)
	l.text("Resolution", c.Resolution)
	l.text("Message", c.MessageText)
	l.text("Since", c.Since)
	l.text("Deprecated", c.Deprecated)
	if c.ReplacedBy != nil {
		l.text("ReplacedBy", c.ReplacedBy.Value)
	}
	var groups uint64
	for _, g := range c.Groups {
		groups |= 1 << g.Bit
	}
	if groups != 0 {
		l.add("Groups", fmt.Sprintf("0b%b", groups))
	}
	l.number("Number", c.Number)
	l.number("Row", c.Row.Index)
	if rows := codeRows(c); len(rows) > 1 {
		l.number("Branches", rows[1].Index)
	}
	l.number("Category", c.Category.Index)
	l.pointed("Prevent", "Prevention", w.prevention(c.Prevent))
	return l.of("Code")
}

func (w *testWriter) categoryLiteral(c *model.Category) string {
	l := w.structOf()
	l.text("Name", c.Name)
	l.text("Type", c.Type)
	l.text("Doc", c.Doc)
	l.list("Fields", "Field", w.fieldLiterals(c.Fields))
	l.text("JSONHead", jsonHead(w.m, c))
	if len(c.Codes) > 0 {
		l.number("First", c.Codes[0].Index)
	}
	l.number("Count", len(c.Codes))
	return l.of("Category")
}

func (w *testWriter) fieldLiterals(fields []*model.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		l := w.structOf()
		l.text("Name", f.Wire)
		l.text("Doc", f.Doc)
		l.text("Type", f.Type.String())
		if f.Type == model.EnumType {
			l.add("Enum", w.list(f.Enum.Words()))
		}
		if f.Type == model.ObjectType {
			l.list("Fields", "Field", w.fieldLiterals(f.Object.Fields))
		}
		l.number("MaxLength", f.MaxLength)
		l.flag("Required", f.Required)
		l.flag("Sensitive", f.Sensitive)
		l.flag("Scrub", f.Scrub)
		l.flag("MessageOnly", f.MessageOnly)
		out[i] = l.inLine()
	}
	return out
}

// rowLiteral returns a row with the names of its reactions, in the table and in each profile.
func (w *testWriter) rowLiteral(r *model.Row) string {
	names := r.Reaction.Name
	for _, p := range w.m.Profiles {
		t := p.Traits(r)
		names += ", " + t.Reaction.Name + changes(r.Traits, t)
	}
	return fmt.Sprintf("{%d, %t, %s, %s, %s, %d, %d, %s}", r.Index, r.Retryable,
		w.constant(recoverabilityNames, int(r.Recoverability), "Permanent"),
		w.constant(severityNames, int(r.Severity), "SeverityNone"),
		w.constant(kindNames, int(r.Kind), "KindNone"),
		r.HTTP, r.GRPC, w.str(names))
}

// constant names one of the runtime's constants, which is zero when it has no name in the list.
func (w *testWriter) constant(names []string, i int, zero string) string {
	if i < len(names) && names[i] != "" {
		return w.use(pkgTaxonomy, names[i])
	}
	return w.use(pkgTaxonomy, zero)
}

// changes says what a profile changes of a row besides its reaction, as the checker words it.
func changes(base, t model.Traits) string {
	var out string
	for _, d := range []struct {
		name      string
		got, base any
	}{
		{"retryable", t.Retryable, base.Retryable},
		{"recoverability", t.Recoverability, base.Recoverability},
		{"severity", t.Severity, base.Severity},
		{"kind", t.Kind, base.Kind},
		{"http", t.HTTP, base.HTTP},
		{"grpc", t.GRPC, base.GRPC},
	} {
		if d.got != d.base {
			out += fmt.Sprintf(" %s=%v", d.name, d.got)
		}
	}
	return out
}
