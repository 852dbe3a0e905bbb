package emit

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// literal is a value of a table as Go source. Its parts are names of packages and expressions that
// jennifer renders.
type literal struct {
	text  []byte
	parts []part // by place
}

// part is the code that is rendered in place of n bytes of a literal's text.
type part struct {
	at, n int
	code  jen.Code
}

// raw returns text that uses no package.
func raw(text string) literal { return literal{text: []byte(text)} }

// qualified returns a name of a package.
func qualified(importPath, name string) literal {
	text := path.Base(importPath) + "." + name
	return literal{text: []byte(text), parts: []part{{n: len(text), code: jen.Qual(importPath, name)}}}
}

// expression returns an expression as a literal. Its width counts as that of text.
func expression(code jen.Code, text string) literal {
	return literal{text: []byte(text), parts: []part{{n: len(text), code: code}}}
}

// add appends literals.
func (l *literal) add(more ...literal) {
	for _, m := range more {
		for _, p := range m.parts {
			p.at += len(l.text)
			l.parts = append(l.parts, p)
		}
		l.text = append(l.text, m.text...)
	}
}

func (l *literal) write(text string) { l.text = append(l.text, text...) }

// code returns the literal for jennifer.
func (l literal) code() *jen.Statement {
	s := &jen.Statement{}
	from := 0
	for _, p := range l.parts {
		if p.at > from {
			s.Id(string(l.text[from:p.at]))
		}
		s.Add(p.code)
		from = p.at + p.n
	}
	if from < len(l.text) {
		s.Id(string(l.text[from:]))
	}
	return s
}

// concat returns literals one after the other.
func concat(parts ...literal) literal {
	var l literal
	l.add(parts...)
	return l
}

// constant returns v as an expression. A number is an untyped constant, which takes the type of the
// variable that it is compared with or assigned to.
func constant(f *model.Field, v model.Value) literal {
	switch f.Type {
	case model.Int, model.Int64:
		return raw(strconv.FormatInt(v.Int, 10))
	case model.Uint64:
		return raw(strconv.FormatUint(v.Uint, 10))
	case model.Float64:
		return raw(float(v.Float))
	case model.Bool:
		return raw(strconv.FormatBool(v.Bool))
	case model.Duration:
		return duration(v.Duration)
	case model.Time:
		return instant(v.Time)
	case model.Strings:
		return raw("[]string{" + quoted(v.Strings) + "}")
	case model.JSON:
		return concat(qualified("encoding/json", "RawMessage"), raw("("+quote(v.Str)+")"))
	case model.EnumType:
		return raw(f.Enum.Values[v.Index-1].Const)
	default:
		return raw(quote(v.Str))
	}
}

// typed returns a constant of f's type as an expression that has the type in any context.
func typed(f *model.Field, value literal) literal {
	switch {
	case f.Type == model.Int64 || f.Type == model.Uint64:
		return concat(raw(f.Type.String()+"("), value, raw(")"))
	case f.Type == model.Duration && string(value.text) == "0":
		return concat(qualified("time", "Duration"), raw("(0)"))
	}
	return value
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
func quoted(items []string) string { return strings.Join(each(items, quote), ", ") }

// float returns x as a floating-point constant.
func float(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// duration returns d in its largest unit: 5 * time.Second.
func duration(d time.Duration) literal {
	for _, u := range durationUnits {
		switch {
		case d == u.size:
			return qualified("time", u.name)
		case d != 0 && d%u.size == 0:
			return concat(raw(strconv.FormatInt(int64(d/u.size), 10)+" * "), qualified("time", u.name))
		}
	}
	return raw("0")
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
func instant(t time.Time) literal {
	if t.IsZero() {
		return concat(qualified("time", "Time"), raw("{}"))
	}
	t = t.UTC()
	return concat(qualified("time", "Date"), raw(fmt.Sprintf("(%d, ", t.Year())),
		qualified("time", t.Month().String()), raw(fmt.Sprintf(", %d, %d, %d, %d, %d, ",
			t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond())), qualified("time", "UTC"), raw(")"))
}
