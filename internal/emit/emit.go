// Package emit turns a resolved taxonomy into the files of a Go package.
//
// [Files] is the whole of it: model in, formatted files out. Nothing is decided here and nothing
// can fail, because whatever is wrong with a taxonomy has been found before; the same model always
// gives the same bytes. Each Go file of this package makes one kind of thing, and its functions are
// named after what they make.
package emit

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// Options say what to generate besides the package itself.
type Options struct {
	Tests bool // the package's tests
}

// File is a file of the generated package.
type File struct {
	Name    string // without a directory
	Content []byte
}

// Files returns the files of m's package, sorted by name. m must have been checked: a model that
// breaks the rules of the language can make Files panic.
func Files(m *model.Package, opts Options) []File {
	t := tablesOf(m)
	files := render(t, plan(m, t, opts))
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files
}
