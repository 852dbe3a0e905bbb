package resolve

import (
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/internal/template"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// code registers a code with its names, fields and texts. codeBody resolves the rest when all codes
// are registered, because it refers to other codes.
func (b *builder) code(c *model.Category, d *spec.Code) {
	name := codeName(d, len(c.Codes)+1)
	entry := &b.pkg.Taxonomy.Categories[c.Index].Codes[len(c.Codes)+1]
	*entry = taxonomy.Code{
		Value: d.Name.V, NumberZero: d.Number.Set && d.Number.V == 0, Parent: uint16(d.Parent),
	}
	setKeys(entry, d)
	code := &model.Code{
		Code: entry, Decl: d, Index: len(b.pkg.Codes), Ordinal: len(c.Codes) + 1, Category: c,
		Name: d.Name.V, Go: name, Const: "Code" + name, Factory: "New" + name,
	}
	entry.Public = b.audienceOf(code) == public
	if code.Name != entry.Value {
		entry.Key = code.Name
	}
	if len(d.Fields) > 0 {
		b.ownFields(code)
	}
	c.Codes = append(c.Codes, code)
	b.pkg.Codes = append(b.pkg.Codes, code)
	putFirst(&b.codes, code.Name, code)
}

// ownFields gives a code a separate type with additional fields.
func (b *builder) ownFields(code *model.Code) {
	d, own, name := code.Decl, *code.Category, code.Go
	if !naming.IsExported(name) { // it begins with a digit, or with a letter that has no capital
		name = "X" + code.Go
	}
	own.Type = strings.TrimSuffix(name, "Error") + "Error"
	own.Doc, own.Codes = d.Doc.V, []*model.Code{code}
	owner := fieldOwner{typePrefix: name, constPrefix: constPrefix(name), params: newIdents(),
		audience: b.audienceOf(code)}
	for _, f := range own.Fields {
		owner.params.take(f.Param)
	}
	own.Fields = slices.Concat(own.Fields, b.fields(owner, d.Fields))
	code.OwnType = &own
}

// codeName returns the end of the Go names of a code: GitCommit for CodeGitCommit.
func codeName(d *spec.Code, n int) string {
	if _, ok := naming.Suffix(d.GoName.V); ok && naming.IsExported("Code"+d.GoName.V) {
		return d.GoName.V
	}
	return suffix(d.Name.V, n)
}

// codeBody resolves everything of a code that can refer to fields, groups and other codes.
func (b *builder) codeBody(c *model.Code) {
	d := c.Decl
	c.Numbered, c.ReplacedBy = d.Number.Set, b.codes[d.ReplacedBy.V]
	c.Template = Template(c, d.Message.V)
	if d.Feedback.Set {
		feedback := Template(c, d.Feedback.V)
		c.Feedback = &feedback
	}
	c.Sets, c.Constants = assignments(c, d.Set), b.constantsOf(d)
	c.Args = args(c)
	c.Code.Set = model.SetJSON(c.Sets)
	extra := taxonomy.Extras{Prevent: prevention(d.Prevent)}
	setKeys(&extra, d)
	if d.Parent > 0 {
		c.Above = c.Category.Codes[d.Parent-1]
	}
	if extra.ReplacedBy = ""; c.ReplacedBy != nil { // the value of the code, not its key
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
			c.InGroups = append(c.InGroups, g)
			c.Code.Groups |= 1 << g.Bit
		}
	}
	if c.OwnType != nil {
		c.Code.Own = &taxonomy.OwnType{Name: c.OwnType.Type, Fields: tableFields(c.OwnFields())}
	}
	for _, f := range c.Args {
		if !f.Required {
			c.Takes = append(c.Takes, f.Wire)
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
				v, _ := Value(&model.Field{Type: c.ValueType}, a.Value)
				out[i] = &v
			}
		}
	}
	return out
}

// assignments returns the values of fields. It leaves out unknown fields. A value of the wrong type
// becomes the zero value.
func assignments(c *model.Code, list []spec.Assignment) []model.FieldValue {
	var out []model.FieldValue
	for _, a := range list {
		f := c.ErrorType().Field(a.Field.V)
		if f == nil {
			continue
		}
		v, _ := Value(f, a.Value)
		out = append(out, model.FieldValue{Field: f, Value: v})
	}
	return out
}

// args returns the parameters of the factory: the declared ones, or the required fields that
// nothing sets.
func args(c *model.Code) []*model.Field {
	var out []*model.Field
	for _, name := range c.Decl.Args {
		if f := c.ErrorType().Field(name.V); f != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	if c.Decl.Args != nil {
		return out
	}
	for _, f := range c.Fields() {
		if _, fixed := c.Fixed(f); f.Required && !fixed {
			out = append(out, f)
		}
	}
	return out
}

// branches reads the code's `when` branches. [builder.rows] sets their rows.
func branches(code *model.Code) []*model.Branch {
	var out []*model.Branch
	for _, w := range code.Decl.When {
		branch := &model.Branch{}
		for _, c := range w.If {
			f := code.ErrorType().Field(c.Field.V)
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
	p := &taxonomy.Prevention{Likely: defaultLikely}
	setKeys(p, d)
	return p
}

// CauseName is the placeholder of the wrapped error.
const CauseName = "cause"

// Template resolves a message against the fields that its code has. A placeholder that names none
// of them stays as text.
func Template(c *model.Code, text string) model.Template {
	parts, _ := template.Parse[*model.Field](text)
	link(c, text, parts)
	return model.Template{Parts: parts}
}

// link sets the fields of placeholders.
func link(c *model.Code, text string, parts []model.Part) {
	for i := range parts {
		p := &parts[i]
		link(c, text, p.Group)
		p.Field = c.ErrorType().Field(p.Name)
		p.Cause = p.Field == nil && p.Name == CauseName
		if p.Name != "" && p.Field == nil && !p.Cause {
			*p = model.Part{Text: text[p.Offset : p.Offset+p.Len]}
		}
	}
}
