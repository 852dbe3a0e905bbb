package check

import (
	"cmp"
	"maps"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// checker contains a taxonomy's declarations by name, and the findings. From the second stage on,
// names are unique.
type checker struct {
	t             *spec.Taxonomy
	m             *model.Package // nil in the first stage
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
		t: t, codeNamed: make(map[string]*code), reported: make(map[finding]bool),
		reactionNamed: make(map[string]*spec.Reaction),
	}
	for i := range t.Categories {
		k := &category{Category: &t.Categories[i]}
		k.index(pairs(t.Fields, nil), pairs(k.Fields, nil))
		c.categories = append(c.categories, k)
		for j := range k.Codes {
			one := &code{Code: &k.Codes[j], category: k}
			one.index(nil)
			c.codes = append(c.codes, one)
			c.codeNamed[one.Name.V] = one
		}
	}
	c.addReactions()
	return c
}

// attach adds the model, which has the order of the file.
func (c *checker) attach(m *model.Package) {
	c.m = m
	for i, k := range c.categories {
		k.model = m.Categories[i]
		k.index(pairs(c.t.Fields, m.Fields), pairs(k.Fields, k.model.Fields[len(c.t.Fields):]))
	}
	for i, one := range c.codes {
		one.model = m.Codes[i]
		one.index(one.model.Fields()[len(one.category.fields):])
	}
}

func (k *category) index(fields ...[]field) {
	k.fields = slices.Concat(fields...)
	k.byName = make(map[string]field, len(k.fields))
	for _, f := range k.fields {
		k.byName[f.Name.V] = f
	}
}

// index adds the code's own fields to those of its category.
func (k *code) index(resolved []*model.Field) {
	k.fields, k.byName = k.category.fields, k.category.byName
	if len(k.Fields) == 0 {
		return
	}
	own := pairs(k.Fields, resolved)
	k.fields, k.byName = slices.Concat(k.fields, own), maps.Clone(k.byName)
	for _, f := range own {
		k.byName[f.Name.V] = f
	}
}

// own returns the fields of this code alone.
func (k *code) own() []field { return k.fields[len(k.category.fields):] }

// pairs lines fields up with their models, if there are any yet.
func pairs(written []spec.Field, resolved []*model.Field) []field {
	out := make([]field, len(written))
	for i := range written {
		out[i].Field = &written[i]
		if resolved != nil {
			out[i].model = resolved[i]
		}
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
	walkFields(pairs(c.t.Fields, c.modelFields()), visit)
	for _, k := range c.categories {
		walkFields(k.fields[len(c.t.Fields):], visit)
	}
	for _, k := range c.codes {
		walkFields(k.own(), visit)
	}
}

func (c *checker) modelFields() []*model.Field {
	if c.m == nil {
		return nil
	}
	return c.m.Fields
}

func walkFields(fields []field, visit func(f field)) {
	for _, f := range fields {
		visit(f)
		if f.model == nil {
			walkFields(pairs(f.Fields, nil), visit)
		} else if f.model.Object != nil {
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

// maxErrors bounds how many errors are kept: fewer are shown, and a file can cause millions.
const maxErrors = 5000

// report adds a finding, unless the same one was made at this place: one declaration can serve many
// codes. The hint says how to fix it.
func (c *checker) report(id string, at diag.Span, message, hint string, related ...diag.Related) {
	key := finding{id, at}
	if c.reported[key] || len(c.findings) > maxErrors && severity(id) == diag.Error {
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
