package check

import (
	"cmp"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// checker contains a taxonomy's declarations by name, and the findings. From the second stage on,
// names are unique. Before, the model lacks the parts with errors.
type checker struct {
	t             *spec.Taxonomy
	m             *model.Package
	categories    []*category
	codes         []*code // order of the file
	codeNamed     map[string]*code
	reactions     []*spec.Reaction // of the table, also in place
	reactionNamed map[string]*spec.Reaction

	findings []diag.Finding
	reported map[finding]bool
}

// finding is the id and the place of a finding.
type finding struct {
	id string
	at diag.Span
}

// category is a category as written and as resolved.
type category struct {
	*spec.Category
	model  *model.Category
	fields []field // those of every category first
	byName map[string]field
}

// field is a field as written and as resolved.
type field struct {
	*spec.Field
	model *model.Field
}

// code is a code as written and as resolved, and its category.
type code struct {
	*spec.Code
	model    *model.Code
	category *category
	fields   []field // those of the category first
	byName   map[string]field
}

func newChecker(t *spec.Taxonomy) *checker {
	c := &checker{
		t: t, m: resolve.Build(t), codeNamed: make(map[string]*code), reported: make(map[finding]bool),
		reactionNamed: make(map[string]*spec.Reaction),
	}
	global := pairs(t.Fields, c.m.Fields)
	for i, m := range c.m.Categories { // in the order of the file
		k := &category{Category: &t.Categories[i], model: m}
		k.fields = append(slices.Clip(global), pairs(k.Fields, m.Fields[len(global):])...)
		k.byName = byName(k.fields)
		c.categories = append(c.categories, k)
		for j := range k.Codes {
			one := &code{Code: &k.Codes[j], model: m.Codes[j], category: k, fields: k.fields, byName: k.byName}
			if len(one.Fields) > 0 {
				one.fields = append(slices.Clip(k.fields), pairs(one.Fields, one.model.OwnFields())...)
				one.byName = byName(one.fields)
			}
			c.codes = append(c.codes, one)
			c.codeNamed[one.Name.V] = one
		}
	}
	c.addReactions()
	return c
}

func byName(fields []field) map[string]field {
	out := make(map[string]field, len(fields))
	for _, f := range fields {
		out[f.Name.V] = f
	}
	return out
}

// own returns the fields of this code alone.
func (k *code) own() []field { return k.fields[len(k.category.fields):] }

// pairs lines fields up with their models.
func pairs(written []spec.Field, resolved []*model.Field) []field {
	out := make([]field, len(written))
	for i := range written {
		out[i] = field{&written[i], resolved[i]}
	}
	return out
}

// sets reports whether a code fixes a field.
func (k *code) sets(name string) bool { return assigns(k.Set, name) }

func assigns(set []spec.Assignment, name string) bool {
	return slices.ContainsFunc(set, func(a spec.Assignment) bool { return a.Field.V == name })
}

// takes reports whether a code's factory has a parameter for a field.
func (k *code) takes(f field) bool { return k.model.Takes(f.model) }

func (k *code) fieldNames() []string {
	out := make([]string, len(k.fields))
	for i, f := range k.fields {
		out[i] = f.Name.V
	}
	return out
}

// eachField visits every field once, those of objects after the object.
func (c *checker) eachField(visit func(f field)) {
	walkFields(pairs(c.t.Fields, c.m.Fields), visit)
	for _, k := range c.categories {
		walkFields(k.fields[len(c.t.Fields):], visit)
	}
	for _, k := range c.codes {
		walkFields(k.own(), visit)
	}
}

func walkFields(fields []field, visit func(f field)) {
	for _, f := range fields {
		visit(f)
		if f.model.Object != nil {
			walkFields(pairs(f.Fields, f.model.Object.Fields), visit)
		}
	}
}

// eachRule visits all detection rules.
func (c *checker) eachRule(visit func(k *code, r *spec.Rule)) {
	for _, k := range c.codes {
		for i := range k.Detect {
			visit(k, &k.Detect[i])
		}
	}
}

// eachExample visits all examples and counter-examples.
func (c *checker) eachExample(visit func(x *spec.Example)) {
	for _, k := range c.codes {
		for i := range k.Examples {
			visit(&k.Examples[i])
		}
		for i := range k.NotExamples {
			visit(&k.NotExamples[i])
		}
	}
}

// eachFieldRef visits the names by which codes refer to their fields, with the value that they set.
func (c *checker) eachFieldRef(visit func(k *code, name spec.Text, value *spec.Literal)) {
	assignments := func(k *code, set []spec.Assignment) {
		for i := range set {
			visit(k, set[i].Field, &set[i].Value)
		}
	}
	for _, k := range c.codes {
		assignments(k, k.Set)
		for _, a := range k.Args {
			visit(k, a, nil)
		}
		for _, w := range k.When {
			for _, cond := range w.If {
				visit(k, cond.Field, nil)
			}
		}
		for _, r := range k.Detect {
			assignments(k, r.Set)
		}
		for _, x := range k.Examples {
			if x.Want != nil {
				for _, a := range x.Want.Context {
					visit(k, a.Field, nil)
				}
			}
		}
	}
	if f := c.t.Fallback; f != nil && c.codeNamed[f.Code.V] != nil {
		assignments(c.codeNamed[f.Code.V], f.Set)
	}
}

// report adds a finding, unless the same one was made at this place: one declaration can serve many
// codes. The hint says how to fix it.
func (c *checker) report(id string, at diag.Span, message, hint string, related ...diag.Related) {
	key := finding{id, at}
	if c.reported[key] {
		return
	}
	c.reported[key] = true
	related = slices.DeleteFunc(related, func(r diag.Related) bool { return !r.Span.Valid() || r.Span == at })
	c.findings = append(c.findings, diag.Finding{
		ID: id, Severity: severity(id), Span: at, Message: message, Hint: hint, Related: related,
	})
}

// seeAlso is a second place that explains a finding.
func seeAlso(at diag.Span, message string) diag.Related {
	return diag.Related{Span: at, Message: message}
}

// maxSuggestions bounds how often near names are looked for, which takes time.
const maxSuggestions = 200

// suggest returns the hint that proposes the nearest of the valid names, or else the other one.
func (c *checker) suggest(name string, valid []string, otherwise string) string {
	if len(c.findings) < maxSuggestions {
		if hint := diag.DidYouMean(name, valid); hint != "" {
			return hint
		}
	}
	return otherwise
}

// within is the place of a part of a text, given in bytes.
func (c *checker) within(text spec.Text, offset, length int) diag.Span {
	return c.t.Locate(text, offset, length)
}

func isLater(a, b diag.Span) bool {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) > 0
}

// firstSpan returns the first span that points anywhere.
func firstSpan(spans ...diag.Span) diag.Span {
	for _, s := range spans {
		if s.Valid() {
			return s
		}
	}
	return diag.Span{}
}
