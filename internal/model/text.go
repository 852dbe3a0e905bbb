package model

import (
	"cmp"
	"errors"

	"github.com/errgen/errgen/internal/template"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Template is a message in pieces.
type Template struct {
	Parts []Part
}

// Part is a piece of a template.
type Part = template.Part[*Field]

// Format selects the form in which a placeholder shows its value.
type Format = template.Format

// The formats.
const (
	Plain     Format = ""
	Count     Format = "count" // of a list
	FirstLine Format = "first_line"
	Seconds   Format = "seconds" // of a duration
	Quoted    Format = "quoted"
	Millis    Format = "duration" // of a number of milliseconds
)

// Formats returns the names of the formats, sorted.
func Formats() []string {
	return []string{string(Count), string(Millis), string(FirstLine), string(Quoted), string(Seconds)}
}

// Text returns the template with its values. If cause is empty, the error has no cause. Any other
// value is treated as the text of an error of no taxonomy.
func (t Template) Text(ctx Context, cause string) string {
	var err error
	if cause != "" {
		err = errors.New(cause)
	}
	return string(appendParts(gen.Message(nil), t.Parts, ctx, err).Bytes())
}

// appendParts makes the calls of the builder that generated code makes.
func appendParts(m gen.MessageBuilder, parts []Part, ctx Context, cause error) gen.MessageBuilder {
	for _, p := range parts {
		switch {
		case p.Group != nil:
			m = appendParts(m.Begin(""), p.Group, ctx, cause).End("")
		case p.Cause && p.Format == FirstLine:
			m = m.CauseLine(cause)
		case p.Cause && p.Format == Quoted:
			m = m.CauseQuoted(cause)
		case p.Cause:
			m = m.Cause(cause)
		case p.Field != nil:
			v, ok := ctx.Get(p.Field)
			m = appendValue(m, p, v, ok)
		default:
			m = m.Text(p.Text)
		}
	}
	return m
}

// appendValue makes the call for a placeholder, whose value may be absent.
func appendValue(m gen.MessageBuilder, p Part, v Value, ok bool) gen.MessageBuilder {
	clean := p.Field.clean()
	switch p.Field.Type {
	case String, EnumType:
		switch p.Format {
		case FirstLine:
			return m.Line(v.Str, clean)
		case Quoted:
			return m.Quoted(v.Str, clean)
		}
		return m.Clean(v.Str, clean)
	case Strings:
		if p.Format != Count {
			return m.Strings(v.Strings, clean)
		}
		return m.Count(len(v.Strings))
	case Objects, Violations:
		return m.Count(len(v.Objects))
	case JSON:
		return m.JSON([]byte(cmp.Or(v.Str, "null")))
	case Uint64:
		return m.Uint64(gen.SomeIf(ok, v.Uint))
	case Float64:
		return m.Float64(gen.SomeIf(ok, v.Float))
	case Bool:
		return m.Bool(gen.SomeIf(ok, v.Bool))
	case Time:
		return m.Time(gen.SomeIf(ok, v.Time))
	case Duration:
		if p.Format == Seconds {
			return m.Seconds(gen.SomeIf(ok, v.Duration))
		}
		return m.Duration(gen.SomeIf(ok, v.Duration))
	}
	if p.Format == Millis {
		return m.Millis(gen.SomeIf(ok, v.Int))
	}
	return m.Int64(gen.SomeIf(ok, v.Int))
}
