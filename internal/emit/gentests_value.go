package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/errgen/errgen/internal/model"
)

// longRun is the least number of equal characters that a literal counts instead of repeating them.
const longRun = 48

// str returns s as a readable Go expression: in back quotes where that spares escapes, and with
// long runs of one character counted.
func (w *testWriter) str(s string) string {
	from, to := run(s)
	if to-from < longRun {
		return quote(s)
	}
	parts := []string{
		w.str(s[:from]),
		fmt.Sprintf("%s(%q, %d)", w.use(pkgStrings, "Repeat"), s[from:from+1], to-from),
		w.str(s[to:]),
	}
	if from == 0 {
		parts = parts[1:]
	}
	if to == len(s) {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, "+")
}

// run returns the longest run of one ASCII character in s.
func run(s string) (from, to int) {
	if len(s) < longRun {
		return 0, 0
	}
	start := 0
	for i := 1; i <= len(s); i++ {
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

func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '`' || r == unicode.ReplacementChar || r != ' ' && !unicode.IsPrint(r)
	}) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// value returns v as an expression that can be passed for a parameter of f's type.
func (w *testWriter) value(f *model.Field, v model.Value) string {
	switch f.Type {
	case model.Int, model.Int64:
		return strconv.FormatInt(v.Int, 10)
	case model.Uint64:
		return strconv.FormatUint(v.Uint, 10)
	case model.Float64:
		return floatText(v.Float)
	case model.Bool:
		return strconv.FormatBool(v.Bool)
	case model.Duration:
		return w.duration(v.Duration)
	case model.Time:
		return w.instant(v.Time)
	case model.Strings:
		if len(v.Strings) > 0 {
			return w.pkg + ".Strings(" + w.words(v.Strings) + ")"
		}
		return w.strings(v.Strings)
	case model.JSON:
		if v.Str == "" {
			return "nil"
		}
		return w.pkg + ".JSON(" + w.str(v.Str) + ")"
	case model.ObjectType:
		return w.object(f.Object.Type, f.Object, v.Object)
	case model.Objects, model.Violations:
		return w.objects(f, v.Objects)
	case model.EnumType:
		if v.Index <= 0 {
			return fmt.Sprintf("%s(%d)", f.Enum.Type, -v.Index)
		}
		return f.Enum.Values[v.Index-1].Const
	default:
		return w.str(v.Str)
	}
}

// typed returns v as an expression of f's type in every place.
func (w *testWriter) typed(f *model.Field, v model.Value) string {
	switch f.Type {
	case model.Int64, model.Uint64, model.Float64:
		return f.Type.String() + "(" + w.value(f, v) + ")"
	case model.Duration:
		if v.Duration == 0 {
			return w.use(pkgTime, "Duration") + "(0)"
		}
	}
	return w.value(f, v)
}

// objects returns a list of objects.
func (w *testWriter) objects(f *model.Field, list []model.Context) string {
	typ := f.Object.Type
	if f.Type == model.Violations {
		typ = w.use(pkgTaxonomy, "Violation")
	}
	items := eachText(list, func(ctx model.Context) string { return w.object(typ, f.Object, ctx) })
	switch {
	case list == nil:
		return "nil"
	case len(list) == 0:
		return "[]" + typ + "{}"
	}
	return w.use(pkgGentest, "Objects") + "(&" + w.pkg + ", " + strings.Join(items, ", ") + ")"
}

// object returns a struct literal, without the fields that have no value.
func (w *testWriter) object(typ string, o *model.Object, ctx model.Context) string {
	var fields []string
	for _, f := range o.Fields {
		if value, ok := w.fieldValue(f, ctx); ok {
			fields = append(fields, f.Go+": "+value)
		}
	}
	return typ + "{" + strings.Join(fields, ", ") + "}"
}

// fieldValue returns the expression of the value of a struct's field; false means the zero value.
func (w *testWriter) fieldValue(f *model.Field, ctx model.Context) (string, bool) {
	v, ok := ctx[f]
	switch {
	case !ok, f.Type == model.EnumType && v.Index == 0, f.Type == model.JSON && v.Str == "":
		return "", false
	case f.Sensitive:
		return w.use(pkgTaxonomy, "SecretOf") + "(" + w.typed(f, v) + ")", true
	case f.Optional():
		return w.use(pkgTaxonomy, "Some") + "(" + w.typed(f, v) + ")", true
	case f.Type == model.Strings && v.Strings == nil, f.Type.IsObjects() && v.Objects == nil:
		return "", false
	}
	return w.value(f, v), true
}

// strings returns a list as an expression.
func (w *testWriter) strings(items []string) string {
	if items == nil {
		return "nil"
	}
	return "[]string{" + w.words(items) + "}"
}

func (w *testWriter) words(items []string) string { return strings.Join(eachText(items, w.str), ", ") }

func floatText(x float64) string {
	switch {
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
}

func (w *testWriter) duration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range durationUnits {
		switch {
		case d == u.size:
			return w.use(pkgTime, u.name)
		case d%u.size == 0:
			return fmt.Sprintf("%d*%s", d/u.size, w.use(pkgTime, u.name))
		}
	}
	return "0"
}

func (w *testWriter) instant(t time.Time) string {
	if t.IsZero() {
		return w.use(pkgTime, "Time") + "{}"
	}
	t = t.UTC()
	return fmt.Sprintf("%s(%d, %d, %d, %d, %d, %d, %d, time.UTC)", w.use(pkgTime, "Date"),
		t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond())
}
