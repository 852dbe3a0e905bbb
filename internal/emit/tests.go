package emit

import "github.com/errgen/errgen/internal/model"

// testFiles lists the files of the package's tests: one with what checks, one for the tables, one
// with rows for each category, and two for what classifies. They are written as text: made of
// tokens, they would cost more than all the rest.
func testFiles(m *model.Package) []file {
	names := testNamesOf(m)
	files := []file{
		{name: "errgen_gen_test.go", text: func() []byte { return checkerFile(m, names, checker) }},
		{name: "table_gen_test.go", text: func() []byte { return tableTests(m, names) }},
	}
	if classifies(m) {
		files = append(files,
			file{name: "classify_gen_test.go", text: func() []byte { return checkerFile(m, names, classifyChecker) }},
			file{name: "detect_gen_test.go", text: func() []byte { return detectTests(m, names) }},
		)
	}
	for _, c := range m.Categories {
		files = append(
			files, file{name: c.File + "_gen_test.go", text: func() []byte { return categoryTests(m, names, c) }})
	}
	return files
}
