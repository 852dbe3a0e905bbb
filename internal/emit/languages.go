package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
)

// Languages returns the files of package messages, which has m's texts in other languages. Each
// language is a variable without code, so that the linker drops those that a program does not use.
func Languages(m *model.Package) []File {
	if len(m.Languages) == 0 {
		return nil
	}
	messages := *m
	messages.Name = "messages"
	g := newGenerator(&messages)
	files := []file{{name: "doc_gen.go", build: func(f *jen.File) {
		for _, line := range commentLines("Package messages has the public messages of package " + m.Name +
			" in other languages. A program links the languages that it uses.") {
			f.PackageComment(line)
		}
	}}}
	for _, l := range m.Languages {
		files = append(files, file{
			name: strings.ToLower(strings.ReplaceAll(l.Tag, "-", "_")) + "_gen.go",
			build: func(f *jen.File) {
				declare(f, documented(l.Var+" has the messages in "+l.Tag+".",
					variable(l.Var, g.print(l.Localized(m.Domain)))))
			},
		})
	}
	return g.render(files)
}
