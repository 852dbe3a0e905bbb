package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/tabletext"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The generated tests specify the package as text, which package gentest compares with the
// package's values. The test file of a category specifies its codes. The test file of the package
// contains lists of names, reactions and policies.

// testData is the data that all test files of a package share. It does not change after
// [newTestData].
type testData struct {
	m         *model.Package
	pkg       string // the name of the variable that holds the package under test
	taken     exported
	printer   *tabletext.Printer
	g         *generator
	rows      map[*model.Row]string
	reactions []string
	policies  []string
	rules     *detect.Rules
	examples  map[*model.Code][]jen.Code // expressions of the examples
	not       map[*model.Code][]jen.Code // and of the counter-examples
}

// testFiles lists the files of the package's tests.
func (g *generator) testFiles() []file {
	m, d := g.m, newTestData(g)
	files := []file{{name: "errgen_gen_test.go", build: d.packageTests}}
	for _, c := range m.Categories {
		files = append(files, file{name: c.File + "_gen_test.go", build: func(f *jen.File) { d.categoryTests(f, c) }})
	}
	return files
}

func newTestData(g *generator) *testData {
	m := g.m
	d := &testData{
		m: m, taken: exportedNames(m), printer: tabletext.NewPrinter(), g: g,
		rows: make(map[*model.Row]string), rules: detection.Rules(m),
		examples: make(map[*model.Code][]jen.Code), not: make(map[*model.Code][]jen.Code),
	}
	d.pkg = d.free("genPackage")
	for _, p := range m.Policies {
		d.label(&d.policies, p.Value.Name, p.Profile, m.Declared[p.Value], *p.Value)
	}
	for _, r := range m.Reactions {
		d.label(&d.reactions, r.Value.Name, r.Profile, m.Declared[r.Value], *r.Value)
	}
	for _, r := range m.Rows {
		d.rows[r] = d.printer.Row(r.Traits, profileNames(m), func(i int) taxonomy.Traits {
			return m.Under(m.Profiles[i], r)
		})
	}
	d.expectExamples()
	return d
}

// label adds the text of a declared reaction or policy to a list. From then on the printer prints
// the name in place of the text.
func (d *testData) label(list *[]string, name, profile string, declared bool, v any) {
	text := d.printer.Text(v)
	if !declared || d.printer.Labelled(text) {
		return
	}
	if profile == "" {
		*list = append(*list, text)
	} else {
		*list, name = append(*list, "@"+profile+" "+text), name+"@"+profile
	}
	d.printer.Label(name, text)
}

// free returns name, or a longer one if the package may declare name itself.
func (d *testData) free(name string) string {
	for d.taken[name] {
		name += "Generated"
	}
	return name
}
