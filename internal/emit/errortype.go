package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// errorType makes the struct of a category.
func errorType(c *model.Category) jen.Code {
	return jen.Add(comment(
		about(c.Type+" is an error of category "+c.Name, c.Doc, "."),
		"Its factories are the only way to give it a code.",
	)).Type().Id(c.Type).StructFunc(func(g *jen.Group) {
		g.Id("code").Id(c.CodeType)
		g.Id("cause").Error()
		if len(c.Fields) > 0 {
			g.Line()
		}
		structFields(g, c.Fields)
	})
}

// structFields makes the exported fields of a struct.
func structFields(g *jen.Group, fields []*model.Field) {
	for _, f := range fields {
		g.Add(comment(fieldDoc(f))).Id(f.Go).Add(fieldType(f)).Add(tag(f))
	}
}

// fieldDoc says what a field holds, and how it is shown.
func fieldDoc(f *model.Field) string {
	doc := aboutField(f.Go, f.Doc, " is "+f.Wire+" in the context.")
	switch {
	case f.Sensitive:
		doc += " It is a secret: only Reveal shows it."
	case f.Scrub && f.MaxLength > 0:
		doc += " Messages, logs and JSON mask secrets in it and cut it."
	case f.Scrub:
		doc += " Messages, logs and JSON mask secrets in it."
	case f.MaxLength > 0:
		doc += " Messages, logs and JSON cut it."
	}
	if f.MessageOnly {
		doc += " It is shown in the message only."
	}
	return doc
}

// cleanConstants makes the constants that say how texts are shown.
func cleanConstants(fields []*model.Field) jen.Code {
	return constants("How texts are shown: what is masked, and where they are cut.",
		each(fields, func(f *model.Field) jen.Code {
			return jen.Id(f.Const).Op("=").Add(cleanFlags(f))
		}))
}

func cleanFlags(f *model.Field) jen.Code {
	var flags []jen.Code
	if f.Scrub {
		flags = append(flags, jen.Qual(pkgGen, "Scrub"))
	}
	if f.KeepTail {
		flags = append(flags, jen.Qual(pkgGen, "KeepTail"))
	}
	switch {
	case len(flags) == 0:
		return jen.Qual(pkgGen, "Clean").Call(jen.Lit(f.MaxLength))
	case f.MaxLength > 0:
		flags = append(flags, jen.Lit(f.MaxLength))
	}
	return joined("|", flags)
}
