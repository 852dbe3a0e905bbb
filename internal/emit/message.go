package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// messageMethod makes the method that appends the message of an error's code.
func messageMethod(c *model.Category) jen.Code {
	return jen.Add(note("AppendMessage appends the message.")).
		Add(method(c, "AppendMessage")).Params(jen.Id("dst").Index().Byte()).Index().Byte().Block(
		jen.Id("m").Op(":=").Qual(pkgGen, "Message").Call(jen.Id("dst")),
		jen.Switch(jen.Id("e").Dot("Code").Call()).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if code.Own == nil && !code.Abstract {
					g.Case(jen.Id(code.Const)).Block(messageParts(code.Message)...)
				}
			}
			g.Default().Block(jen.Id("m").Op("=").Id("m").Dot("NoCode").Call(jen.Lit(c.Name)))
		}),
		jen.Return(jen.Id("m").Dot("Bytes").Call()),
	)
}

// feedbackMethod makes the method that appends what a code says to the provider in its own words.
func feedbackMethod(c *model.Category) jen.Code {
	feeds := func(code *model.Code) bool { return code.Feedback != nil && code.ErrorType() == c }
	if !slices.ContainsFunc(c.Codes, feeds) {
		return nil
	}
	return jen.Add(
		comment("AppendFeedback appends the text for the provider's next prompt, if the code declares one.")).
		Add(method(c, "AppendFeedback")).Params(jen.Id("dst").Index().Byte()).Index().Byte().Block(
		jen.Id("m").Op(":=").Qual(pkgGen, "Message").Call(jen.Id("dst")),
		jen.Switch(jen.Id("e").Dot("Code").Call()).BlockFunc(func(g *jen.Group) {
			for _, code := range c.Codes {
				if feeds(code) {
					g.Case(jen.Id(code.Const)).Block(messageParts(*code.Feedback)...)
				}
			}
		}),
		jen.Return(jen.Id("m").Dot("Bytes").Call()),
	)
}

// messageParts makes the statements that build a message.
func messageParts(t model.Template) []jen.Code {
	return each(messageCalls(t), func(calls *jen.Statement) jen.Code {
		return jen.Id("m").Op("=").Id("m").Add(calls)
	})
}

// messageCalls makes the calls that build a message: as many to a statement as fit on a line.
func messageCalls(t model.Template) []*jen.Statement {
	var out []*jen.Statement
	var s *jen.Statement
	width := 2 * lineWidth
	for i, p := range t.Parts {
		w := partWidth(p)
		if width += w; width > lineWidth {
			s = jen.Null()
			out, width = append(out, s), w
		}
		if p.Group != nil {
			messageGroup(s, p.Group, i+1 == len(t.Parts) || t.Parts[i+1].Group != nil)
		} else {
			messagePart(s, p)
		}
	}
	return out
}

// partWidth is about how wide the calls for a part are.
func partWidth(p model.Part) int {
	switch {
	case p.Group != nil:
		w := 0
		for _, part := range p.Group {
			w += partWidth(part)
		}
		return w
	case p.Field != nil:
		return len(".OptString(e.)") + len(p.Field.Go) + len(p.Field.Const)
	}
	return len(`.Text("")`) + len(p.Text)
}

// messageGroup adds the calls for an optional part: its leading and its trailing text go into the
// calls that open and close it. Before another one, and at the end of a message, it closes by
// itself.
func messageGroup(s *jen.Statement, parts []model.Part, endsItself bool) {
	lead, trail := "", ""
	if len(parts) > 0 && isText(parts[0]) {
		lead, parts = parts[0].Text, parts[1:]
	}
	if n := len(parts); n > 0 && isText(parts[n-1]) {
		trail, parts = parts[n-1].Text, parts[:n-1]
	}
	s.Dot("Begin").Call(jen.Lit(lead))
	for _, p := range parts {
		messagePart(s, p)
	}
	if trail != "" || !endsItself {
		s.Dot("End").Call(jen.Lit(trail))
	}
}

func isText(p model.Part) bool { return p.Field == nil && !p.Cause && p.Group == nil }

// messagePart adds the call for a text or a placeholder.
func messagePart(s *jen.Statement, p model.Part) {
	switch {
	case p.Cause:
		s.Dot(causeCall(p.Format)).Call(jen.Id("e").Dot("Unwrap").Call())
	case p.Field == nil:
		s.Dot("Text").Call(jen.Lit(p.Text))
	default:
		name, args := fieldCall(p.Field, p.Format)
		s.Dot(name).Call(args...)
	}
}

func causeCall(format model.Format) string {
	switch format {
	case model.FirstLine:
		return "CauseLine"
	case model.Quoted:
		return "CauseQuoted"
	default:
		return "Cause"
	}
}

// fieldCall returns the builder's method that shows a field in a format, and its arguments.
func fieldCall(f *model.Field, format model.Format) (name string, args []jen.Code) {
	value := jen.Id("e").Dot(f.Go)
	switch f.Type {
	case model.String:
		return textCall(f, value, format)
	case model.EnumType:
		return wordCall(enumWord(f, value), format)
	case model.Strings:
		if format == model.Count {
			return "Count", []jen.Code{jen.Len(value)}
		}
		return "Strings", []jen.Code{value, cleaning(f)}
	case model.JSON:
		return "JSON", []jen.Code{value}
	case model.Objects, model.Violations:
		return "Count", []jen.Code{jen.Len(value)}
	case model.Int64:
		if format == model.Millis {
			return "Millis", []jen.Code{opt(f, value)}
		}
	case model.Duration:
		if format == model.Seconds {
			return "Seconds", []jen.Code{opt(f, value)}
		}
	}
	return typeWord(f), []jen.Code{opt(f, value)}
}

func textCall(f *model.Field, value *jen.Statement, format model.Format) (string, []jen.Code) {
	if f.Optional() {
		value = value.Dot("Or").Call(jen.Lit(""))
	}
	switch {
	case format == model.FirstLine:
		return "Line", []jen.Code{value, cleaning(f)}
	case format == model.Quoted:
		return "Quoted", []jen.Code{value, cleaning(f)}
	case f.Const != "":
		return "Clean", []jen.Code{value, cleaning(f)}
	default:
		return "String", []jen.Code{value}
	}
}

func wordCall(word jen.Code, format model.Format) (string, []jen.Code) {
	if format == model.Quoted {
		return "Quoted", []jen.Code{word, jen.Lit(0)}
	}
	return "String", []jen.Code{word}
}

// cleaning returns how a field's text is shown.
func cleaning(f *model.Field) jen.Code {
	if f.Const == "" {
		return jen.Lit(0)
	}
	return jen.Id(f.Const)
}

// enumWord returns the word of an enum's value; one that is absent has none.
func enumWord(f *model.Field, value *jen.Statement) jen.Code {
	if f.Optional() {
		value = value.Dot("Or").Call(jen.Lit(0))
	}
	return value.Dot("String").Call()
}
