package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// maxTemplate bounds the length of a text with placeholders, in bytes.
const maxTemplate = 8 << 10

// templates checks the messages and feedback of codes.
func templates(c *checker) {
	for _, k := range c.codes {
		for _, text := range []spec.Text{k.Message, k.Feedback} {
			if text.Set {
				c.template(k, text)
			}
		}
	}
}

func (c *checker) template(k *code, text spec.Text) {
	if strings.TrimSpace(text.V) == "" {
		c.report("E-value", text.Span, "the text is empty", "write a sentence, or remove the key if it is optional")
		return
	}
	if len(text.V) > maxTemplate {
		c.report("E-value", text.Span, fmt.Sprintf("the text has more than %d bytes", maxTemplate),
			"move the details to doc")
		return
	}
	pieces, faults := resolve.ParseTemplate(text.V)
	for _, f := range faults {
		c.report("E-placeholder", c.within(text, f.Offset, f.Len), f.Msg,
			"write {field}, or [optional text {field}]; double a brace or bracket to show it")
	}
	for _, piece := range pieces {
		if f := k.byName[piece.Name]; piece.Name != "" {
			c.placeholder(k, text, piece)
			if f.Field == nil || !f.Sensitive.V {
				c.alwaysPresent(k, text, piece)
			}
		}
		for _, inner := range piece.Group {
			if inner.Name != "" {
				c.placeholder(k, text, inner)
			}
		}
	}
}

// formatsOf are the types that each format shows.
var formatsOf = map[model.Format][]model.Type{
	model.Count:     {model.Strings, model.Objects, model.Violations},
	model.FirstLine: {model.String},
	model.Seconds:   {model.Duration},
	model.Quoted:    {model.String, model.EnumType},
	model.Millis:    {model.Int64},
}

func (c *checker) placeholder(k *code, text spec.Text, piece model.Part) {
	f, known := k.byName[piece.Name]
	if !known && piece.Name != resolve.CauseName {
		c.report("E-placeholder", c.within(text, piece.Offset+1, len(piece.Name)),
			fmt.Sprintf("category %q has no field %q", k.category.Name.V, piece.Name),
			c.suggest(piece.Name, append(k.fieldNames(), resolve.CauseName), "declare it under fields"))
		return
	}
	at := c.within(text, piece.Offset, piece.Len)
	typ := model.String
	if known {
		typ = f.model.Type
		if f.Sensitive.V {
			c.report("E-sensitive-text", at, f.Name.V+" is sensitive and must not be shown", "remove it from the text",
				seeAlso(f.Sensitive.Span, "declared sensitive here"))
		}
	}
	if k.model.Public && text == k.Message && (!known || !f.model.Public) {
		message, hint := piece.Name+" is internal, and "+k.Name.V+" is public", "give the field audience: public, or "
		if !known {
			message, hint = "the cause may be internal, and "+k.Name.V+" is public", ""
		}
		c.report("E-public-text", at, message, hint+"remove it from the message",
			seeAlso(firstSpan(k.Audience.Span, k.category.Audience.Span, c.t.Audience.Span), "declared public here"))
	}
	format := piece.Format
	formatAt := c.within(text, piece.Offset+len("{")+len(piece.Name)+len(":"), len(format))
	switch {
	case format != model.Plain && formatsOf[format] == nil:
		c.report("E-placeholder", formatAt, fmt.Sprintf("%q is not a format", piece.Format),
			c.suggest(string(format), model.Formats(), "use one of "+strings.Join(model.Formats(), ", ")))
	case format == model.Plain && typ == model.ObjectType:
		c.report("E-placeholder", at, piece.Name+" is an object, which a message cannot show",
			"show fields of the category that are not objects")
	case format == model.Plain && typ.IsObjects():
		c.report("E-placeholder", at, piece.Name+" is a list of objects, which a message cannot show",
			"show how many there are, as in {"+piece.Name+":count}")
	case format != model.Plain && !slices.Contains(formatsOf[format], typ):
		hint := "remove the format"
		if format == model.Millis && slices.Contains([]model.Type{model.Int, model.Uint64, model.Float64}, typ) {
			hint = "declare " + piece.Name + " as int64 (milliseconds), or as duration, which needs no format"
		}
		c.report("E-placeholder", formatAt, fmt.Sprintf("format %q is for %s, and %s is of type %s", piece.Format,
			oneOf(formatsOf[format]), piece.Name, typ), hint)
	}
}

// alwaysPresent finds placeholders outside brackets whose field a factory may leave absent.
func (c *checker) alwaysPresent(k *code, text spec.Text, piece model.Part) {
	at := c.within(text, piece.Offset, piece.Len)
	f, known := k.byName[piece.Name]
	switch {
	case !known && piece.Name == resolve.CauseName:
		c.report("E-optional-placeholder", at, "an error may have no cause", "put it in brackets, as in [: {cause}]")
	case known && !f.Required.V && !k.takes(f) && !k.sets(f.Name.V):
		c.report("E-optional-placeholder", at,
			fmt.Sprintf("%s may be absent when %s is made", f.Name.V, k.model.Factory),
			fmt.Sprintf("put it in brackets, as in [ {%s}], or list it in args", f.Name.V),
			seeAlso(f.Name.Span, "declared optional here"))
	}
}

func oneOf(types []model.Type) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = t.String()
	}
	return strings.Join(words, " or ")
}
