package emit

import (
	_ "embed"
	"regexp"

	"github.com/errgen/errgen/internal/model"
)

// The functions that check, the same for every package but for its name: those of every package,
// and those for what classifies.
var (
	//go:embed tests_checker.txt
	checker string
	//go:embed tests_classify.txt
	classifyChecker string
)

var checkerNames = regexp.MustCompile(`\bgen([A-Z]\w*)`)

// checkerFile makes a file that holds checking functions.
func checkerFile(m *model.Package, names testNames, source string) []byte {
	if names.prefix != defaultPrefix {
		source = checkerNames.ReplaceAllString(source, names.prefix+"$1")
	}
	return []byte(testHeader(m) + source)
}
