package check

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/template"
)

// templates checks the messages and feedback of codes.
func templates(c *checker) {
	for _, k := range c.m.Codes {
		for _, text := range []spec.Text{k.Decl.Message, k.Decl.Feedback} {
			if text.Set {
				c.template(k, text)
			}
		}
	}
}

func (c *checker) template(k *model.Code, text spec.Text) {
	if strings.TrimSpace(text.V) == "" {
		c.report("E-value", text.Span, "the text is empty", "write a sentence, or remove the key if it is optional")
		return
	}
	pieces, faults := template.Parse[*model.Field](text.V)
	for _, f := range faults {
		c.report("E-placeholder", c.t.Locate(text, f.Offset, f.Len), f.Msg,
			"write {field}, or [optional text {field}]; double a brace or bracket to show it")
	}
	if text == k.Decl.Message && !slices.ContainsFunc(pieces, func(p model.Part) bool { return isShown(k, p) }) {
		c.report("E-value", text.Span, "the message is empty if its fields are",
			"write a part of the message outside of brackets")
	}
	for _, piece := range pieces {
		if piece.Name != "" {
			c.placeholder(k, text, piece)
			c.alwaysPresent(k, text, piece)
		}
		for _, inner := range piece.Group {
			if inner.Name != "" {
				c.placeholder(k, text, inner)
			}
		}
	}
}

// isShown reports whether a piece of a message is never left out. A group is left out if a field in
// it is absent or empty.
func isShown(k *model.Code, piece model.Part) bool {
	if piece.Group == nil {
		return strings.TrimSpace(piece.Text) != "" || piece.Name != ""
	}
	return !slices.ContainsFunc(piece.Group, func(p model.Part) bool {
		f := fieldOf(k, p.Name)
		switch {
		case p.Name == "" || f != nil && gives(k.Decl.Set, f):
			return false
		case f == nil || !f.Required && !k.HasParam(f):
			return true
		}
		return slices.Contains([]model.Type{model.String, model.Strings, model.JSON}, f.Type) || f.Type.IsObjects()
	})
}

// verb is a verb of printf. A percent sign behind a number, as in 5%, does not begin one.
var verb = regexp.MustCompile(`(?:^|[^%0-9])(%[-+#0]*(?:\[\d+\])?\d*(?:\.\d+)?[dfqstvwx])\b`)

// verbs warns of verbs of printf in messages and feedback.
func verbs(c *checker) {
	for _, k := range c.m.Codes {
		for _, text := range []spec.Text{k.Decl.Message, k.Decl.Feedback} {
			if !strings.Contains(text.V, "%") {
				continue // the expression is slow
			}
			if at := verb.FindStringSubmatchIndex(text.V); at != nil {
				c.report("W-message-verb", c.t.Locate(text, at[2], at[3]-at[2]),
					strconv.Quote(text.V[at[2]:at[3]])+" is a verb of printf, which a message does not replace",
					"write {field}; for a wrapped error write [: {cause}]")
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

func (c *checker) placeholder(k *model.Code, text spec.Text, piece model.Part) {
	f := fieldOf(k, piece.Name)
	if f == nil && piece.Name != resolve.CauseName {
		c.report("E-placeholder", c.t.Locate(text, piece.Offset+1, len(piece.Name)),
			fmt.Sprintf("category %q has no field %q", k.Category.Name, piece.Name),
			c.suggest(piece.Name, append(fieldNames(k.Fields()), resolve.CauseName), "declare it under fields"))
		return
	}
	at := c.t.Locate(text, piece.Offset, piece.Len)
	forms, plural := model.PluralForms(piece.Format)
	plural = plural && c.categories != nil
	typ := model.String
	if f != nil {
		typ = f.Type
		if f.Sensitive {
			c.report("E-sensitive-text", at, f.Wire+" is sensitive and must not be shown", "remove it from the text",
				seeAlso(f.Decl.Sensitive.Span, "declared sensitive here"))
		}
	}
	if k.Public && text == k.Decl.Message && (f == nil || !f.Public) {
		message, hint := piece.Name+" is internal, and "+k.Name+" is public", "give the field audience: public, or "
		if f == nil {
			message, hint = "the cause may be internal, and "+k.Name+" is public", ""
		}
		c.report("E-public-text", at, message, hint+"remove it from the message",
			seeAlso(cmp.Or(k.Decl.Audience.Span, k.Category.Decl.Audience.Span, c.t.Audience.Span),
				"declared public here"))
	}
	if f != nil && f.MessageOnly && c.categories != nil {
		c.report("E-placeholder", at, f.Wire+" has message_only, so it is not in the context that other languages show",
			"remove it from the text")
	}
	format := piece.Format
	formatAt := c.t.Locate(text, piece.Offset+len("{")+len(piece.Name)+len(":"), len(format))
	switch {
	case plural:
		c.plural(formatAt, piece, typ, forms)
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

// alwaysPresent finds placeholders outside brackets whose field a factory may leave absent. It leaves
// out fields that a message cannot show.
func (c *checker) alwaysPresent(k *model.Code, text spec.Text, piece model.Part) {
	at := c.t.Locate(text, piece.Offset, piece.Len)
	f := fieldOf(k, piece.Name)
	switch {
	case f == nil && piece.Name == resolve.CauseName:
		c.report("E-optional-placeholder", at, "an error may have no cause", "put it in brackets, as in [: {cause}]")
	case f != nil && piece.Format == model.Plain && (f.Type == model.ObjectType || f.Type.IsObjects()):
	case f != nil && !f.Sensitive && !f.Required && !k.HasParam(f) && !gives(k.Decl.Set, f):
		c.report("E-optional-placeholder", at,
			fmt.Sprintf("%s may be absent when %s is made", f.Wire, k.Factory),
			fmt.Sprintf("put it in brackets, as in [ {%s}], or list it in args", f.Wire),
			seeAlso(f.Decl.Name.Span, "declared optional here"))
	}
}

func oneOf(types []model.Type) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = t.String()
	}
	return strings.Join(words, " or ")
}
