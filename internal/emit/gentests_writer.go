package emit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// testWriter writes a test file.
type testWriter struct {
	*testData
	bytes.Buffer
}

func (w *testWriter) f(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// test begins a test function.
func (w *testWriter) test(name string) { w.f("\nfunc %s(t *testing.T) {\n", w.free(name)) }

// list returns items in braces: in one line if it is short or has one item, otherwise with a line
// for each item.
func list(items []string) string {
	const short = 80
	if line := strings.Join(items, ", "); len(items) == 1 || len(line) <= short {
		return "{" + line + "}"
	}
	return "{\n" + strings.Join(items, ",\n") + ",\n}"
}

// longRun is the minimum number of equal characters that become a call of strings.Repeat.
const longRun = 48

// str returns s as an argument of a call: a literal, with calls of strings.Repeat for long runs of
// one character.
func str(s string) string { return joined(s, "+") }

// element is str for an element of a composite literal, where gofmt puts spaces around operators.
func element(s string) string { return joined(s, " + ") }

func joined(s, operator string) string {
	from, to := run(s)
	if to-from < longRun {
		return quote(s)
	}
	text := fmt.Sprintf("strings.Repeat(%q, %d)", s[from:from+1], to-from)
	if from > 0 {
		text = joined(s[:from], operator) + operator + text
	}
	if to < len(s) {
		text += operator + joined(s[to:], operator)
	}
	return text
}

// run returns the longest run of one ASCII character in s.
func run(s string) (from, to int) {
	start := 0
	for i := range len(s) + 1 {
		if i < len(s) && s[i] == s[start] && s[i] < 0x80 {
			continue
		}
		if i-start > to-from {
			from, to = start, i
		}
		start = i
	}
	return from, to
}

// value returns v as an expression that can be passed for a parameter of f's type, or that can be
// an element of a composite literal. The test overwrites lists later.
func (w *testWriter) value(f *model.Field, v model.Value, isElement bool) string {
	text := str
	if isElement {
		text = element
	}
	switch {
	case f.Type == model.String:
		return text(v.Str)
	case f.Type == model.Strings && v.Strings == nil, f.Type == model.JSON && v.Str == "":
		return "nil"
	case f.Type == model.Strings && len(v.Strings) > 0:
		if len(v.Strings) > 1 {
			text = str
		}
		return w.pkg + ".Strings(" + strings.Join(eachText(v.Strings, text), ", ") + ")"
	case f.Type == model.JSON:
		return w.pkg + ".JSON(" + text(v.Str) + ")"
	case f.Type == model.ObjectType:
		return w.object(f, v.Object)
	case f.Type.IsObjects() && v.Objects == nil:
		return "nil"
	case f.Type.IsObjects() && len(v.Objects) == 0:
		return valueType(f) + "{}"
	case f.Type.IsObjects():
		items := eachText(v.Objects, func(ctx model.Context) string { return w.object(f, ctx) })
		return "gentest.Objects(&" + w.pkg + ", " + strings.Join(items, ", ") + ")"
	case f.Type == model.EnumType && v.Index <= 0:
		return fmt.Sprintf("%s(%d)", f.Enum.Type, -v.Index)
	case f.Type == model.Duration && !isElement:
		return strings.ReplaceAll(constant(f, v), " * ", "*")
	}
	return constant(f, v)
}

// object returns a struct literal, without the fields that have no value.
func (w *testWriter) object(f *model.Field, ctx model.Context) string {
	var fields []string
	for _, part := range f.Object.Fields {
		v, ok := ctx[part]
		value := w.value(part, v, true)
		if !ok || value == "nil" || part.Type == model.EnumType && v.Index == 0 {
			continue
		}
		if part.Sensitive || part.Optional() {
			value = wrap(part, typed(part, value))
		}
		fields = append(fields, part.Go+": "+value)
	}
	return itemType(f) + "{" + strings.Join(fields, ", ") + "}"
}
