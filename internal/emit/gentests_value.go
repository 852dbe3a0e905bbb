package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// test begins a test function.
func (d *testData) test(name string, body ...jen.Code) jen.Code {
	return jen.Func().Id(d.free(name)).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(body...)
}

// rows returns the elements of a list in braces, each on a line unless there is only one.
func rows(items []jen.Code) jen.Code {
	if len(items) == 1 {
		return jen.Values(items...)
	}
	return onLines(items...)
}

// texts returns strings in braces: on one line if they are short or there is only one, otherwise
// each on a line.
func texts(items []string) jen.Code {
	const short = 80
	literals := codes(items, longText)
	if len(strings.Join(items, `", "`)) <= short {
		return jen.Values(literals...)
	}
	return rows(literals)
}

// longRun is the minimum number of equal characters that become a call of strings.Repeat.
const longRun = 48

// longText returns s as a literal, with calls of strings.Repeat for long runs of one character.
func longText(s string) *jen.Statement {
	from, to := run(s)
	if to-from < longRun {
		return str(s)
	}
	text := jen.Qual("strings", "Repeat").Call(jen.Lit(s[from:from+1]), jen.Lit(to-from))
	if from > 0 {
		text = longText(s[:from]).Op("+").Add(text)
	}
	if to < len(s) {
		text.Op("+").Add(longText(s[to:]))
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
func (d *testData) value(f *model.Field, v model.Value) *jen.Statement {
	switch {
	case f.Type == model.String:
		return longText(v.Str)
	case isNil(f, v):
		return jen.Nil()
	case f.Type == model.Strings && len(v.Strings) > 0:
		return jen.Id(d.pkg).Dot("Strings").Call(codes(v.Strings, longText)...)
	case f.Type == model.JSON:
		return jen.Id(d.pkg).Dot("JSON").Call(longText(v.Str))
	case f.Type == model.ObjectType:
		return d.object(f, v.Object)
	case f.Type.IsObjects() && len(v.Objects) == 0:
		return valueType(f).Values()
	case f.Type.IsObjects():
		items := codes(v.Objects, func(ctx model.Context) jen.Code { return d.object(f, ctx) })
		return gentestName("Objects").Call(append([]jen.Code{addressOf(d.pkg)}, items...)...)
	case f.Type == model.EnumType && v.Index <= 0:
		return jen.Id(f.Enum.Type).Call(jen.Lit(-v.Index))
	}
	return constant(f, v).code()
}

// isNil reports whether v is a nil list or nil JSON.
func isNil(f *model.Field, v model.Value) bool {
	return f.Type == model.Strings && v.Strings == nil || f.Type == model.JSON && v.Str == "" ||
		f.Type.IsObjects() && v.Objects == nil
}

// object returns a struct literal, without the fields that have no value.
func (d *testData) object(f *model.Field, ctx model.Context) *jen.Statement {
	var fields []jen.Code
	for _, part := range f.Object.Fields {
		v, ok := ctx[part]
		if !ok || isNil(part, v) || part.Type == model.EnumType && v.Index == 0 {
			continue
		}
		value := d.value(part, v)
		switch {
		case !part.Sensitive && !part.Optional():
		case part.Type == model.Int64 || part.Type == model.Uint64 || part.Type == model.Duration:
			value = wrapped(part, typed(part, constant(part, v)).code())
		default:
			value = wrapped(part, value)
		}
		fields = append(fields, keyed(part.Go, value))
	}
	return itemType(f).Values(fields...)
}
