package emit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/errgen/errgen/internal/model"
)

// constant returns v as an expression. A number is an untyped constant, which takes the type of the
// variable that it is compared with or assigned to.
func constant(f *model.Field, v model.Value) string {
	switch f.Type {
	case model.Int, model.Int64:
		return strconv.FormatInt(v.Int, 10)
	case model.Uint64:
		return strconv.FormatUint(v.Uint, 10)
	case model.Float64:
		return float(v.Float)
	case model.Bool:
		return strconv.FormatBool(v.Bool)
	case model.Duration:
		return duration(v.Duration)
	case model.Time:
		return instant(v.Time)
	case model.Strings:
		return "[]string{" + quoted(v.Strings) + "}"
	case model.JSON:
		return "json.RawMessage(" + quote(v.Str) + ")"
	case model.EnumType:
		return f.Enum.Values[v.Index-1].Const
	default:
		return quote(v.Str)
	}
}

// typed returns text, a constant of f's type, as an expression that has the type in any context.
func typed(f *model.Field, text string) string {
	switch {
	case f.Type == model.Int64 || f.Type == model.Uint64:
		return f.Type.String() + "(" + text + ")"
	case f.Type == model.Duration && text == "0":
		return "time.Duration(0)"
	}
	return text
}

// quote returns s as a literal, in back quotes if that avoids escapes.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == '`' || r == unicode.ReplacementChar || r != ' ' && !unicode.IsPrint(r)
	}) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// quoted returns the items of a list of strings.
func quoted(items []string) string { return strings.Join(eachText(items, quote), ", ") }

// float returns x as a floating-point constant.
func float(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// duration returns d in its largest unit: 5 * time.Second.
func duration(d time.Duration) string {
	for _, u := range durationUnits {
		switch {
		case d == u.size:
			return "time." + u.name
		case d != 0 && d%u.size == 0:
			return fmt.Sprintf("%d * time.%s", d/u.size, u.name)
		}
	}
	return "0"
}

var durationUnits = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "Hour"},
	{time.Minute, "Minute"},
	{time.Second, "Second"},
	{time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"},
	{time.Nanosecond, "Nanosecond"},
}

// instant returns t in UTC.
func instant(t time.Time) string {
	if t.IsZero() {
		return "time.Time{}"
	}
	t = t.UTC()
	return fmt.Sprintf("time.Date(%d, time.%s, %d, %d, %d, %d, %d, time.UTC)",
		t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond())
}

// eachText returns the result of text for each item.
func eachText[T any](list []T, text func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = text(item)
	}
	return out
}
