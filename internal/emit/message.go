package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// messageMethod returns the method that appends the message of an error's code.
func messageMethod(c *model.Category) jen.Code {
	return appendMethod(c.Type, "AppendMessage").Add(messageBody(func(g *jen.Group) {
		for _, code := range c.Codes {
			if code.OwnType == nil && !code.Abstract {
				g.Add(messageCase(code, code.Template))
			}
		}
		g.Default().Block(assignments("m", []step{calling("NoCode", jen.Lit(c.Name))})...)
	}))
}

// ownMessage returns the method that appends the message of a code with fields.
func ownMessage(c *model.Category) jen.Code {
	coded := call{"Coded", []jen.Code{jen.Id("dst"), jen.Uint16().Call(errorCode()), jen.Lit(c.Name)}}
	return appendMethod(c.Type, "AppendMessage").
		Add(builderBody("m", newMessage(), messageSteps(c.Codes[0].Template), coded))
}

// feedbackMethod returns the method that appends the text of codes for the provider. It returns nil
// if no code has one.
func feedbackMethod(c *model.Category) jen.Code {
	var cases []jen.Code
	for _, code := range c.Codes {
		if code.Feedback != nil && code.ErrorType() == c {
			cases = append(cases, messageCase(code, *code.Feedback))
		}
	}
	if len(cases) == 0 {
		return nil
	}
	return documented("AppendFeedback appends the text for the provider's next prompt, if the code declares one.",
		appendMethod(c.Type, "AppendFeedback").Add(messageBody(func(g *jen.Group) {
			for _, c := range cases {
				g.Add(c)
			}
		})))
}

func newMessage() *jen.Statement { return genName("Message").Call(jen.Id("dst")) }

// errorCode returns the code of the receiver.
func errorCode() *jen.Statement { return jen.Id("e").Dot("Code").Call() }

// messageBody returns the body of a function that builds the message of a code.
func messageBody(cases func(*jen.Group)) jen.Code {
	return jen.Block(
		jen.Id("m").Op(":=").Add(newMessage()),
		jen.Switch(errorCode()).BlockFunc(cases),
		jen.Return(jen.Id("m").Dot("Bytes").Call()))
}

// messageCase returns the statements that build a code's message.
func messageCase(c *model.Code, t model.Template) jen.Code {
	return jen.Case(jen.Id(c.Const)).Block(assignments("m", messageSteps(t))...)
}

// messageSteps returns the calls that build a message.
func messageSteps(t model.Template) []step {
	var out []step
	for i, p := range t.Parts {
		if p.Group != nil {
			out = append(out, messageGroup(p.Group, i+1 == len(t.Parts) || t.Parts[i+1].Group != nil))
		} else {
			out = append(out, messagePart(p))
		}
	}
	return out
}

// messageGroup returns the calls for an optional part. The calls that open and close the part take
// its leading and trailing text. If endsItself, the next call closes the part.
func messageGroup(parts []model.Part, endsItself bool) step {
	isText := func(p model.Part) bool { return p.Field == nil && !p.Cause && p.Group == nil }
	lead, trail := "", ""
	if len(parts) > 0 && isText(parts[0]) {
		lead, parts = parts[0].Text, parts[1:]
	}
	if n := len(parts); n > 0 && isText(parts[n-1]) {
		trail, parts = parts[n-1].Text, parts[:n-1]
	}
	group := calling("Begin", jen.Lit(lead))
	for _, p := range parts {
		group.calls = append(group.calls, messagePart(p).calls...)
	}
	if trail != "" || !endsItself {
		group.calls = append(group.calls, call{"End", []jen.Code{jen.Lit(trail)}})
	}
	return group
}

// messagePart returns the call for a text or a placeholder.
func messagePart(p model.Part) step {
	cause := jen.Id("e").Dot("Unwrap").Call()
	switch {
	case p.Cause && p.Format == model.FirstLine:
		return calling("CauseLine", cause)
	case p.Cause && p.Format == model.Quoted:
		return calling("CauseQuoted", cause)
	case p.Cause:
		return calling("Cause", cause)
	case p.Field == nil:
		return calling("Text", jen.Lit(p.Text))
	}
	f := p.Field
	value := jen.Id("e").Dot(f.Go)
	switch {
	case f.Type == model.String:
		return textCall(f, value, p.Format)
	case f.Type == model.EnumType && p.Format == model.Quoted:
		return calling("Quoted", enumWord(f, value), jen.Lit(0))
	case f.Type == model.EnumType:
		return calling("String", enumWord(f, value))
	case f.Type == model.Strings && p.Format != model.Count:
		return calling("Strings", value, cleaning(f))
	case slices.Contains([]model.Type{model.Strings, model.Objects, model.Violations}, f.Type):
		return calling("Count", jen.Len(value))
	case f.Type == model.JSON:
		return calling("JSON", value)
	case f.Type == model.Int64 && p.Format == model.Millis:
		return calling("Millis", opt(f, value))
	case f.Type == model.Duration && p.Format == model.Seconds:
		return calling("Seconds", opt(f, value))
	}
	return calling(typeWord(f), opt(f, value))
}

func textCall(f *model.Field, value *jen.Statement, format model.Format) step {
	if f.Optional() {
		value.Dot("Or").Call(jen.Lit(""))
	}
	switch {
	case format == model.FirstLine:
		return calling("Line", value, cleaning(f))
	case format == model.Quoted:
		return calling("Quoted", value, cleaning(f))
	case f.Const != "":
		return calling("Clean", value, cleaning(f))
	default:
		return calling("String", value)
	}
}
