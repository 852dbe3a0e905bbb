package emit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// detectTests makes the file of what evidence becomes.
func detectTests(m *model.Package, names testNames) []byte {
	w := newTestWriter(m, names)
	d := detectionOf(m)
	w.rules(d)
	w.examples(d)
	w.namedErrors(d)
	w.makes(d)
	for _, c := range m.Categories {
		if d.makes(c) {
			w.fills(c)
		}
	}
	w.test("Classify", "")
	w.f("#CheckPassed(t, %s)\n#CheckOptions(t)\n}\n", w.made(sample.Base(m.Codes[0])))
	return w.bytes()
}

// rules writes the rules as a whole.
func (w *testWriter) rules(d detectionData) {
	w.test("Rules", "")
	w.f("#CheckRules(t, &%s{\n", w.use(pkgDetect, "Rules"))
	w.detectList("Rules", "Rule", eachText(d.matched.Rules, ruleText))
	w.detectList("Patterns", "Pattern", eachText(d.matched.Patterns, patternText))
	w.detectList("Needs", "Need", eachText(d.matched.Needs, needText))
	if len(d.matched.FallbackSet) > 0 {
		w.f("FallbackSet: %s,\n", w.list(d.matched.FallbackSet))
	}
	if len(d.matched.Sensitive) > 0 {
		w.f("Sensitive: %s,\n", w.list(d.matched.Sensitive))
	}
	w.f("})\n}\n")
}

// detectList writes a slice of one of the detecting runtime's types, an element a line.
func (w *testWriter) detectList(name, typ string, elements []string) {
	if len(elements) > 0 {
		w.f("%s: []%s{\n%s,\n},\n", name, w.use(pkgDetect, typ), strings.Join(elements, ",\n"))
	}
}

// examples writes the taxonomy's examples and counter-examples, and evidence that says nothing.
func (w *testWriter) examples(d detectionData) {
	judge := detection.NewJudge(d.m)
	w.test("Examples", "")
	w.f("#CheckExamples(t, []#Example{\n")
	for _, c := range d.m.Codes {
		for _, x := range c.Examples {
			name := c.Key + " " + strconv.Itoa(x.Place)
			if x.Not {
				name = "not " + name
			}
			w.example(judge, name, w.exampleEvidence(x))
		}
	}
	w.example(judge, "nothing", given{})
	w.example(
		judge, "an error of no taxonomy",
		given{taxonomy.Evidence{Text: sample.Cause, Err: plainCause{}}, w.prefix + "Cause"})
	w.f("})\n}\n")
}

// plainCause is the error that the tests call their cause.
type plainCause struct{}

func (plainCause) Error() string { return sample.Cause }

func (w *testWriter) example(j *detection.Judge, name string, g given) {
	e := w.expect(j.Of(&g.evidence))
	w.f("{\n%s, %s,\n%s, %s, %t, %s,\n%s,\n%s,\n},\n", w.str(name), w.evidence(g),
		w.str(e.rule), w.str(e.code), e.row.Retryable, w.str(e.row.Reaction.Name), w.str(e.message), w.str(e.context))
}

// expectation is what evidence must become.
type expectation struct {
	rule    string
	code    string
	row     *model.Row
	message string
	context string
}

// expect returns what a verdict comes to.
func (w *testWriter) expect(v detection.Verdict) expectation {
	if v.Code == nil {
		return expectation{row: w.m.Rows[taxonomy.RowPermanent], message: v.Evidence.Error(), context: "{}"}
	}
	cause := ""
	if v.Evidence.Err != nil {
		cause = v.Evidence.Err.Error()
	}
	e := expectation{
		code: v.Code.Value, row: v.Row, message: v.Code.Message.Text(v.Context, cause),
		context: sample.JSON(v.Code.Category.Fields, v.Context),
	}
	if v.Rule != nil {
		e.rule = v.Rule.Name
	}
	return e
}

// makes writes what each rule makes of evidence that has everything.
func (w *testWriter) makes(d detectionData) {
	w.test("Made", "")
	if outcomes := d.outcomes(); len(outcomes) > 0 || d.m.Fallback != nil {
		w.f("#CheckMade(t, []#Made{\n")
		for _, o := range outcomes {
			w.outcome(o)
		}
		if d.m.Fallback != nil {
			w.outcome(outcome{rules: []int{detect.NoRule, len(d.ranked)}, code: d.m.Fallback, set: d.m.FallbackSet})
		}
		w.f("})\n")
	}
	if d.m.Fallback == nil {
		w.f("#CheckUnmatched(t, %s{Text: \"some text\", Err: #Cause})\n", w.use(pkgTaxonomy, "Evidence"))
	}
	w.f("}\n")
}

func (w *testWriter) outcome(o outcome) {
	ev := sample.Evidence(o.code.Category.Fields)[0]
	want := sample.Case{Code: o.code, Context: filledBy(o.code, o.set, &ev), Caused: true}
	rules := make([]string, len(o.rules))
	for i, rank := range o.rules {
		rules[i] = strconv.Itoa(rank)
	}
	w.f("{\n[]int{%s},\n%s,\n&%s,\n},\n", strings.Join(rules, ", "), w.evidence(given{ev, w.prefix + "Cause"}),
		w.literal(want))
}

// filledBy returns what an error of a code holds that is made of evidence.
func filledBy(c *model.Code, set []model.FieldValue, ev *taxonomy.Evidence) model.Context {
	_, ctx, _ := detection.Fill(&model.Package{Fallback: c, FallbackSet: set}, nil, ev)
	return ctx
}

// fills writes what fills the fields of a category.
func (w *testWriter) fills(c *model.Category) {
	code := c.Codes[0]
	w.test(c.Type, "Filled")
	w.f("#CheckFilled(t, %s.from, []#Filled{\n", code.Const)
	for _, ev := range sample.Evidence(c.Fields) {
		want := sample.Case{Code: code, Context: filledBy(&model.Code{Category: c}, nil, &ev)}
		w.f("{%s, &%s},\n", w.evidence(given{evidence: ev}), w.literal(want))
	}
	w.f("})\n}\n")
}

// namedErrors writes by which of the names in rules their errors are known.
func (w *testWriter) namedErrors(d detectionData) {
	named := namedErrors(d.m)
	if len(named) == 0 {
		return
	}
	names := eachText(named, func(e namedError) string { return e.name })
	w.test("RuleIs", "")
	w.f("#CheckNamed(t, %s, []#Named{\n", w.list(names))
	for _, e := range named {
		known := slices.DeleteFunc(
			slices.Clone(names), func(other string) bool { return !model.SameError(e.name, other) })
		expr := w.errorExpr(e.name, "")
		if e.key == detect.Is {
			expr = w.errorExpr("", e.name)
		}
		w.f("{%s, %s},\n", expr, w.list(known))
	}
	w.f("})\n}\n")
}

// exampleEvidence returns the evidence of an example, with the error that it names.
func (w *testWriter) exampleEvidence(x *model.Example) given {
	return given{detection.Evidence(x), w.errorExpr(x.As, x.Is)}
}

// errorExpr returns the expression of an error that `as` and `is` name. Its text is the one of
// [detection.NamedError].
func (w *testWriter) errorExpr(as, is string) string {
	err := detection.NamedError(as, is)
	if err == nil {
		return ""
	}
	expr := "nil"
	if is != "" {
		expr = fmt.Sprintf("%s(%s, %s)", w.use(pkgGentest, "Is"), w.str(err.Error()), w.errorRef(is))
	}
	if as != "" {
		expr = fmt.Sprintf("%s[%s](%s, %s)", w.use(pkgGentest, "As"), w.errorRef(as), w.str(err.Error()), expr)
	}
	return expr
}

// errorRef returns the name of an error as Go, and imports its package.
func (w *testWriter) errorRef(name string) string {
	if w.names == nil {
		w.names = importNames(w.m)
	}
	e := errorName(name)
	w.imports[e.Path] = true
	return strings.Repeat("*", strings.Count(name[:1], "*")) + w.names[e.Path] + "." + e.Name
}
