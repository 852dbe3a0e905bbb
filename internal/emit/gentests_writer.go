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

// list writes a field that is a list, unless the list is empty: in one line if it is short or has
// one item, otherwise with a line for each item.
func (w *testWriter) list(begin string, items []string) {
	const short = 80
	switch line := strings.Join(items, ", "); {
	case len(items) == 0:
	case len(items) == 1 || len(line) <= short:
		w.f("%s%s},\n", begin, line)
	default:
		w.f("%s\n%s,\n},\n", begin, strings.Join(items, ",\n"))
	}
}

// longRun is the minimum number of equal characters that a literal counts instead of repeating.
const longRun = 48

// str returns s as a readable expression: a literal, with long runs of one character counted.
func str(s string) string {
	from, to := run(s)
	if to-from < longRun {
		return quote(s)
	}
	text := fmt.Sprintf("strings.Repeat(%q, %d)", s[from:from+1], to-from)
	if from > 0 {
		text = str(s[:from]) + "+" + text
	}
	if to < len(s) {
		text += "+" + str(s[to:])
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

// value returns v as an expression that can be passed for a parameter of f's type. The test
// overwrites lists later.
func (w *testWriter) value(f *model.Field, v model.Value) string {
	switch {
	case f.Type == model.String:
		return str(v.Str)
	case f.Type == model.Strings && v.Strings == nil, f.Type == model.JSON && v.Str == "":
		return "nil"
	case f.Type == model.Strings && len(v.Strings) > 0:
		return w.pkg + ".Strings(" + strings.Join(eachText(v.Strings, str), ", ") + ")"
	case f.Type == model.JSON:
		return w.pkg + ".JSON(" + str(v.Str) + ")"
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
	}
	return constant(f, v)
}

// object returns a struct literal, without the fields that have no value.
func (w *testWriter) object(f *model.Field, ctx model.Context) string {
	var fields []string
	for _, part := range f.Object.Fields {
		v, ok := ctx[part]
		value := w.value(part, v)
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
