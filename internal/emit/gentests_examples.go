package emit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// exampleRow is evidence and the error that it becomes.
type exampleRow struct {
	evidence taxonomy.Evidence
	as, is   string // the names of the error in the evidence
	rule     string
	branch   int
	context  string
	not      bool
}

// ruleName returns the name of a rule in the package.
func ruleName(r *model.Rule) string { return r.Name }

// expectExamples finds what the examples become, and what evidence without any condition becomes.
func (d *testData) expectExamples() {
	d.examples, d.won = make(map[*model.Code][]exampleRow), make(map[*model.Rule]bool)
	if !classifies(d.m) {
		return
	}
	judge := detection.NewJudge(d.m)
	expect := func(x exampleRow) (exampleRow, *model.Code) {
		v := judge.Of(&x.evidence)
		x.context = "{}"
		if v.Rule != nil {
			x.rule = ruleName(v.Rule)
			d.won[v.Rule] = true
		}
		if v.Code != nil {
			x.branch, x.context = v.Row.At.Branch(), sample.JSON(v.Code.Fields(), v.Context)
		}
		return x, v.Code
	}
	for _, c := range d.m.Codes {
		for _, x := range c.Examples {
			row, _ := expect(exampleRow{evidence: detection.Evidence(x), as: x.As, is: x.Is, not: x.Not})
			d.examples[c] = append(d.examples[c], row)
		}
	}
	more := []exampleRow{{}, {evidence: taxonomy.Evidence{Text: sample.Cause, Err: plainCause{}}}}
	for _, s := range d.m.Taxonomy.Sources {
		if s.Fallback != "" {
			more = append(more, exampleRow{evidence: taxonomy.Evidence{Source: s.Name}})
		}
	}
	for _, x := range more {
		if row, c := expect(x); c != nil {
			d.examples[c] = append(d.examples[c], row)
		}
	}
}

// plainCause is the error that the tests call their cause.
type plainCause struct{}

func (plainCause) Error() string { return sample.Cause }

// example returns an example as an expression.
func (w *testWriter) example(x exampleRow) string {
	return fmt.Sprintf("gentest.Becomes(%s, %d, %s, %s)", w.str(x.rule), x.branch, w.str(x.context), w.evidence(x))
}

// evidence returns evidence as an expression.
func (w *testWriter) evidence(x exampleRow) string {
	ev := x.evidence
	var fields []string
	add := func(name, value string, present bool) {
		if present {
			fields = append(fields, name+": "+value)
		}
	}
	text := func(name, s string) { add(name, w.str(s), s != "") }
	text("Source", ev.Source)
	text("Op", ev.Op)
	text("Type", ev.Type)
	add("Status", strconv.Itoa(ev.Status), ev.Status != 0)
	add("StatusDerived", "true", ev.StatusDerived)
	text("Code", ev.Code)
	if code, ok := ev.ExitCode.Get(); ok {
		add("ExitCode", w.use(pkgTaxonomy, "Some")+"("+strconv.Itoa(code)+")", true)
	}
	text("Signal", ev.Signal)
	text("Errno", ev.Errno)
	text("Text", ev.Text)
	text("Output", ev.Output)
	add("Files", w.strings(ev.Files), ev.Files != nil)
	if d, ok := ev.RetryAfter.Get(); ok {
		value := model.Value{Type: model.Duration, Duration: d}
		add("RetryAfter", w.use(pkgTaxonomy, "Some")+"("+w.typed(&model.Field{Type: model.Duration}, value)+")", true)
	}
	if !ev.ResetAt.IsZero() {
		add("ResetAt", w.instant(ev.ResetAt), true)
	}
	text("Credential", ev.Credential)
	if len(ev.Attributes) > 0 {
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(ev.Attributes)) {
			pairs = append(pairs, w.str(key)+": "+w.str(ev.Attributes[key]))
		}
		add("Attributes", "map[string]string{"+strings.Join(pairs, ", ")+"}", true)
	}
	if _, plain := ev.Err.(plainCause); plain {
		add("Err", "gentest.Cause", true)
	} else if ev.Err != nil {
		add("Err", w.errorExpr(x.as, x.is), true)
	}
	return w.use(pkgTaxonomy, "Evidence") + "{" + strings.Join(fields, ", ") + "}"
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
	if w.packageNames == nil {
		w.packageNames = w.tables.importNames
	}
	e := errorName(name)
	w.imports[e.Path] = true
	return strings.Repeat("*", strings.Count(name[:1], "*")) + w.packageNames[e.Path] + "." + e.Name
}

// hintsOf returns the hints of an error with the context.
func hintsOf(c *model.Category, ctx model.Context) taxonomy.Hints {
	var h taxonomy.Hints
	for _, f := range c.Fields {
		v, ok := ctx[f]
		switch key := (roleOf{f.Role, f.Type}); {
		case !ok:
		case key == roleOf{model.RoleRetryAfter, model.Duration} && !f.Sensitive:
			h.RetryAfter = taxonomy.Some(v.Duration)
		case key == roleOf{model.RoleResetAt, model.Time} && !f.Sensitive:
			h.ResetAt = taxonomy.Some(v.Time)
		case key == roleOf{model.RoleFiles, model.Strings}:
			h.Files = v.Strings
		case key == roleOf{model.RoleCredential, model.String}:
			h.Credential = v.Str
		case key == roleOf{model.RoleOutput, model.String}:
			h.Output = v.Str
		}
	}
	return h
}

// roleOf is the role and the type of a field that becomes a hint.
type roleOf struct {
	role model.Role
	typ  model.Type
}
