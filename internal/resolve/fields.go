package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fieldOwner describes the declaration that fields belong to: the prefixes of their names, and
// their default audience.
type fieldOwner struct {
	typePrefix  string // of the types of its enums and objects: Provider
	constPrefix string // of its constants: provider
	params      idents
	audience    string // of fields that set none
}

func (b *builder) globalFields() {
	owner := fieldOwner{constPrefix: "shared", params: newIdents(), audience: b.src.Audience.V}
	b.pkg.Fields = b.fields(owner, b.src.Fields)
	for _, f := range b.pkg.Fields {
		f.Attribute = f.Go
		if f.Enum != nil || f.Object != nil && f.Object.Type != "" {
			f.Attribute += "Field" // the type has this name already
		}
	}
}

// public is the audience of codes and fields that clients see.
const public = "public"

// audienceOf returns the audience of a code, which is also that of its fields that set none.
func (b *builder) audienceOf(c *model.Code) string {
	return c.Decl.Audience.Or(c.Category.Decl.Audience.Or(b.src.Audience.V))
}

func (b *builder) fields(owner fieldOwner, decls []spec.Field) []*model.Field {
	var out []*model.Field
	for i := range decls {
		out = append(out, b.field(owner, &decls[i], i+1))
	}
	return out
}

func (b *builder) field(owner fieldOwner, d *spec.Field, n int) *model.Field {
	f := &model.Field{
		Decl: d, Wire: d.Name.V, Go: fieldName(d, n), Doc: d.Doc.V, Type: fieldType(d),
		Required: d.Required.V, Sensitive: d.Sensitive.V, Scrub: d.Scrub.V, MessageOnly: d.MessageOnly.V,
		KeepTail: d.Keep.V == "tail", MaxLength: max(0, d.MaxLength.V), Public: d.Audience.Or(owner.audience) == public,
	}
	f.Param = owner.params.take(paramName(f.Go, n))
	if f.Scrub || f.MaxLength > 0 {
		f.Const = b.idents.take(owner.constPrefix + f.Go)
	}
	for _, from := range d.From {
		f.From = append(f.From, from.V)
		b.evidenceKeys[from.V] = true
		if f.Role == model.NoRole {
			f.Role = roles[from.V]
		}
	}
	switch f.Type {
	case model.EnumType:
		f.Enum = b.enum(owner.typePrefix+f.Go, d)
	case model.Violations:
		f.Object = &model.Object{Fields: []*model.Field{
			{Wire: "field", Go: "Field", Required: true, Public: f.Public},
			{Wire: "description", Go: "Description", Required: true, Public: f.Public},
			{Wire: "code", Go: "Code", Required: true, Public: f.Public},
		}}
	case model.ObjectType, model.Objects:
		f.Object = b.object(owner.typePrefix+f.Go, d, d.Audience.Or(owner.audience))
	}
	if d.Default != nil {
		if v, err := Value(f, *d.Default); err == nil {
			f.Default = &v
		}
	}
	return f
}

var roles = map[string]model.Role{
	"retry_after": model.RoleRetryAfter, "reset_at": model.RoleResetAt, "files": model.RoleFiles,
	"credential": model.RoleCredential, "output": model.RoleOutput,
}

func fieldName(d *spec.Field, n int) string {
	if d.GoName.Set && naming.IsExported(d.GoName.V) {
		return d.GoName.V
	}
	return exported(d.Name.V, n)
}

// paramName derives the name of a parameter from the Go name, so that `name:` changes both.
func paramName(goName string, n int) string {
	return convertOr(naming.Param, goName, "x", n)
}

func fieldType(d *spec.Field) model.Type {
	switch {
	case d.Type.V == "object" || !d.Type.Set && len(d.Fields) > 0:
		return model.ObjectType
	case len(d.Enum) > 0:
		return model.EnumType
	}
	t, _ := model.TypeOf(d.Type.V)
	return t
}

func (b *builder) enum(name string, d *spec.Field) *model.Enum {
	e := &model.Enum{Type: name, Var: b.idents.take(unexported(name, 1) + "Words"), Doc: d.Doc.V}
	for i, word := range d.Enum {
		e.Values = append(e.Values, model.EnumValue{Wire: word.V, Const: name + suffix(word.V, i+1)})
	}
	b.pkg.Enums = append(b.pkg.Enums, e)
	return e
}

// object adds an object to the package, after the objects and enums in it.
func (b *builder) object(name string, d *spec.Field, audience string) *model.Object {
	o := &model.Object{Type: name, Doc: d.Doc.V}
	o.Fields = b.fields(fieldOwner{typePrefix: name, constPrefix: constPrefix(name), params: newIdents(),
		audience: audience}, d.Fields)
	b.pkg.Objects = append(b.pkg.Objects, o)
	return o
}

// tableFields returns fields in the table's form.
func tableFields(fields []*model.Field) []taxonomy.Field {
	var out []taxonomy.Field
	for _, f := range fields {
		x := taxonomy.Field{
			Name: f.Wire, Type: f.Type.String(), Enum: f.Enum.Words(), From: f.From, MaxLength: f.MaxLength,
			Required: f.Required, Sensitive: f.Sensitive, Scrub: f.Scrub, KeepTail: f.KeepTail,
			MessageOnly: f.MessageOnly, Public: f.Public,
		}
		if f.Object != nil {
			x.Fields = tableFields(f.Object.Fields)
			if f.Type == model.Violations {
				x.Fields[2].Required = false // the code
			}
		}
		if f.Default != nil {
			x.Default = f.Default.JSON()
		}
		out = append(out, x)
	}
	return out
}
