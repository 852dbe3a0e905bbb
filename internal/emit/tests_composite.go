package emit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
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
	return w.runtimeValue(w.tables().code(c))
}

func (w *testWriter) categoryLiteral(c *model.Category) string {
	return w.runtimeValue(taxonomy.Category{Name: c.Name, Type: c.Type, Doc: c.Doc, Fields: tableFields(c.Fields)})
}

func (w *testWriter) tables() *tables {
	if w.cached == nil {
		w.cached = tablesOf(w.m)
	}
	return w.cached
}

// runtimeValue returns a value of one of the runtime's types as an expression.
func (w *testWriter) runtimeValue(v any) string {
	l := w.tables().literals()
	text := l.of(v)
	w.use(pkgTaxonomy, "")
	for path := range l.packages {
		w.imports[path] = true
	}
	return text
}

// rowLiteral returns a row with the names of its reactions, in the table and in each profile.
func (w *testWriter) rowLiteral(r *model.Row) string {
	names := r.Reaction.Name
	for _, p := range w.m.Profiles {
		t := p.Traits(r)
		names += ", " + t.Reaction.Name + changes(r.Traits, t)
	}
	return fmt.Sprintf("{%d, %t, %s, %s, %s, %d, %d, %s}", rowOf(r), r.Retryable,
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
