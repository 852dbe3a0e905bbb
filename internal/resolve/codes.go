package resolve

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// code registers a code with its names and fields. codeBody resolves the rest when all codes are
// registered.
func (b *builder) code(c *model.Category, parent *spec.Category, d *spec.Code, fields map[string]*model.Field) {
	name := codeName(d, len(c.Codes)+1)
	code := &model.Code{
		Decl: d, Index: len(b.pkg.Codes), Ordinal: len(c.Codes) + 1, Category: c,
		Code: &b.pkg.Taxonomy.Categories[c.Index].Codes[len(c.Codes)+1],
		Key:  d.Name.V, Go: name, Const: "Code" + name, Factory: "New" + name,
	}
	code.Value = d.Value.Or(d.Name.V)
	if len(d.Fields) > 0 {
		fields = b.ownFields(code, parent, d, fields)
	}
	c.Codes = append(c.Codes, code)
	b.pkg.Codes = append(b.pkg.Codes, code)
	b.entries = append(b.entries, entry{code: code, decl: d, parent: parent, fields: fields})
	putFirst(&b.codes, code.Key, code)
}

// ownFields gives a code a separate type with additional fields, and returns all its fields by
// name.
func (b *builder) ownFields(code *model.Code, parent *spec.Category, d *spec.Code,
	inherited map[string]*model.Field) map[string]*model.Field {
	own := *code.Category
	own.Type = strings.TrimSuffix(code.Go, "Error") + "Error"
	own.Doc, own.Codes = d.Doc.V, []*model.Code{code}
	owner := fieldOwner{typePrefix: code.Go, constPrefix: constPrefix(code.Go), params: newIdents(),
		audience: b.audienceOf(parent, d)}
	for _, f := range own.Fields {
		owner.params.take(f.Param)
	}
	fields := b.fields(owner, d.Fields)
	own.Fields = slices.Concat(own.Fields, fields)
	code.Own = &own
	all := maps.Clone(inherited)
	index(all, fields)
	return all
}

func codeName(d *spec.Code, n int) string {
	if _, ok := naming.Suffix(d.GoName.V); ok && naming.IsExported("Code"+d.GoName.V) {
		return d.GoName.V
	}
	return suffix(d.Name.V, n)
}

func (b *builder) codeBody(e entry) {
	c, d := e.code, e.decl
	c.Numbered, c.ReplacedBy = d.Number.Set, b.codes[d.ReplacedBy.V]
	c.MessageText, c.Message = d.Message.V, template(d.Message.V, e.fields)
	if d.Feedback.Set {
		feedback := template(d.Feedback.V, e.fields)
		c.Feedback = &feedback
	}
	c.Set, c.Constants = assignments(d.Set, e.fields), b.constantsOf(d)
	c.Args = args(e)
	*c.Code = taxonomy.Code{
		Value: c.Value, Number: d.Number.V, NumberZero: d.Number.Set && d.Number.V == 0, Since: d.Since.V,
		Message: d.Message.V, Doc: d.Doc.V, Resolution: d.Resolution.V,
		Abstract: d.Abstract.V, Set: model.SetJSON(c.Set), Public: b.audienceOf(e.parent, d) == public,
		Parent: uint16(d.Parent),
	}
	extra := taxonomy.Extras{
		Deprecated: d.Deprecated.V, Aliases: written(d.Aliases), Names: written(d.Names),
		Prevent: prevention(d.Prevent),
	}
	if c.Key != c.Value {
		c.Code.Key = c.Key
	}
	if d.Parent > 0 {
		c.Parent = c.Category.Codes[d.Parent-1]
	}
	if c.ReplacedBy != nil {
		extra.ReplacedBy = c.ReplacedBy.Value
	}
	for _, v := range c.Constants {
		extra.Constants = append(extra.Constants, v.Any())
	}
	if !reflect.ValueOf(extra).IsZero() {
		c.Code.Extra = &extra
	}
	for _, name := range d.Groups {
		if g := b.groups[name.V]; g != nil {
			c.Groups = append(c.Groups, g)
			c.Code.Groups |= 1 << g.Bit
		}
	}
	if c.Own != nil {
		c.Code.Own = &taxonomy.OwnType{Name: c.Own.Type, Fields: tableFields(c.OwnFields())}
	}
	for _, f := range c.Args {
		if !f.Required {
			c.Code.Takes = append(c.Code.Takes, f.Wire)
		}
	}
}

// constantsOf returns the constants of a code in the order of the taxonomy, or nil if it has none.
func (b *builder) constantsOf(d *spec.Code) []*model.Value {
	if len(d.Constants) == 0 {
		return nil
	}
	out := make([]*model.Value, len(b.pkg.Constants))
	for _, a := range d.Constants {
		for i, c := range b.pkg.Constants {
			if c.Name == a.Field.V {
				v, _ := Value(&model.Field{Type: c.Type}, a.Value)
				out[i] = &v
			}
		}
	}
	return out
}

// assignments returns the values of fields. It leaves out unknown fields, and replaces a value of
// the wrong type by the zero value.
func assignments(list []spec.Assignment, fields map[string]*model.Field) []model.FieldValue {
	var out []model.FieldValue
	for _, a := range list {
		f := fields[a.Field.V]
		if f == nil {
			continue
		}
		v, _ := Value(f, a.Value)
		out = append(out, model.FieldValue{Field: f, Value: v})
	}
	return out
}

func args(e entry) []*model.Field {
	if e.decl.Args != nil {
		return namedArgs(e)
	}
	var out []*model.Field
	for _, f := range e.code.Fields() {
		if _, fixed := e.code.Fixed(f); f.Required && !fixed && e.fields[f.Wire] == f {
			out = append(out, f)
		}
	}
	return out
}

func namedArgs(e entry) []*model.Field {
	var out []*model.Field
	for _, name := range e.decl.Args {
		if f := e.fields[name.V]; f != nil && !e.code.Takes(f) {
			out = append(out, f)
		}
	}
	return out
}

// branches reads the code's `when` branches. [builder.rows] sets their rows.
func branches(e entry) []*model.Branch {
	var out []*model.Branch
	for _, w := range e.decl.When {
		branch := &model.Branch{}
		for _, c := range w.If {
			f := e.fields[c.Field.V]
			if f == nil {
				continue
			}
			cond, _ := Condition(f, c.Match)
			branch.Conds = append(branch.Conds, cond)
		}
		out = append(out, branch)
	}
	return out
}

const defaultLikely = 0.5

func prevention(d *spec.Prevention) *taxonomy.Prevention {
	if d == nil {
		return nil
	}
	return &taxonomy.Prevention{
		Check: d.Check.V, Throttle: d.Throttle.V, Concurrency: d.Concurrency.V, Likely: d.Likely.Or(defaultLikely),
	}
}
