package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// packageDoc makes the file that says what the package is: its comment, the check of the runtime's
// version, and the names of what the taxonomy declares.
func packageDoc(f *jen.File, m *model.Package) {
	for _, line := range commentLines(packageComment(m)...) {
		f.PackageComment(line)
	}
	declare(f,
		versionCheck(),
		categoryType(m),
		categoryIndexes(m),
		categoriesFunc(m),
		categoryOf(),
		profileConstants(m),
		tierConstants(m),
	)
	for _, c := range m.Categories {
		declare(f, categoryPredicate(c))
	}
	for _, g := range m.Groups {
		declare(f, groupPredicate(g))
	}
}

func packageComment(m *model.Package) []string {
	first := about("Package "+m.Name+" holds typed errors and the reactions to them", m.Doc, ".")
	if strings.HasPrefix(strings.Join(strings.Fields(m.Doc), " "), "Package "+m.Name+" ") {
		first = sentence(m.Doc) // a package comment as it is
	}
	use := "An error is made by the factory of its code, matched by its code or its type, and asked for its reaction " +
		"through [Table]; [UnmarshalError] reads what MarshalJSON wrote."
	if classifies(m) {
		use += " [Classify] makes one of what failed elsewhere."
	}
	return []string{first, use}
}

// versionCheck refuses to compile with a runtime that does not fit.
func versionCheck() jen.Code {
	return jen.Comment(versionComment).Line().Const().Defs(
		jen.Id("_").Op("=").Qual(pkgGen, "EnforceVersion").Call(
			jen.Qual(pkgGen, "Version").Op("-").Lit(contractVersion)),
		jen.Id("_").Op("=").Qual(pkgGen, "EnforceVersion").Call(
			jen.Lit(contractVersion).Op("-").Qual(pkgGen, "MinVersion")),
	)
}

const versionComment = `// The runtime must be as new as this file, and must still support it. ` +
	`If this does not compile, run
// "go get github.com/errgen/errgen@latest", and if that does not help, generate again.`

// contractVersion is the version of runtime/taxonomy/gen that the emitted code is written for.
const contractVersion = 2

func categoryType(m *model.Package) jen.Code {
	return jen.Add(note("Category is a category of the taxonomy.")).Type().Id("Category").String().Line().Line().
		Add(note("The categories.")).Const().DefsFunc(func(g *jen.Group) {
		for _, c := range m.Categories {
			g.Add(comment(about(c.Const, c.Doc, " is the category "+c.Name+"."))).
				Id(c.Const).Id("Category").Op("=").Lit(c.Name)
		}
	})
}

// categoryIndexes names the categories' places in the table.
func categoryIndexes(m *model.Package) jen.Code {
	return jen.Add(note("The categories by their place in the table.")).Const().DefsFunc(func(g *jen.Group) {
		for _, c := range m.Categories {
			g.Id(c.Var).Op("=").Lit(c.Index)
		}
	})
}

func categoriesFunc(m *model.Package) jen.Code {
	return jen.Add(note("Categories returns all categories, in the order of the taxonomy.")).
		Func().Id("Categories").Params().Index().Id("Category").
		Add(returning(
			jen.Index().Id("Category").
				Add(list(each(m.Categories, func(c *model.Category) jen.Code { return jen.Id(c.Const) })))))
}

func categoryOf() jen.Code {
	return jen.Add(note(`CategoryOf returns the category of the first error of this taxonomy in err's chain, or "".`)).
		Func().Id("CategoryOf").Params(jen.Id("err").Error()).Id("Category").
		Add(returning(jen.Id("Category").Call(jen.Qual(pkgGen, "CategoryOf").Call(jen.Id("err"), definition()))))
}

func profileConstants(m *model.Package) jen.Code {
	if len(m.Profiles) == 0 {
		return nil
	}
	return jen.Add(note("The profiles, for [Table].Profile.")).Const().DefsFunc(func(g *jen.Group) {
		for _, p := range m.Profiles {
			g.Add(comment(about(p.Const, p.Doc, " is the profile "+p.Name+"."))).Id(p.Const).Op("=").Lit(p.Name)
		}
	})
}

func tierConstants(m *model.Package) jen.Code {
	if len(m.Tiers) == 0 {
		return nil
	}
	return jen.Add(note("The tiers, in the order of escalation.")).Const().DefsFunc(func(g *jen.Group) {
		for _, t := range m.Tiers {
			g.Add(comment(about(t.Const, t.Doc, " is the tier "+t.Name+"."))).Id(t.Const).Op("=").Lit(t.Name)
		}
	})
}

func categoryPredicate(c *model.Category) jen.Code {
	return jen.Add(
		comment(c.Predicate + " reports whether the first error of this taxonomy in err's chain is of category " +
			c.Name + ".")).
		Func().Id(c.Predicate).Params(jen.Id("err").Error()).Bool().
		Add(returning(jen.Qual(pkgGen, "InCategory").Call(jen.Id("err"), definition(), jen.Id(c.Var))))
}

func groupPredicate(g *model.Group) jen.Code {
	doc := g.Predicate +
		" reports whether the code of the first error of this taxonomy in err's chain is in the group " + g.Name
	return jen.Add(comment(about(doc, g.Doc, "."))).
		Func().Id(g.Predicate).Params(jen.Id("err").Error()).Bool().
		Add(returning(jen.Qual(pkgGen, "InGroup").Call(jen.Id("err"), definition(), jen.Lit(g.Bit))))
}
