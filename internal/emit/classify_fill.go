package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// fills makes the methods that fill errors from evidence, and the objects in them.
func (d detectionData) fills() []jen.Code {
	var out []jen.Code
	var objects []*model.Field
	for _, c := range d.m.Categories {
		if !d.makes(c) {
			continue
		}
		out = append(out, fillMethod(c))
		for _, f := range told(c.Fields) {
			if !slices.Contains(objects, f) {
				objects = append(objects, f)
			}
		}
	}
	for _, f := range objects {
		out = append(out, objectFill(f.Object))
	}
	return out
}

// makes reports whether evidence can become an error of the category.
func (d detectionData) makes(c *model.Category) bool {
	return d.m.Fallback != nil && d.m.Fallback.Category == c ||
		slices.ContainsFunc(d.m.Rules, func(r *model.Rule) bool { return r.Code.Category == c })
}

// fillMethod makes the method that fills an error of a category.
func fillMethod(c *model.Category) jen.Code {
	var values composite
	values.add("code", jen.Id("c"))
	values.add("cause", jen.Id("ev").Dot("Err"))
	for _, f := range c.Fields {
		if value := filled(f); value != nil {
			values.add(f.Go, value)
		}
	}
	return jen.Add(note("from returns an error of code c that is filled from evidence.")).
		Func().Params(jen.Id("c").Id(c.CodeType)).Id("from").Params(evidenceParam()).Op("*").Id(c.Type).
		Block(jen.Return(jen.Op("&").Id(c.Type).Add(values.literal())))
}

// told lists the fields whose objects evidence can tell of, those in objects included.
func told(fields []*model.Field) []*model.Field {
	var out []*model.Field
	for _, f := range fields {
		if f.Type == model.ObjectType && tells(f.Object) {
			out = append(out, f)
			out = append(out, told(f.Object.Fields)...)
		}
	}
	return out
}

// tells reports whether evidence can fill anything in an object.
func tells(o *model.Object) bool { return slices.ContainsFunc(o.Fields, fillable) }

func fillable(f *model.Field) bool {
	if f.Type == model.ObjectType {
		return tells(f.Object)
	}
	return len(f.From) > 0
}

// objectFill makes the method that returns an object as evidence has it. Without anything in it
// that evidence tells of, it is absent: what defaults say alone is no object.
func objectFill(o *model.Object) jen.Code {
	var absent []jen.Code
	var values composite
	return jen.Add(comment("from returns the "+o.Type+" that evidence tells of, if it tells of any.")).
		Func().Params(jen.Id(o.Type)).Id("from").Params(evidenceParam()).Qual(pkgTaxonomy, "Opt").Types(jen.Id(o.Type)).
		BlockFunc(func(g *jen.Group) {
			for _, f := range o.Fields {
				if !fillable(f) {
					if value := filled(f); value != nil {
						values.add(f.Go, value)
					}
					continue
				}
				g.Id(f.Param).Op(":=").Add(read(f))
				absent = append(absent, isAbsent(f))
				values.add(f.Go, stored(f, jen.Id(f.Param)))
			}
			g.If(joined("&&", absent)).Block(jen.Return(jen.Qual(pkgTaxonomy, "Opt").Types(jen.Id(o.Type)).Values()))
			g.Return(jen.Qual(pkgTaxonomy, "Some").Call(jen.Id(o.Type).Add(values.literal())))
		})
}

// isAbsent tests what read returned.
func isAbsent(f *model.Field) jen.Code {
	if isList(f) {
		return jen.Id(f.Param).Op("==").Nil()
	}
	return jen.Id(f.Param).Dot("IsZero").Call()
}

// isList reports whether f's value is absent when nil.
func isList(f *model.Field) bool { return f.Type == model.Strings || f.Type == model.JSON }

// filled returns what f's field holds when an error is made from evidence; nil is its zero value.
func filled(f *model.Field) jen.Code {
	switch {
	case f.Type == model.String && allTexts(f):
		return filledText(f)
	case fillable(f):
		return stored(f, read(f))
	case f.Default != nil:
		return fixed(f, *f.Default)
	case f.Type == model.ObjectType && f.Required:
		return emptyObject(f)
	default:
		return nil
	}
}

// emptyObject returns what the field of a required object holds of which evidence says nothing; nil
// is its zero value.
func emptyObject(f *model.Field) jen.Code {
	if f.Sensitive {
		return held(f, zero(f))
	}
	return defaultObject(f.Object)
}

// defaultObject returns a required object of which evidence says nothing; nil is its zero value.
func defaultObject(o *model.Object) jen.Code {
	var values composite
	for _, f := range o.Fields {
		switch {
		case f.Default != nil:
			values.add(f.Go, fixed(f, *f.Default))
		case f.Type == model.ObjectType && f.Required:
			if inner := emptyObject(f); inner != nil {
				values.add(f.Go, inner)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return jen.Id(o.Type).Add(values.inLine())
}

// stored returns what was read, an Opt or a list, as f's field holds it.
func stored(f *model.Field, value *jen.Statement) jen.Code {
	if isList(f) {
		return storedList(f, value)
	}
	switch {
	case f.Default != nil:
		return held(f, value.Dot("Or").Call(literal(f, *f.Default)))
	case f.Required && (!f.Sensitive || f.Type == model.ObjectType):
		return held(f, value.Dot("Or").Call(zero(f)))
	case f.Sensitive:
		return jen.Qual(pkgDetect, "Seal").Call(value)
	default:
		return value
	}
}

func storedList(f *model.Field, value *jen.Statement) jen.Code {
	if f.Default != nil {
		value = jen.Qual(pkgDetect, "FirstList").Call(value, literal(f, *f.Default))
	}
	if f.Sensitive {
		return jen.Qual(pkgDetect, "SealList").Call(value)
	}
	return value
}

// zero returns the value of a required field that nothing fills.
func zero(f *model.Field) jen.Code {
	switch f.Type {
	case model.String:
		return jen.Lit("")
	case model.Bool:
		return jen.False()
	case model.Time:
		return jen.Qual(pkgTime, "Time").Values()
	case model.ObjectType:
		if object := defaultObject(f.Object); object != nil {
			return object
		}
		return jen.Id(f.Object.Type).Values()
	default:
		return jen.Lit(0)
	}
}
