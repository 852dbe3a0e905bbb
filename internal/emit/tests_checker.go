package emit

import (
	_ "embed"
	"regexp"

	"github.com/errgen/errgen/internal/model"
)

// checker is what checks, the same for every package but for the package's name.
//
//go:embed tests_checker.txt
var checker string

var checkerNames = regexp.MustCompile(`\bgen([A-Z]\w*)`)

// checkerFile makes the file that holds the checking functions.
func checkerFile(m *model.Package, names testNames) []byte {
	source := checker
	if names.prefix != defaultPrefix {
		source = checkerNames.ReplaceAllString(source, names.prefix+"$1")
	}
	return []byte(testHeader(m) + source)
}
