package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// fieldForm finds options of a field that do not fit its type.
func fieldForm(p *pass) {
	p.eachField(func(f field, _ *category) {
		switch {
		case f.EnumSpan.Valid() && !f.Type.Set && len(f.Enum) == 0:
			p.report(f.EnumSpan, "enum %q has no words", f.Name.V)
		case f.Type.V == "object" && len(f.Fields) == 0:
			p.report(f.Type.Span, "object %q has no fields", f.Name.V).hint("list them under fields")
		case f.Type.Set && f.Type.V != "object" && len(f.Fields) > 0:
			p.report(f.Fields[0].Name.Span, "only an object has fields, and %q is of type %s", f.Name.V, f.model.Type)
		}
		p.textOptions(f)
	})
}

// textOptions finds what only text, alone or in a list, can have on a field of another type.
func (p *pass) textOptions(f field) {
	isText := f.model.Type == model.String || f.model.Type == model.Strings
	if f.Scrub.V && !isText {
		p.report(f.Scrub.Span, "scrub is for texts, and %q is of type %s", f.Name.V, f.model.Type)
	}
	switch n := f.MaxLength; {
	case !n.Set:
	case !isText:
		p.report(n.Span, "max_length is for texts, and %q is of type %s", f.Name.V, f.model.Type)
	case n.V < minLength:
		p.report(n.Span, "max_length is at least %d, which leaves room for the mark of the cut", minLength)
	case n.V > maxLength:
		p.report(n.Span, "max_length is at most %d", maxLength)
	}
	if f.Keep.Set && !f.MaxLength.Set {
		p.report(f.Keep.Span, "keep says which end stays when a text is cut, but nothing cuts this one").
			hint("say max_length as well")
	}
}

// The bounds of max_length: a cut leaves a mark of three bytes, and the generated code packs the
// length with two flags.
const (
	minLength = 4
	maxLength = 1<<30 - 1
)

// evidence says which types can be filled from what.
var evidence = map[string][]model.Type{
	"source":      texts,
	"op":          texts,
	"type":        texts,
	"code":        scalars,
	"status":      numbers,
	"exit_code":   numbers,
	"signal":      texts,
	"errno":       texts,
	"text":        texts,
	"output":      texts,
	"credential":  texts,
	"files":       {model.Strings},
	"retry_after": {model.Duration},
	"reset_at":    {model.Time},
}

var (
	texts   = []model.Type{model.String, model.EnumType}
	numbers = []model.Type{model.Int, model.Int64, model.String}
	scalars = []model.Type{
		model.String, model.EnumType, model.Int, model.Int64, model.Uint64, model.Float64, model.Bool, model.Duration,
		model.Time,
	}
)

// attributePrefix begins the name of an attribute of the evidence.
const attributePrefix = "attributes."

func unknownFrom(p *pass) {
	valid := []string{attributePrefix + "name"}
	for name := range evidence {
		valid = append(valid, name)
	}
	slices.Sort(valid)
	p.eachField(func(f field, _ *category) {
		for _, from := range f.From {
			if attribute, ok := strings.CutPrefix(from.V, attributePrefix); ok && attribute != "" {
				continue
			}
			if _, ok := evidence[from.V]; !ok {
				r := p.report(from.Span, "evidence has no %q", from.V).meant(from.V, valid)
				if class, name, dotted := strings.Cut(from.V, "."); dotted && name != "" &&
					p.nearest(class, []string{"attributes"}) != "" {
					r.hint("did you mean %q?", attributePrefix+name)
				}
			}
		}
	})
}

func wrongFrom(p *pass) {
	p.eachField(func(f field, _ *category) {
		for _, from := range f.From {
			fits, known := evidence[from.V]
			if strings.HasPrefix(from.V, attributePrefix) {
				fits, known = append([]model.Type{model.JSON}, scalars...), true
			}
			if !known || slices.Contains(fits, f.model.Type) {
				continue
			}
			if len(fits) > 3 {
				p.report(from.Span, "%s is one value, and cannot fill %q of type %s", from.V, f.Name.V, f.model.Type)
				continue
			}
			p.report(from.Span, "%s fills fields of type %s, and %q is of type %s", from.V, oneOf(fits), f.Name.V,
				f.model.Type)
		}
	})
}

// roleTwice finds two fields of a category that the runtime would read for one purpose.
func roleTwice(p *pass) {
	for _, c := range p.categories {
		taken := make(map[string]spec.Text)
		for _, f := range c.fields {
			for _, from := range f.From {
				if !isRole(from.V) {
					continue
				}
				if earlier, clash := taken[from.V]; !clash {
					taken[from.V] = from
				} else if !p.reported(from.Span) {
					p.report(from.Span, "category %q has a field for %s already", c.Name.V, from.V).
						related(earlier.Span, "this one")
				}
			}
		}
	}
}

func isRole(from string) bool {
	return slices.Contains([]string{"retry_after", "reset_at", "files", "credential", "output"}, from)
}

// hasRole reports whether a field of the category is read for one of the roles.
func (c *category) hasRole(roles ...string) bool {
	return slices.ContainsFunc(c.fields, func(f field) bool {
		return slices.ContainsFunc(f.From, func(from spec.Text) bool { return slices.Contains(roles, from.V) })
	})
}

// missingArgs finds required fields that a factory neither takes nor sets, which can be where args
// are listed.
func missingArgs(p *pass) {
	for _, c := range p.codes {
		if !c.ArgsSet {
			continue
		}
		for _, f := range c.category.fields {
			if f.Required.V && !c.takes(f) && !c.sets(f.Name.V) {
				at := c.Name.Span
				if len(c.Args) > 0 {
					at = c.Args[0].Span
				}
				p.report(at, "%s neither takes nor sets the required field %q", c.model.Factory, f.Name.V).
					hint("add it to args, or give it a value under set").related(f.Required.Span, "required here")
			}
		}
	}
}

// fixedArgs finds parameters for what the code fixes.
func fixedArgs(p *pass) {
	for _, c := range p.codes {
		for _, a := range c.Args {
			for _, s := range c.Set {
				if s.Field.V == a.V {
					p.report(a.Span, "%q is fixed by set, and cannot be a parameter as well", a.V).
						related(s.Field.Span, "fixed here")
				}
			}
		}
	}
}

// unfillable finds what a code must have and classification could not give it.
func unfillable(p *pass) {
	for _, c := range p.codes {
		for _, f := range c.category.fields {
			if !(f.Required.V || c.takes(f)) || c.sets(f.Name.V) || evidenceFills(*f.Field) {
				continue
			}
			for _, r := range c.Detect {
				if !assigns(r.Set, f.Name.V) {
					p.report(first(r.Span, c.Name.Span), "nothing gives %s its %q when it is detected", c.Name.V,
						f.Name.V).
						hint("give the field a from or a default, or set it in this rule").
						related(f.Name.Span, "declared here")
				}
			}
			if fb := p.t.Fallback; fb != nil && fb.Code.V == c.Name.V && !assigns(fb.Set, f.Name.V) {
				p.report(fb.Code.Span, "nothing gives %s its %q when it is the fallback", c.Name.V, f.Name.V).
					hint("give the field a from or a default, or set it here").related(f.Name.Span, "declared here")
			}
		}
	}
	p.eachField(func(f field, _ *category) { p.unfillableObject(f) })
}

// unfillableObject looks into an object that evidence can fill in part.
func (p *pass) unfillableObject(f field) {
	if f.model.Type != model.ObjectType || !slices.ContainsFunc(f.Fields, evidenceFills) {
		return
	}
	for _, inner := range f.Fields {
		if inner.Required.V && !evidenceFills(inner) && inner.Type.V != "object" {
			p.report(inner.Name.Span, "evidence fills %s, but nothing gives it its %q", f.Name.V, inner.Name.V).
				hint("give the field a from or a default")
		}
	}
}

// evidenceFills reports whether classification can give a field a value: an object one for any
// field in it.
func evidenceFills(f spec.Field) bool {
	return len(f.From) > 0 || f.Default != nil || slices.ContainsFunc(f.Fields, evidenceFills)
}

func assigns(set []spec.Assignment, name string) bool {
	return slices.ContainsFunc(set, func(a spec.Assignment) bool { return a.Field.V == name })
}
