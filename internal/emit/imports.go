package emit

import (
	"bytes"
	"strings"
)

// Import paths of what generated code uses.
const (
	pkgTaxonomy = "github.com/errgen/errgen/runtime/taxonomy"
	pkgGen      = "github.com/errgen/errgen/runtime/taxonomy/gen"
	pkgDetect   = "github.com/errgen/errgen/runtime/detect"
	pkgCmp      = "cmp"
	pkgContext  = "context"
	pkgErrors   = "errors"
	pkgFmt      = "fmt"
	pkgJSON     = "encoding/json"
	pkgSlices   = "slices"
	pkgSlog     = "log/slog"
	pkgStrings  = "strings"
	pkgTime     = "time"
)

// packages are the names of the paths, so that no import needs an alias.
var packages = []struct{ path, name string }{
	{pkgTaxonomy, "taxonomy"},
	{pkgGen, "gen"},
	{pkgDetect, "detect"},
	{pkgCmp, "cmp"},
	{pkgContext, "context"},
	{pkgErrors, "errors"},
	{pkgFmt, "fmt"},
	{pkgJSON, "json"},
	{pkgSlices, "slices"},
	{pkgSlog, "slog"},
	{pkgStrings, "strings"},
	{pkgTime, "time"},
}

// groupImports puts the standard library's imports of src first and a blank line after them, as
// goimports does. The imports must be sorted, each on a line of its own.
func groupImports(src []byte) []byte {
	const begin, end = "\nimport (\n", "\n)\n"
	from := bytes.Index(src, []byte(begin))
	if from < 0 {
		return src
	}
	from += len(begin)
	to := from + bytes.Index(src[from:], []byte(end))

	var std, others []string
	for line := range strings.Lines(string(src[from:to]) + "\n") {
		if isStandard(line) {
			std = append(std, line)
		} else {
			others = append(others, line)
		}
	}
	if len(std) == 0 || len(others) == 0 {
		return src
	}
	block := strings.Join(std, "") + "\n" + strings.TrimSuffix(strings.Join(others, ""), "\n")

	out := make([]byte, 0, len(src)+1)
	out = append(out, src[:from]...)
	out = append(out, block...)
	return append(out, src[to:]...)
}

// isStandard reports whether a line imports a package of the standard library: their paths begin
// without a dot in the first element.
func isStandard(line string) bool {
	path := line[strings.IndexByte(line, '"')+1:]
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
