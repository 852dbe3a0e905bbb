package emit

import (
	"maps"
	"regexp"
	"slices"
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

var importDecl = regexp.MustCompile(`(?m)^import (\(\n(?:[^)\n]*\n)*?\)|"[^"\n]*")\n`)

var packageClause = regexp.MustCompile(`(?m)^package .*\n`)

// groupImports returns src with the packages among its imports, and the standard library's first with
// a blank line after them, as goimports has it.
func groupImports(src []byte, packages map[string]bool) []byte {
	at := importDecl.FindIndex(src)
	if at == nil {
		if len(packages) == 0 {
			return src
		}
		end := packageClause.FindIndex(src)[1]
		at = []int{end, end}
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(src[at[0]:at[1]])) {
		if _, path, ok := strings.Cut(line, `"`); ok {
			lines[strings.TrimSuffix(strings.TrimSpace(path), `"`)] = true
		}
	}
	for path := range packages {
		lines[path] = true
	}
	block := importBlock(slices.Sorted(maps.Keys(lines)))
	return slices.Concat(src[:at[0]], []byte(block), src[at[1]:])
}

// isStandard reports whether a line imports a package of the standard library: their paths begin
// without a dot in the first element.
func isStandard(line string) bool {
	path := line[strings.IndexByte(line, '"')+1:]
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
