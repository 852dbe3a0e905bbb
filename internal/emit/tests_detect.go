package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/stdlib"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// detectTests makes the file of what evidence becomes.
func detectTests(m *model.Package, names testNames) []byte {
	w := newTestWriter(m, names)
	d := detectionData{m, detection.Rules(m), detection.Ranked(m)}
	w.rules(d)
	w.examples(d)
	w.namedErrors(d)
	w.makes(d)
	w.test("Classify", "")
	w.f("#CheckPassed(t, %s)\n#CheckOptions(t)\n}\n", w.made(sample.Base(m.Codes[0])))
	return w.bytes()
}

// detectionData is a taxonomy with its rules as they are matched.
type detectionData struct {
	m       *model.Package
	matched *detect.Rules
	ranked  []*model.Rule // in the order of matched
}

// rules writes the rules as a whole.
func (w *testWriter) rules(d detectionData) {
	w.test("Rules", "")
	w.use(pkgDetect, "")
	rules := detect.Rules{Patterns: d.matched.Patterns, Needs: d.matched.Needs, Sensitive: d.matched.Sensitive}
	for _, r := range d.matched.Rules {
		slices.Sort(r.Set)
		rules.Rules = append(rules.Rules, r)
	}
	w.f("#CheckRules(t, []detect.Rule{\n")
	for _, r := range rules.Rules {
		w.f("%s,\n", strings.TrimPrefix(w.runtimeValue(r), "detect.Rule"))
	}
	w.f("}, []detect.Pattern{\n")
	for _, r := range rules.Patterns {
		w.f("%s,\n", strings.TrimPrefix(w.runtimeValue(r), "detect.Pattern"))
	}
	w.f("}, %s)\n}\n", w.list(d.matched.Sensitive))
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
		return expectation{row: w.m.Rows[taxonomy.RowUnknownPermanent], message: v.Evidence.Error(), context: "{}"}
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
	if len(d.ranked) > 0 || d.m.Fallback != nil {
		w.f("#CheckMade(t, []#Made{\n")
		for i, r := range d.ranked {
			w.outcome(i, r.Code, r.Set)
		}
		if d.m.Fallback != nil {
			w.outcome(detect.NoRule, d.m.Fallback, d.m.FallbackSet)
		}
		w.f("})\n")
	}
	if d.m.Fallback == nil {
		w.f("#CheckUnmatched(t, %s{Text: \"some text\", Err: #Cause})\n", w.use(pkgTaxonomy, "Evidence"))
	}
	w.f("}\n")
}

func (w *testWriter) outcome(rule int, c *model.Code, set []model.FieldValue) {
	all := sample.Evidence(c.Category.Fields)
	if rule > 0 {
		all = all[:1]
	}
	for _, ev := range all {
		want := sample.Case{Code: c, Context: filledBy(c, set, &ev), Caused: true}
		w.f("{\n[]int{%d},\n%s,\n&%s,\n},\n", rule, w.evidence(given{ev, w.prefix + "Cause"}), w.literal(want))
	}
}

// filledBy returns what an error of a code holds that is made of evidence.
func filledBy(c *model.Code, set []model.FieldValue, ev *taxonomy.Evidence) model.Context {
	_, ctx, _ := detection.Fill(&model.Package{Fallback: c, FallbackSet: set}, nil, ev)
	return ctx
}

// namedErrors writes by which of the names in rules their errors are known.
func (w *testWriter) namedErrors(d detectionData) {
	named := standardErrors(d.m)
	if len(named) == 0 {
		return
	}
	names := eachText(named, func(e standardError) string { return e.name })
	w.test("RuleIs", "")
	w.f("#CheckNamed(t, %s, []#Named{\n", w.list(names))
	for _, name := range names {
		err, _ := stdlib.Make(name)
		var known []string
		for _, other := range names {
			if d.matched.Is(err, other) {
				known = append(known, other)
			}
		}
		w.f("{%s, %s},\n", w.standardError(name), w.list(known))
	}
	w.f("})\n}\n")
}

// exampleEvidence returns the evidence of an example, with the error that it names.
func (w *testWriter) exampleEvidence(x *model.Example) given {
	g := given{evidence: detection.Evidence(x)}
	as, _ := stdlib.GoExpr(x.As)
	is, _ := stdlib.GoExpr(x.Is)
	g.err = w.expression(stdlib.WrapExpr(as, is))
	return g
}

// standardError returns the expression of an error of the standard library.
func (w *testWriter) standardError(name string) string {
	expr, _ := stdlib.GoExpr(name)
	return w.expression(expr)
}

func (w *testWriter) expression(expr stdlib.Expr) string {
	for _, path := range expr.Imports {
		w.imports[path] = true
	}
	return expr.Code
}
