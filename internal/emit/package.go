package emit

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// packageFile makes the file of the package as a whole: its comment, the check of the runtime's
// version, the names that the taxonomy declares, and the functions that read and classify errors.
func (g *generator) packageFile(f *jen.File) {
	m := g.m
	for _, line := range commentLines(packageComment(m)...) {
		f.PackageComment(line)
	}
	declare(f, versionCheck(), baseType())
	categories(f, m)
	declare(f, tierConstants(m))
	declare(f, declaredNames(m)...)
	for i, c := range m.Constants {
		declare(f, constantFunction(i, c))
	}
	declare(f, predicates(m)...)
	declare(f, unmarshalError())
	if len(m.Fields) > 0 {
		declare(f, attach())
	}
	for i, x := range m.Fields {
		declare(f, attribute(i, x))
	}
	if classifies(m) {
		g.classifyFunctions(f)
	}
	declare(f, packageSummary(m))
}

// runtimeVersion is the version of the runtime that generated code needs.
const runtimeVersion = 6

// versionCheck returns constants that overflow if the runtime does not support generated code.
func versionCheck() jen.Code {
	enforce := func(difference jen.Code) jen.Code {
		return jen.Id("_").Op("=").Add(genName("EnforceVersion")).Call(difference)
	}
	return jen.Add(comment("If this does not compile, the runtime is older than this file or no longer supports it.",
		`Run "go get github.com/errgen/errgen@latest". If that does not help, generate again.`),
		jen.Const().Defs(
			enforce(genName("Version").Op("-").Lit(runtimeVersion)),
			enforce(jen.Lit(runtimeVersion).Op("-").Add(genName("MinVersion")))))
}

// baseType returns the type that all types of errors embed.
func baseType() jen.Code {
	return documented("base is common to all errors. It is not exported, so only this package sets it.",
		jen.Type().Id("base").Types(jen.Id("C").Add(genName("Code"))).Op("=").Add(genName("Base")).Types(jen.Id("C")))
}

// constantFunction returns the function that returns the nth constant of an error's code.
func constantFunction(n int, c *model.Constant) jen.Code {
	typ := valueType(&model.Field{Type: c.ValueType})
	doc := about(c.Function+" returns the constant "+c.Name+" of the code of err, if it has one", c.Doc, ".")
	return documented(doc, jen.Func().Id(c.Function).
		Params(jen.Err().Error()).Params(jen.Id("value").Add(typ), jen.Id("ok").Bool()).
		Block(jen.Return(genName("Constant").Types(typ).Call(jen.Err(), definition(), jen.Lit(n)))))
}

// unmarshalError returns the function that decodes errors.
func unmarshalError() jen.Code {
	return documented("UnmarshalError reads an error that MarshalJSON or AppendJSON wrote. "+
		"Masked values stay masked. If the code, the domain or a word of an enum is unknown, the error is a "+
		"*[taxonomy.Unknown].",
		jen.Func().Id("UnmarshalError").Params(jen.Id("b").Index().Byte()).Params(taxonomyName("Error"), jen.Error()).
			Add(returning(genName("Unmarshal").Call(jen.Id("b"), definition()))))
}

// attach returns the function that sets the fields of all categories.
func attach() jen.Code {
	attributes := jen.Id("attributes").Op("...")
	return documented("Attach returns err with attributes that all errors of this taxonomy have. It sets "+
		"them in a copy of the first such error in err's tree. Any other error is returned unchanged.",
		jen.Func().Id("Attach").Params(jen.Err().Error(), jen.Add(attributes, taxonomyName("Attribute"))).Error().
			Block(jen.Return(taxonomyName("Attach").Call(jen.Err(), attributes))))
}

// attribute returns the function that makes the attribute for the nth field of all categories.
func attribute(n int, f *model.Field) jen.Code {
	return documented(about(f.Attribute+" sets the field "+f.Wire+" of any error; see [Attach]", f.Doc, "."),
		jen.Func().Id(f.Attribute).Params(jen.Id(f.Param).Add(valueType(f))).Add(taxonomyName("Attribute")).
			Block(jen.Return(taxonomyName("NewAttribute").
				Call(definition(), jen.Lit(n), converted(f, jen.Id(f.Param))))))
}

// tableFile makes the file of the table, except the parts in the categories' files. All tables are
// composite literals of constants and addresses. The compiler lays them out, so a program builds
// nothing when it starts.
func (g *generator) tableFile(f *jen.File) {
	m := g.m
	table := []jen.Code{keyed("Taxonomy", definition())}
	if classifies(m) {
		table = append(table, keyed("Classifier", addressOf("detection")))
	}
	functions := []literal{element("Init", qualified(genPath, "Init"))}
	if slices.ContainsFunc(m.Codes, func(c *model.Code) bool { return c.Public }) {
		functions = append(functions, element("AppendPublic", qualified(genPath, "AppendPublic")))
	}
	declare(f,
		documented("Table has the reactions and the other traits of the taxonomy's errors.",
			jen.Var().Id("Table").Op("=").Add(taxonomyName("Table")).Values(table...)),
		variable("definition", concat(qualified(taxonomyPath, "Taxonomy"),
			g.fields(reflect.ValueOf(m.Taxonomy).Elem(), functions...))))
	for _, r := range m.Reactions {
		declare(f, documented(variableDoc(r.Var, r.Doc, r.Profile), variable(r.Var, g.print(*r.Value))))
	}
	for _, p := range m.Policies {
		declare(f, documented(variableDoc(p.Var, p.Doc, p.Profile), variable(p.Var, g.print(*p.Value))))
	}
}

// variableDoc returns the comment of the variable of a reaction or a policy. A variable for a
// profile has no comment, because the original has it.
func variableDoc(name, doc, profile string) string {
	if doc == "" || profile != "" {
		return ""
	}
	return about(name, doc, "")
}

// classifies reports whether m's package has functions that classify: m has a rule or a fallback.
func classifies(m *model.Package) bool {
	return len(m.Rules) > 0 || m.Fallback != nil || len(m.SourceFallbacks) > 0
}

// classifyFunctions makes the functions that classify, and the variable of the rules.
func (g *generator) classifyFunctions(f *jen.File) {
	ev := jen.Id("ev").Op("*").Add(taxonomyName("Evidence"))
	opts := jen.Id("opts").Op("...").Add(detectName("Option"))
	raw := jen.Id("raw").Any()
	// finish returns the error of a match with evidence.
	finish := func(ev string, opts jen.Code) jen.Code {
		filled := jen.Id("fromEvidence").Call(jen.Id("m").Dot("Row"), jen.Id(ev))
		return jen.Return(jen.Id("m").Dot("Finish").Call(filled, jen.Id(ev).Dot("Effect"), opts))
	}
	declare(f,
		documented("Classify returns an error of this taxonomy with the evidence in raw; see [detect.Of]. It returns "+
			"nil, a cancelled context, and an error that is or wraps one of this taxonomy unchanged.",
			jen.Func().Id("Classify").Params(raw, opts).Error().
				Add(returning(jen.Id("detection").Dot("Classify").Call(jen.Id("raw"), jen.Id("opts"))))),
		documented("ClassifyEvidence is [Classify] for evidence. It neither keeps nor changes ev.",
			jen.Func().Id("ClassifyEvidence").Params(ev, opts).Error().BlockFunc(func(b *jen.Group) {
				if g.m.Fallback != nil { // without a fallback, Quick would often return nil
					quick := jen.Id("detection").Dot("Quick").Call(jen.Id("ev"), jen.Id("opts"))
					b.If(jen.Id("m").Op(":=").Add(quick), jen.Id("m").Op("!=").Nil()).Block(finish("ev", jen.Nil()))
				}
				b.Var().Id("room").Add(taxonomyName("Evidence"))
				b.List(jen.Id("m"), jen.Id("as"), jen.Err()).Op(":=").
					Id("detection").Dot("Decide").Call(jen.Id("ev"), addressOf("room"), jen.Id("opts"))
				b.If(jen.Id("as").Op("==").Nil()).Block(jen.Return(jen.Err()))
				b.Add(finish("as", jen.Id("opts")))
			})),
		documented("Explain returns the result of [Classify], and the reasons for it.",
			jen.Func().Id("Explain").Params(raw, opts).Add(detectName("Explanation"),
				returning(jen.Id("detection").Dot("Explain").Call(jen.Id("raw"), jen.Id("opts"))))),
		examples(g.m), g.detection(), g.fromEvidence())
	if named := namedErrors(g.m); len(named) > 0 {
		declare(f, g.ruleIs(named))
	}
}

// detection returns the variable that has the rules of all categories.
func (g *generator) detection() jen.Code {
	m := g.m
	elements := []jen.Code{keyed("Taxonomy", definition()), keyed("From", jen.Id("fromEvidence"))}
	add := func(name string, value jen.Code) { elements = append(elements, keyed(name, value)) }
	var rules []jen.Code
	for _, c := range m.Categories {
		if slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return len(c.Rules) > 0 }) {
			rules = append(rules, keyed(c.Var, jen.Id(c.RulesVar)))
		}
	}
	if len(rules) > 0 {
		add("Categories", jen.Index().Index().Index().Add(detectName("CodeRule"), onLines(rules...)))
	}
	if set := model.SetJSON(m.FallbackSet); set != "" {
		add("FallbackSet", str(set))
	}
	if len(m.Signatures) > 0 {
		add("Leads", jen.Id("leads"))
	}
	if len(namedErrors(m)) > 0 {
		add("Is", jen.Id("ruleIs"))
	}
	var sources []jen.Code
	for _, s := range m.Taxonomy.Sources {
		if c := m.SourceFallbacks[s.Name]; c != nil && len(c.Sets) > 0 {
			sources = append(sources, jen.Values(keyed("Source", str(s.Name)), keyed("Apply", apply(c, c.Sets))))
		}
	}
	if len(sources) > 0 {
		add("Sources", jen.Index().Add(detectName("SourceApply"), onLines(sources...)))
	}
	if c := m.Fallback; c != nil && len(m.FallbackSet)+len(c.Sets) > 0 {
		add("FallbackApply", apply(c, m.FallbackSet, c.Sets))
	}
	return jen.Var().Id("detection").Op("=").Add(detectName("Detection"), onLines(elements...))
}

// namedError is an error that a rule names.
type namedError struct {
	key  detect.Key
	name string
}

// namedErrors lists the errors that rules name, sorted: variables before types.
func namedErrors(m *model.Package) []namedError {
	var out []namedError
	for _, r := range m.Rules {
		for _, c := range r.Conditions {
			if c.Key == detect.Is || c.Key == detect.As {
				for _, name := range slices.Concat(c.Any, c.Not) {
					out = append(out, namedError{c.Key, name})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b namedError) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.name, b.name))
	})
	return slices.Compact(out)
}

// ruleIs returns the function that reports whether an error is one that a rule names.
func (g *generator) ruleIs(named []namedError) jen.Code {
	return documented("ruleIs reports whether err is, or wraps, the error that a rule names in is or as.",
		jen.Func().Id("ruleIs").Params(jen.Err().Error(), jen.Id("name").String()).Bool().Block(
			jen.Switch(jen.Id("name")).BlockFunc(func(b *jen.Group) {
				for _, e := range named {
					b.Case(str(e.name)).Block(g.matches(e)...)
				}
				b.Default().Block(jen.Return(jen.False()))
			})))
}

// matches returns the statements that report whether err is a named error.
func (g *generator) matches(e namedError) []jen.Code {
	if e.key == detect.Is {
		return []jen.Code{jen.Return(jen.Qual("errors", "Is").Call(jen.Err(), g.errorRef(e.name)))}
	}
	asType := jen.Qual("errors", "AsType").Types(g.errorRef(e.name)).Call(jen.Err())
	return []jen.Code{jen.List(jen.Id("_"), jen.Id("ok")).Op(":=").Add(asType), jen.Return(jen.Id("ok"))}
}

// errorRef returns the Go expression for the name of an error variable or type.
func (g *generator) errorRef(name string) *jen.Statement {
	e := errorName(name)
	if e.Pointer {
		return jen.Op("*").Qual(e.Path, e.Name)
	}
	return jen.Qual(e.Path, e.Name)
}

// errorName parses a name that package check has accepted.
func errorName(name string) model.ErrorName {
	parsed, err := model.ParseErrorName(name)
	if err != nil {
		panic(err)
	}
	return parsed
}

// packageComment returns the paragraphs of the package's comment.
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

// operations makes the file of the operations that the program offers.
func (g *generator) operations(f *jen.File) {
	for _, o := range g.m.Operations {
		declare(f, documented(about(o.Var, o.Value.Doc, " is the operation "+o.Value.Name+"."), variable(o.Var,
			g.print(*o.Value))))
	}
}
