package resolve

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Public returns the model of the package for clients in other modules. It has the public codes of
// m with their public fields, and the operations. Classification and reactions stay with the
// server: a retryable code has the reaction of [taxonomy.RowUnknownRetry], and others abort. m must
// have been checked, so no message of a public code names an internal field.
func Public(m *model.Package) *model.Package {
	d := m.Decl
	t := &spec.Taxonomy{
		Source: d.Source, Version: d.Version, Package: d.Package, Domain: d.Domain, Doc: d.Doc, HelpURL: d.HelpURL,
		Audience: text(public), Numbers: d.Numbers, Public: d.Public, Fields: publicFields(m.Fields),
		Reactions: []spec.Reaction{{
			Name: text(retryName), Action: text(taxonomy.Retry.String()),
			Doc: text("The same call may succeed later."), HonorRetryAfter: spec.Bool{V: true, Set: true},
		}},
	}
	for _, c := range m.Categories {
		if category := publicCategory(m, c); len(category.Codes) > 0 {
			t.Categories = append(t.Categories, category)
		}
	}
	for _, o := range m.Operations {
		operation := *o.Decl
		operation.Errors = nil
		for _, c := range o.Codes {
			operation.Errors = append(operation.Errors, text(c.Name))
		}
		t.Operations = append(t.Operations, operation)
	}
	out := Build(t)
	out.File, out.Languages = m.File, m.Languages
	return out
}

// retryName is the reaction to retryable codes.
const retryName = "retry"

func text(s string) spec.Text { return spec.Text{V: s, Set: true} }

func publicCategory(m *model.Package, c *model.Category) spec.Category {
	out := *c.Decl
	if out.Audience.Or(m.Decl.Audience.V) != public {
		out.Doc = spec.Text{} // for the team
	}
	out.Audience, out.Fault, out.Traits.Reaction = text(public), spec.Text{}, nil
	out.Fields, out.Codes = publicFields(c.Fields[len(m.Fields):]), nil
	places := make(map[*model.Code]int) // in the list, from 1
	for _, k := range c.Codes {
		if !k.Public {
			continue
		}
		code := publicCode(k)
		for above := k.Above; above != nil && code.Parent == 0; above = above.Above {
			code.Parent = places[above]
		}
		out.Codes = append(out.Codes, code)
		places[k] = len(out.Codes)
	}
	return out
}

// publicCode returns the declaration of a public code, without a parent.
func publicCode(k *model.Code) spec.Code {
	d := k.Decl
	out := spec.Code{
		Name: d.Name, Number: d.Number, GoName: d.GoName, Value: d.Value, Aliases: d.Aliases, Names: d.Names,
		Doc: d.Doc, Resolution: d.Resolution, Message: d.Message, Abstract: d.Abstract, Since: d.Since,
		Deprecated: d.Deprecated, Audience: text(public), Fault: text(k.Fault.String()), Traits: d.Traits, Span: d.Span,
	}
	if k.ReplacedBy != nil && k.ReplacedBy.Public {
		out.ReplacedBy = d.ReplacedBy
	}
	if k.OwnType != nil {
		out.Fields = publicFields(k.OwnType.Fields[len(k.Category.Fields):])
	}
	isPublic := func(name spec.Text) bool { f := k.ErrorType().Field(name.V); return f != nil && f.Public }
	if d.Args != nil {
		out.Args = []spec.Text{}
	}
	for _, name := range d.Args {
		if isPublic(name) {
			out.Args = append(out.Args, name)
		}
	}
	for _, a := range d.Set {
		if isPublic(a.Field) {
			out.Set = append(out.Set, a)
		}
	}
	out.Traits.Reaction = publicReaction(k.Row.Retryable)
	for i, w := range d.When {
		if !slices.ContainsFunc(w.If, func(c spec.Condition) bool { return !isPublic(c.Field) }) {
			w.Traits.Reaction = publicReaction(k.Branches[i].Row.Retryable)
			out.When = append(out.When, w)
		}
	}
	return out
}

func publicReaction(retryable bool) *spec.ReactionRef {
	if retryable {
		return &spec.ReactionRef{Name: text(retryName)}
	}
	return &spec.ReactionRef{Name: text(taxonomy.Abort.String())}
}

// publicFields returns the declarations of public fields. They are filled from the roles that the
// runtime reads of a response, and from no evidence.
func publicFields(fields []*model.Field) []spec.Field {
	var out []spec.Field
	for _, f := range fields {
		if !f.Public {
			continue
		}
		d := *f.Decl
		d.Audience = text(public)
		d.From = slices.DeleteFunc(slices.Clone(d.From), func(from spec.Text) bool {
			return roles[from.V] == model.NoRole
		})
		if len(d.Fields) > 0 {
			d.Fields = publicFields(f.Object.Fields)
		}
		out = append(out, d)
	}
	return out
}
