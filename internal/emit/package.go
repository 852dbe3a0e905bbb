package emit

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// packageFile makes the file of what the package has as a whole: its comment, the check of the
// runtime's version, the names of what the taxonomy declares, and what reads and classifies.
func packageFile(f *jen.File, t *tables, l *literals) {
	m := t.m
	for _, line := range commentLines(packageComment(m)...) {
		f.PackageComment(line)
	}
	declare(f, versionCheck(), baseType(), categoryType(m), categoryIndexes(m), categoriesFunc(m), categoryOf(),
		tierConstants(m))
	declare(f, declaredNames(m)...)
	declare(f, constantFuncs(m)...)
	declare(f, predicates(m), unmarshalError(), attachFunc(m))
	for i, field := range m.Fields {
		declare(f, attributeFunc(field, i))
	}
	if classifies(m) {
		declare(f, classifyFunc(), classifyEvidenceFunc(m), explainFunc(), t.detection(l), fromEvidence(m, l),
			ruleIs(m))
	}
}

// tableFile makes the file of the table, but for what the categories' files have of it.
func tableFile(f *jen.File, t *tables, l *literals) {
	m := t.m
	declare(f, tableVar(m), t.definition(l))
	for _, r := range m.Reactions {
		declare(f, variable(r.Var, r.Doc, "Reaction", l.of(*r.Value)))
	}
	for _, p := range m.Policies {
		declare(f, variable(p.Var, p.Doc, "Policy", l.of(*p.Value)))
	}
}

// baseType makes the name under which errors embed what they have in common.
func baseType() jen.Code {
	return jen.Add(note("base is common to all errors. It is not exported, so only this package sets it.")).
		Type().Id("base").Types(jen.Id("C").Qual(pkgGen, "Code")).Op("=").Qual(pkgGen, "Base").Types(jen.Id("C"))
}

// definition is the package's taxonomy.
func definition() jen.Code { return jen.Op("&").Id("definition") }

func tableVar(m *model.Package) jen.Code {
	values := []jen.Code{jen.Id("Taxonomy").Op(":").Add(definition())}
	if classifies(m) {
		values = append(values, jen.Id("Classifier").Op(":").Op("&").Id("detection"))
	}
	return jen.Add(comment("Table has the reactions and the other traits of the taxonomy's errors.")).
		Var().Id("Table").Op("=").Add(runtimeType("Table")).Values(values...)
}

// definition makes the variable of the taxonomy. All of the tables are composite literals of
// constants and addresses, which the compiler lays out itself: nothing is built when a program
// starts.
func (t *tables) definition(l *literals) jen.Code {
	l.use(pkgGen)
	more := []string{"Init: gen.Init"}
	if slices.ContainsFunc(t.m.Codes, func(c *model.Code) bool { return c.Public }) {
		more = append(more, "AppendPublic: gen.AppendPublic")
	}
	return jen.Var().Id("definition").Op("=").Qual(pkgTaxonomy, "Taxonomy").
		Op(l.fields(reflect.ValueOf(t.m.Taxonomy).Elem(), more))
}

// variable makes the variable of a reaction or a policy.
func variable(name, doc, typ, value string) jen.Code {
	s := jen.Null()
	if doc != "" {
		s = jen.Add(comment(about(name, doc, "")))
	}
	return s.Var().Id(name).Op("=").Qual(pkgTaxonomy, typ).Op(strings.TrimPrefix(value, "taxonomy."+typ))
}

func unmarshalError() jen.Code {
	return jen.Add(comment(
		"UnmarshalError reads an error that MarshalJSON or AppendJSON wrote. Masked values stay masked. If the code, "+
			"the domain or a word of an enum is unknown, the error is a *[taxonomy.Unknown].",
	)).Func().Id("UnmarshalError").Params(jen.Id("b").Index().Byte()).
		Params(jen.Qual(pkgTaxonomy, "Error"), jen.Error()).
		Add(returning(jen.Qual(pkgGen, "Unmarshal").Call(jen.Id("b"), definition())))
}

// attachFunc makes the function that sets fields which all errors have; nil without any.
func attachFunc(m *model.Package) jen.Code {
	if len(m.Fields) == 0 {
		return nil
	}
	return jen.Add(comment(
		"Attach returns err with fields that all errors of this taxonomy have. The first of them in err's tree is "+
			"copied, not changed; any other error is returned unchanged.",
	)).Func().Id("Attach").
		Params(jen.Err().Error(), jen.Id("attributes").Op("...").Add(runtimeType("Attribute"))).Error().
		Add(returning(jen.Qual(pkgTaxonomy, "Attach").Call(jen.Err(), jen.Id("attributes").Op("..."))))
}

// attributeFunc makes the function that returns the attribute of a field which all errors have.
func attributeFunc(f *model.Field, place int) jen.Code {
	return jen.Add(comment(about(f.Attribute+" sets the field "+f.Wire+" of any error; see [Attach]", f.Doc, "."))).
		Func().Id(f.Attribute).Params(jen.Id(f.Param).Add(valueType(f))).Add(runtimeType("Attribute")).
		Block(jen.Return(jen.Qual(pkgTaxonomy, "NewAttribute").Call(definition(), jen.Lit(place), kept(f, jen.Id(f.Param)))))
}

// classifies reports whether m's package classifies: without a rule and a fallback there is nothing
// to find.
func classifies(m *model.Package) bool {
	return len(m.Rules) > 0 || m.Fallback != nil || len(m.SourceFallbacks) > 0
}

func classifyFunc() jen.Code {
	return jen.Add(comment(
		"Classify returns an error of this taxonomy with the evidence in raw; see [detect.Of]. It returns nil, a "+
			"cancelled context, and an error that is or wraps one of this taxonomy unchanged.",
	)).Func().Id("Classify").Params(jen.Id("raw").Any(), options()).Error().
		Add(returning(jen.Id("detection").Dot("Classify").Call(jen.Id("raw"), jen.Id("opts"))))
}

func classifyEvidenceFunc(m *model.Package) jen.Code {
	quick := ""
	if m.Fallback != nil { // otherwise there may be no rule for evidence without a text and a Go error
		quick = `	if m := detection.Quick(ev, opts); m != nil {
		return m.Finish(fromEvidence(m.Row, ev), nil)
	}
`
	}
	return jen.Add(comment("ClassifyEvidence is [Classify] for evidence. It neither keeps nor changes ev.")).
		Func().Id("ClassifyEvidence").Params(jen.Id("ev").Op("*").Add(runtimeType("Evidence")), options()).Error().
		Op("{\n" + quick + `	var room taxonomy.Evidence
	m, as, err := detection.Decide(ev, &room, opts)
	if as == nil {
		return err
	}
	return m.Finish(fromEvidence(m.Row, as), opts)
}`)
}

func explainFunc() jen.Code {
	return jen.Add(comment("Explain returns the result of [Classify], and the reasons for it.")).
		Func().Id("Explain").Params(jen.Id("raw").Any(), options()).Qual(pkgDetect, "Explanation").
		Add(returning(jen.Id("detection").Dot("Explain").Call(jen.Id("raw"), jen.Id("opts"))))
}

func options() jen.Code { return jen.Id("opts").Op("...").Qual(pkgDetect, "Option") }

// detection makes the variable that has the rules of all categories.
func (t *tables) detection(l *literals) jen.Code {
	elements := []string{"Taxonomy: &definition, From: fromEvidence"}
	var rules []string
	for _, c := range t.m.Categories {
		if slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return len(c.Rules) > 0 }) {
			rules = append(rules, c.Var+": "+c.RulesVar)
		}
	}
	if len(rules) > 0 {
		elements = append(elements, "Categories: [][][]detect.CodeRule{\n"+strings.Join(rules, ",\n")+",\n}")
	}
	if set := model.SetJSON(t.m.FallbackSet); set != "" {
		elements = append(elements, "FallbackSet: "+quote(set))
	}
	if len(t.m.Signatures) > 0 {
		elements = append(elements, "Leads: leads")
	}
	if len(namedErrors(t.m)) > 0 {
		elements = append(elements, "Is: ruleIs")
	}
	var sources []string
	for _, s := range t.m.Taxonomy.Sources {
		if c := t.m.SourceFallbacks[s.Name]; c != nil {
			if set := apply(c, nil, c.Set); set != nil {
				sources = append(sources, "{Source: "+quote(s.Name)+", Apply: "+expression(set)+"}")
			}
		}
	}
	if len(sources) > 0 {
		elements = append(elements, "Sources: []detect.SourceApply{\n"+strings.Join(sources, ",\n")+",\n}")
	}
	detection := jen.Var().Id("detection").Op("=").Qual(pkgDetect, "Detection")
	if f := t.m.Fallback; f != nil {
		if set := apply(f, t.m.FallbackSet, f.Set); set != nil {
			return detection.Op("{\n" + strings.Join(elements, ",\n") + ",\nFallbackApply:").Add(set).Op(",\n}")
		}
	}
	return detection.Op(braces(elements, false))
}

func packageComment(m *model.Package) []string {
	first := about("Package "+m.Name+" holds typed errors and the reactions to them", m.Doc, ".")
	if strings.HasPrefix(strings.Join(strings.Fields(m.Doc), " "), "Package "+m.Name+" ") {
		first = sentence(m.Doc) // already a package comment
	}
	use := "The factory of a code makes an error. Match errors by code or type, and look up their reactions in " +
		"[Table]. [UnmarshalError] reads an error from JSON."
	if classifies(m) {
		use += " [Classify] makes one from any other error."
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

const versionComment = `// If this does not compile, the runtime is older than this file or no longer supports it: run
// "go get github.com/errgen/errgen@latest". If that does not help, generate again.`

// contractVersion is the version of runtime/taxonomy/gen that the emitted code is written for.
const contractVersion = 5

func categoryType(m *model.Package) jen.Code {
	return jen.Add(note("Category is a category of the taxonomy.")).Type().Id("Category").String().Line().Line().
		Add(note("The categories.")).Const().DefsFunc(func(g *jen.Group) {
		for _, c := range m.Categories {
			g.Id(c.Const).Id("Category").Op("=").Lit(c.Name)
		}
	})
}

// categoryIndexes names the categories' places in the table.
func categoryIndexes(m *model.Package) jen.Code {
	return jen.Add(note("The categories by their place in the table.")).Const().DefsFunc(func(g *jen.Group) {
		for i, c := range m.Categories {
			if s := g.Id(c.Var); i == 0 {
				s.Op("=").Iota()
			}
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

// predicates makes the functions that test for a category or a group.
func predicates(m *model.Package) jen.Code {
	s := jen.Add(note("Each of these reports whether err is, or wraps, an error of that category or group.")).Line()
	for _, c := range m.Categories {
		s.Line().Add(predicate(c.Predicate, "InCategory", jen.Id(c.Var)))
	}
	for _, g := range m.Groups {
		s.Line().Add(predicate(g.Predicate, "InGroup", jen.Lit(g.Bit)))
	}
	return s
}

// constantFuncs makes the functions that return the constants of codes.
func constantFuncs(m *model.Package) []jen.Code {
	out := make([]jen.Code, len(m.Constants))
	for i, c := range m.Constants {
		typ := valueType(&model.Field{Type: c.Type})
		doc := c.Function + " returns the constant " + c.Name + " of the code of err, if it has one"
		out[i] = jen.Add(comment(about(doc, c.Doc, "."))).
			Func().Id(c.Function).Params(jen.Id("err").Error()).
			Params(jen.Id("value").Add(typ), jen.Id("ok").Bool()).
			Block(jen.Return(jen.Qual(pkgGen, "Constant").Types(typ).Call(jen.Id("err"), definition(), jen.Lit(i))))
	}
	return out
}

func predicate(name, function string, of jen.Code) jen.Code {
	return jen.Func().Id(name).Params(jen.Id("err").Error()).Bool().
		Add(returning(jen.Qual(pkgGen, function).Call(jen.Id("err"), definition(), of)))
}
