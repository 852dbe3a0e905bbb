package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// file is a file to be made: build adds its declarations, or text returns all of it. L prints
// literals, and collects the packages that they name.
type file struct {
	name  string
	build func(f *jen.File, l *literals)
	text  func() []byte
}

// plan lists the files of m's package, large ones first: so that none is begun when the others are
// done.
func plan(m *model.Package, t *tables, opts Options) []file {
	var files []file
	if opts.Tests {
		files = append(files, testFiles(m, t)...)
	}
	for _, c := range m.Categories {
		files = append(files, file{name: c.File + "_gen.go", build: func(f *jen.File, l *literals) {
			category(f, t, c, l)
		}})
	}
	files = append(files,
		file{name: "table_gen.go", build: func(f *jen.File, l *literals) { tableFile(f, t, l) }},
		file{name: "doc_gen.go", build: func(f *jen.File, l *literals) { packageFile(f, t, l) }},
	)
	if shared := typesOf(m.Fields); !shared.empty() {
		files = append(files, file{name: "fields_gen.go", build: func(f *jen.File, l *literals) {
			fieldTypes(f, l, shared, classifies(m))
		}})
	}
	if len(m.Signatures) > 0 {
		files = append(files, file{name: "signatures_gen.go", build: func(f *jen.File, l *literals) {
			signatureFile(f, m, l)
		}})
	}
	if len(m.Strategies) > 0 {
		files = append(files, file{name: "strategies_gen.go", build: func(f *jen.File,
			_ *literals) {
			strategies(f, m)
		}})
	}
	if len(m.Checks) > 0 {
		files = append(files, file{name: "checks_gen.go", build: func(f *jen.File, _ *literals) { checks(f, m) }})
	}
	return files
}
