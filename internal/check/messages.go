package check

import (
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// eachTemplate visits the texts with placeholders, but for those that are too long to be looked
// into.
func (p *pass) eachTemplate(visit func(c *code, text spec.Text)) {
	p.eachTemplateOfAnyLength(func(c *code, text spec.Text) {
		if len(text.V) <= maxTemplate {
			visit(c, text)
		}
	})
}

func (p *pass) eachTemplateOfAnyLength(visit func(c *code, text spec.Text)) {
	for _, c := range p.codes {
		for _, text := range []spec.Text{c.Message, c.Feedback} {
			if text.Set {
				visit(c, text)
			}
		}
	}
}

// eachPlaceholder visits the placeholders of all texts; inside tells those within [ ].
func (p *pass) eachPlaceholder(visit func(c *code, text spec.Text, piece resolve.Piece, inside bool)) {
	p.eachTemplate(func(c *code, text spec.Text) {
		pieces, _ := resolve.ParseTemplate(text.V)
		for _, piece := range pieces {
			if piece.Kind == resolve.PlaceholderPiece {
				visit(c, text, piece, false)
			}
			for _, inner := range piece.Parts {
				if inner.Kind == resolve.PlaceholderPiece {
					visit(c, text, inner, true)
				}
			}
		}
	})
}

func malformedText(p *pass) {
	p.eachTemplate(func(_ *code, text spec.Text) {
		_, faults := resolve.ParseTemplate(text.V)
		for _, f := range faults {
			p.report(p.within(text, f.Offset, f.Len), "%s", f.Msg)
		}
	})
}

func unknownPlaceholder(p *pass) {
	p.eachPlaceholder(func(c *code, text spec.Text, piece resolve.Piece, _ bool) {
		if _, ok := c.category.byName[piece.Name]; ok || piece.Name == resolve.CauseName {
			return
		}
		p.report(p.within(text, piece.Offset+1, len(piece.Name)), "category %q has no field %q", c.category.Name.V,
			piece.Name).
			meantOneOf(piece.Name, func() []string { return append(c.category.fieldNames(), resolve.CauseName) })
	})
}

// formatsOf says which types each format can show.
var formatsOf = map[model.Format][]model.Type{
	model.Count:     {model.Strings},
	model.FirstLine: {model.String},
	model.Seconds:   {model.Duration},
	model.Quoted:    {model.String, model.EnumType},
	model.Millis:    {model.Int64},
}

func wrongFormat(p *pass) {
	p.eachPlaceholder(func(c *code, text spec.Text, piece resolve.Piece, _ bool) {
		format, known := resolve.Format(piece.Format)
		at := p.within(text, piece.Offset+len("{")+len(piece.Name)+len(":"), len(piece.Format))
		if !known {
			p.report(at, "there is no format %q", piece.Format).meant(piece.Format, resolve.Formats())
			return
		}
		typ, name := model.String, "the cause"
		if f, ok := c.category.byName[piece.Name]; ok {
			typ, name = f.model.Type, "field "+f.Name.V
		} else if piece.Name != resolve.CauseName {
			return
		}
		if format == model.Plain {
			if typ == model.ObjectType {
				p.report(p.within(text, piece.Offset, piece.Len), "%s is an object, which a message cannot show", name)
			}
			return
		}
		for _, fits := range formatsOf[format] {
			if typ == fits {
				return
			}
		}
		p.report(at, "format %q is for %s, and %s is of type %s", piece.Format, oneOf(formatsOf[format]), name, typ)
	})
}

func oneOf(types []model.Type) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = t.String()
	}
	return strings.Join(words, " and ")
}

// optionalPlaceholder finds what a message shows for certain although a factory may leave it out.
func optionalPlaceholder(p *pass) {
	p.eachPlaceholder(func(c *code, text spec.Text, piece resolve.Piece, inside bool) {
		if inside {
			return
		}
		at := p.within(text, piece.Offset, piece.Len)
		f, ok := c.category.byName[piece.Name]
		switch {
		case !ok && piece.Name == resolve.CauseName:
			p.report(at, "an error may have no cause").hint("put it in brackets, as in [: {cause}]")
		case ok && !c.certain(f):
			p.report(at, "%s may be absent when %s is made", f.Name.V, c.model.Factory).
				hint("put it in brackets, as in [ {%s}], or list it in args", f.Name.V).
				related(f.Name.Span, "declared optional here")
		}
	})
}

func sensitiveText(p *pass) {
	p.eachPlaceholder(func(c *code, text spec.Text, piece resolve.Piece, _ bool) {
		if f, ok := c.category.byName[piece.Name]; ok && f.Sensitive.V {
			p.report(p.within(text, piece.Offset, piece.Len), "%s is sensitive and must not be shown", f.Name.V).
				related(f.Sensitive.Span, "declared sensitive here")
		}
	})
}

func emptyMessage(p *pass) {
	p.eachTemplate(func(_ *code, text spec.Text) {
		if strings.TrimSpace(text.V) == "" {
			p.report(text.Span, "the text is empty")
		}
	})
}

// messagePunctuation is about messages alone: feedback is prose, and may end as prose does.
func messagePunctuation(p *pass) {
	for _, c := range p.codes {
		text := c.Message.V
		switch {
		case strings.HasSuffix(text, "\n"):
			p.report(c.Message.Span, "the message ends in a newline").
				hint("messages are joined with others; end with a word")
		case strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..."):
			p.report(p.within(c.Message, len(text)-1, 1), "the message ends in a full stop").
				hint("messages are joined with others; end with a word")
		}
	}
}
