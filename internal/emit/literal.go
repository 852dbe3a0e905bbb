package emit

import (
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// literal returns v as an expression of its own type, wherever it stands.
func literal(f *model.Field, v model.Value) jen.Code {
	switch {
	case f.Type == model.Int64:
		return jen.Int64().Call(number(v.Int))
	case f.Type == model.Uint64:
		return jen.Uint64().Call(unsigned(v.Uint))
	case f.Type == model.Duration && v.Duration == 0:
		return jen.Qual(pkgTime, "Duration").Call(jen.Lit(0))
	default:
		return constant(f, v)
	}
}

// constant returns v as an expression that takes the type of what it is compared with or assigned
// to.
func constant(f *model.Field, v model.Value) jen.Code {
	switch f.Type {
	case model.Int, model.Int64:
		return number(v.Int)
	case model.Uint64:
		return unsigned(v.Uint)
	case model.Float64:
		return float(v.Float)
	case model.Bool:
		return jen.Lit(v.Bool)
	case model.Duration:
		return duration(v.Duration)
	case model.Time:
		return instant(v.Time)
	case model.Strings:
		return words(v.Strings)
	case model.JSON:
		return jen.Qual(pkgJSON, "RawMessage").Call(jen.Lit(v.Str))
	case model.EnumType:
		return jen.Id(f.Enum.Values[v.Index-1].Const)
	default:
		return jen.Lit(v.Str)
	}
}

// number returns n as an untyped constant.
func number(n int64) jen.Code { return jen.Op(strconv.FormatInt(n, 10)) }

func unsigned(n uint64) jen.Code { return jen.Op(strconv.FormatUint(n, 10)) }

// float returns x so that it is no integer without its context either.
func float(x float64) jen.Code {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return jen.Op(text)
}

// words returns a list of strings.
func words(list []string) jen.Code {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.Lit(s)
		}
	})
}

// instant returns t in UTC.
func instant(t time.Time) jen.Code {
	t = t.UTC()
	return jen.Qual(pkgTime, "Date").Call(
		jen.Lit(t.Year()), jen.Qual(pkgTime, t.Month().String()), jen.Lit(t.Day()),
		jen.Lit(t.Hour()), jen.Lit(t.Minute()), jen.Lit(t.Second()), jen.Lit(t.Nanosecond()),
		jen.Qual(pkgTime, "UTC"),
	)
}

// duration returns d in its largest unit: 5 * time.Second.
func duration(d time.Duration) jen.Code {
	if d == 0 {
		return jen.Lit(0)
	}
	for _, u := range durationUnits {
		switch {
		case d == u.size:
			return jen.Qual(pkgTime, u.name)
		case d%u.size == 0:
			return jen.Add(number(int64(d/u.size))).Op("*").Qual(pkgTime, u.name)
		}
	}
	return jen.Null()
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

// tag returns the struct tag of a field. A wire name is an identifier or close to one, but whatever
// it holds stays within the tag.
func tag(f *model.Field) jen.Code {
	key := f.Wire
	switch {
	case f.MessageOnly:
		key = "-"
	case !f.Required:
		key += ",omitzero"
	}
	text := "json:" + strconv.Quote(key)
	if strings.Contains(text, "`") {
		return jen.Op(strconv.Quote(text))
	}
	return jen.Op("`" + text + "`")
}
