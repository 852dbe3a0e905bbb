package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// file is a file to be made: build adds its declarations, or text returns all of it.
type file struct {
	name  string
	build func(f *jen.File)
	text  func() []byte
}

// plan lists the files of m's package, large ones first: so that none is begun when the others are
// done.
func plan(m *model.Package, opts Options) []file {
	files := []file{{name: "table_gen.go", build: func(f *jen.File) { table(f, m) }}}
	if opts.Tests {
		files = append(files, testFiles(m)...)
	}
	for _, c := range m.Categories {
		files = append(
			files, file{name: c.File + "_gen.go", build: func(
				f *jen.File) {
				category(f, c, typesOf(ownFields(m, c)))
			}})
	}
	if shared := typesOf(m.Fields); !shared.empty() {
		files = append(files, file{name: "fields_gen.go", build: func(f *jen.File) { fieldTypes(f, shared) }})
	}
	if len(m.Strategies) > 0 {
		files = append(files, file{name: "strategies_gen.go", build: func(f *jen.File) { strategies(f, m) }})
	}
	if len(m.Checks) > 0 {
		files = append(files, file{name: "checks_gen.go", build: func(f *jen.File) { checks(f, m) }})
	}
	if classifies(m) {
		files = append(files, file{name: "detect_gen.go", build: func(f *jen.File) { classification(f, m) }})
	}
	return append(files,
		file{name: "doc_gen.go", build: func(f *jen.File) { packageDoc(f, m) }},
		file{name: "json_gen.go", build: func(f *jen.File) { unmarshalling(f, m) }},
	)
}
