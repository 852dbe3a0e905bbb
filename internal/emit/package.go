package emit

import (
	"cmp"
	"fmt"
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
	declare(f, text(versionCheck), text(baseType))
	declare(f, categories(m)...)
	declare(f, text(categoryOf), tierConstants(m))
	declare(f, declaredNames(m)...)
	for i, c := range m.Constants {
		doc := about(c.Function+" returns the constant "+c.Name+" of the code of err, if it has one", c.Doc, ".")
		typ := valueType(&model.Field{Type: c.Type})
		declare(f, documented(doc, fmt.Sprintf(`func %s(err error) (value %s, ok bool) {
	return gen.Constant[%[2]s](err, &definition, %d)
}`, c.Function, typ, i)))
	}
	declare(f, predicates(m), documented("UnmarshalError reads an error that MarshalJSON or AppendJSON wrote. "+
		"Masked values stay masked. If the code, the domain or a word of an enum is unknown, the error is a "+
		"*[taxonomy.Unknown].",
		"func UnmarshalError(b []byte) (taxonomy.Error, error) { return gen.Unmarshal(b, &definition) }"))
	if len(m.Fields) > 0 {
		declare(f, documented("Attach returns err with attributes that all errors of this taxonomy have. It sets "+
			"them in a copy of the first such error in err's tree. Any other error is returned unchanged.",
			`func Attach(err error, attributes ...taxonomy.Attribute) error {
	return taxonomy.Attach(err, attributes...)
}`))
	}
	for i, x := range m.Fields {
		doc := about(x.Attribute+" sets the field "+x.Wire+" of any error; see [Attach]", x.Doc, ".")
		declare(f, documented(doc, fmt.Sprintf(`func %s(%s %s) taxonomy.Attribute {
	return taxonomy.NewAttribute(&definition, %d, %s)
}`, x.Attribute, x.Param, valueType(x), i, convert(x, x.Param))))
	}
	if classifies(m) {
		g.classifyFunctions(f)
	}
}

const baseType = `// base is common to all errors. It is not exported, so only this package sets it.
type base[C gen.Code] = gen.Base[C]`

const categoryOf = `// CategoryOf returns the category of the first error of this taxonomy in err's chain, or "".
func CategoryOf(err error) Category { return Category(gen.CategoryOf(err, &definition)) }`

const versionCheck = `// If this does not compile, the runtime is older than this file or no longer supports it: run
// "go get github.com/errgen/errgen@latest". If that does not help, generate again.
const (
	_ = gen.EnforceVersion(gen.Version - 6)
	_ = gen.EnforceVersion(6 - gen.MinVersion)
)`

// tableFile makes the file of the table, except the parts in the categories' files. All tables are
// composite literals of constants and addresses. The compiler lays them out, so a program builds
// nothing when it starts.
func (g *generator) tableFile(f *jen.File) {
	m := g.m
	classifier := ""
	if classifies(m) {
		classifier = ", Classifier: &detection"
	}
	functions := []string{"Init: gen.Init"}
	if slices.ContainsFunc(m.Codes, func(c *model.Code) bool { return c.Public }) {
		functions = append(functions, "AppendPublic: gen.AppendPublic")
	}
	declare(f, text("// Table has the reactions and the other traits of the taxonomy's errors.\n"+
		"var Table = taxonomy.Table{Taxonomy: &definition"+classifier+"}"),
		text("var definition = taxonomy.Taxonomy"+g.fields(reflect.ValueOf(m.Taxonomy).Elem(), functions)))
	for _, r := range m.Reactions {
		declare(f, g.variable(r.Var, r.Doc, r.Profile, *r.Value))
	}
	for _, p := range m.Policies {
		declare(f, g.variable(p.Var, p.Doc, p.Profile, *p.Value))
	}
}

// variable makes the variable of a reaction or a policy. A variable for a profile has no comment,
// because the original has it.
func (g *generator) variable(name, doc, profile string, value any) jen.Code {
	decl := text("var " + name + " = " + g.literal(value))
	if doc == "" || profile != "" {
		return decl
	}
	return jen.Add(comment(about(name, doc, "")), decl)
}

// classifies reports whether m's package has functions that classify: m has a rule or a fallback.
func classifies(m *model.Package) bool {
	return len(m.Rules) > 0 || m.Fallback != nil || len(m.SourceFallbacks) > 0
}

// classifyFunctions makes the functions that classify, and the variable of the rules.
func (g *generator) classifyFunctions(f *jen.File) {
	quick := ""
	if g.m.Fallback != nil { // without a fallback, Quick would often return nil
		quick = `	if m := detection.Quick(ev, opts); m != nil {
		return m.Finish(fromEvidence(m.Row, ev), nil)
	}
`
	}
	declare(f, text(`// Classify returns an error of this taxonomy with the evidence in raw; see [detect.Of]. It returns
// nil, a cancelled context, and an error that is or wraps one of this taxonomy unchanged.
func Classify(raw any, opts ...detect.Option) error { return detection.Classify(raw, opts) }`),
		text(`// ClassifyEvidence is [Classify] for evidence. It neither keeps nor changes ev.
func ClassifyEvidence(ev *taxonomy.Evidence, opts ...detect.Option) error {
`+quick+`	var room taxonomy.Evidence
	m, as, err := detection.Decide(ev, &room, opts)
	if as == nil {
		return err
	}
	return m.Finish(fromEvidence(m.Row, as), opts)
}`),
		text(`// Explain returns the result of [Classify], and the reasons for it.
func Explain(raw any, opts ...detect.Option) detect.Explanation { return detection.Explain(raw, opts) }`),
		text(g.detection()), text(g.fromEvidence()))
	if named := namedErrors(g.m); len(named) > 0 {
		declare(f, text(g.ruleIs(named)))
	}
}

// detection returns the variable that has the rules of all categories.
func (g *generator) detection() string {
	m := g.m
	elements := []string{"Taxonomy: &definition, From: fromEvidence"}
	add := func(name, value string) { elements = append(elements, name+": "+value) }
	var rules []string
	for _, c := range m.Categories {
		if slices.ContainsFunc(c.Codes, func(c *model.Code) bool { return len(c.Rules) > 0 }) {
			rules = append(rules, c.Var+": "+c.RulesVar)
		}
	}
	if len(rules) > 0 {
		add("Categories", "[][][]detect.CodeRule{\n"+strings.Join(rules, ",\n")+",\n}")
	}
	if set := model.SetJSON(m.FallbackSet); set != "" {
		add("FallbackSet", quote(set))
	}
	if len(m.Signatures) > 0 {
		add("Leads", "leads")
	}
	if len(namedErrors(m)) > 0 {
		add("Is", "ruleIs")
	}
	var sources []string
	for _, s := range m.Taxonomy.Sources {
		if c := m.SourceFallbacks[s.Name]; c != nil && len(c.Set) > 0 {
			sources = append(sources, "{Source: "+quote(s.Name)+", Apply: "+apply(c, c.Set)+"}")
		}
	}
	if len(sources) > 0 {
		add("Sources", "[]detect.SourceApply{\n"+strings.Join(sources, ",\n")+",\n}")
	}
	if c := m.Fallback; c != nil && len(m.FallbackSet)+len(c.Set) > 0 {
		add("FallbackApply", apply(c, m.FallbackSet, c.Set))
	}
	return "var detection = detect.Detection" + braces(elements, false)
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
func (g *generator) ruleIs(named []namedError) string {
	var cases strings.Builder
	for _, e := range named {
		fmt.Fprintf(&cases, "case %s:\n", quote(e.name))
		if e.key == detect.Is {
			fmt.Fprintf(&cases, "return errors.Is(err, %s)\n", g.errorRef(e.name))
		} else {
			fmt.Fprintf(&cases, "_, ok := errors.AsType[%s](err)\nreturn ok\n", g.errorRef(e.name))
		}
	}
	return `// ruleIs reports whether err is, or wraps, the error that a rule names in is or as.
func ruleIs(err error, name string) bool {
	switch name {
	` + cases.String() + `default:
		return false
	}
}`
}

// errorRef returns the Go expression for the name of an error variable or type.
func (g *generator) errorRef(name string) string {
	e := errorName(name)
	return strings.Repeat("*", strings.Count(name[:1], "*")) + g.imports[e.Path] + "." + e.Name
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
