package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// checker has a taxonomy as written and as resolved, and the findings. In the first stage, the
// model lacks the parts with undeclared or duplicate names.
type checker struct {
	t        *spec.Taxonomy
	m        *model.Package
	findings []diag.Finding
	reported map[finding]bool
	// categories are the plural categories of the language, in a file of messages.
	categories []string
}

// finding is the id and the place of a finding.
type finding struct {
	id string
	at diag.Span
}

// fieldOf returns the field that a code can refer to by a name, or nil.
func fieldOf(k *model.Code, name string) *model.Field { return k.ErrorType().Field(name) }

func fieldNames(fields []*model.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Wire
	}
	return out
}

// gives reports whether assignments give a field a value.
func gives(set []spec.Assignment, f *model.Field) bool {
	return slices.ContainsFunc(set, func(a spec.Assignment) bool { return a.Field.V == f.Wire })
}

// eachField visits every declared field once, those of objects after the object.
func (c *checker) eachField(visit func(f *model.Field)) {
	var walk func(fields []*model.Field)
	walk = func(fields []*model.Field) {
		for _, f := range fields {
			if f.Decl == nil {
				continue
			}
			visit(f)
			if f.Object != nil {
				walk(f.Object.Fields)
			}
		}
	}
	walk(c.m.Fields)
	for _, k := range c.m.Categories {
		walk(k.Fields[len(c.m.Fields):])
	}
	for _, k := range c.m.Codes {
		walk(k.OwnFields())
	}
}

// eachErrorType visits the fields of each Go type of errors, with the name of the type in messages.
func (c *checker) eachErrorType(visit func(fields []*model.Field, name string)) {
	for _, k := range c.m.Categories {
		visit(k.Fields, "category "+k.Name)
	}
	for _, k := range c.m.Codes {
		if k.OwnType != nil {
			visit(k.OwnType.Fields, "code "+k.Name)
		}
	}
}

// eachRule visits all detection rules.
func (c *checker) eachRule(visit func(k *model.Code, r *spec.Rule)) {
	for _, k := range c.m.Codes {
		for i := range k.Decl.Detect {
			visit(k, &k.Decl.Detect[i])
		}
	}
}

// eachExample visits all examples and counter-examples.
func (c *checker) eachExample(visit func(x *spec.Example)) {
	for _, k := range c.m.Codes {
		for _, list := range [][]spec.Example{k.Decl.Examples, k.Decl.NotExamples} {
			for i := range list {
				visit(&list[i])
			}
		}
	}
}

// eachFieldRef visits the names by which codes refer to their fields. value is the value that the
// reference sets, or nil.
func (c *checker) eachFieldRef(visit func(k *model.Code, name spec.Text, value *spec.Literal)) {
	assignments := func(k *model.Code, set []spec.Assignment) {
		for i := range set {
			visit(k, set[i].Field, &set[i].Value)
		}
	}
	for _, k := range c.m.Codes {
		assignments(k, k.Decl.Set)
		for _, a := range k.Decl.Args {
			visit(k, a, nil)
		}
		for _, w := range k.Decl.When {
			for _, cond := range w.If {
				visit(k, cond.Field, nil)
			}
		}
		for _, r := range k.Decl.Detect {
			assignments(k, r.Set)
		}
		for _, x := range k.Decl.Examples {
			if x.Want != nil {
				for _, a := range x.Want.Context {
					visit(k, a.Field, nil)
				}
			}
		}
	}
	if c.m.Fallback != nil {
		assignments(c.m.Fallback, c.t.Fallback.Set)
	}
}

// report adds a finding, unless it has one with this id at this place, because many codes can share
// a declaration. The hint describes the fix.
func (c *checker) report(id string, at diag.Span, message, hint string, related ...diag.Related) {
	key := finding{id, at}
	if c.reported[key] {
		return
	}
	c.reported[key] = true
	related = slices.DeleteFunc(related, func(r diag.Related) bool { return !r.Span.Valid() || r.Span == at })
	c.findings = append(c.findings, diag.Finding{
		ID: id, Severity: diag.SeverityOf(id), Span: at, Message: message, Hint: hint, Related: related,
	})
}

// seeAlso is a second place that explains a finding.
func seeAlso(at diag.Span, message string) diag.Related {
	return diag.Related{Span: at, Message: message}
}

// maxSuggestions is the number of findings after which no similar names are searched, because the
// search is slow.
const maxSuggestions = 200

// suggest returns a hint with the most similar valid name. Without a similar name, it returns
// otherwise.
func (c *checker) suggest(name string, valid []string, otherwise string) string {
	if len(c.findings) < maxSuggestions {
		if hint := diag.DidYouMean(name, valid); hint != "" {
			return hint
		}
	}
	return otherwise
}
