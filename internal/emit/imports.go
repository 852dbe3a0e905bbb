package emit

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// Import paths of what generated code uses.
const (
	pkgTaxonomy = "github.com/errgen/errgen/runtime/taxonomy"
	pkgGen      = "github.com/errgen/errgen/runtime/taxonomy/gen"
	pkgGentest  = "github.com/errgen/errgen/runtime/taxonomy/gentest"
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

// importNames returns the names that generated code gives to the packages of the errors which rules
// and examples name. The names depend on the paths only, and hide nothing that generated code uses.
func importNames(m *model.Package) map[string]string {
	paths := map[string]bool{}
	for _, e := range namedErrors(m) {
		paths[errorName(e.name).Path] = true
	}
	for _, c := range m.Codes {
		for _, x := range c.Examples {
			for _, name := range []string{x.Is, x.As} {
				if name != "" {
					paths[errorName(name).Path] = true
				}
			}
		}
	}
	names, taken := map[string]string{}, map[string]bool{}
	for _, p := range packages {
		if paths[p.path] {
			names[p.path] = p.name
		}
	}
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if names[p] != "" {
			continue
		}
		base := packageName(p)
		name := base
		for n := 2; taken[name] || reservedImport(name, p); n++ {
			name = base + strconv.Itoa(n)
		}
		names[p], taken[name] = name, true
	}
	return names
}

// reservedImport reports whether generated code may use a name for something else than the package
// of this path.
func reservedImport(name, path string) bool {
	switch name {
	case "base", "name", "gentest", "os", "reflect":
		return path != name
	}
	return naming.Reserved(name) && path != name
}

var (
	majorVersion = regexp.MustCompile(`^v[0-9]+$`)
	dotVersion   = regexp.MustCompile(`\.v[0-9]+$`)
	notInName    = regexp.MustCompile(`^[^a-z]+|[^a-z0-9]+`)
)

// packageName returns the name that a package probably has: pgx for github.com/jackc/pgx/v5, yaml
// for gopkg.in/yaml.v3.
func packageName(p string) string {
	if majorVersion.MatchString(path.Base(p)) && path.Dir(p) != "." {
		p = path.Dir(p)
	}
	name := strings.ToLower(dotVersion.ReplaceAllString(path.Base(p), ""))
	name = strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
	if name = notInName.ReplaceAllString(name, ""); name == "" {
		return "pkg"
	}
	return name
}

// isImplied reports whether an import needs no explicit name: that of a package of the standard
// library is the last element of its path.
func isImplied(p, name string) bool {
	return path.Base(p) == name && isStandard(p)
}

var importDecl = regexp.MustCompile(`(?m)^import (\(\n(?:[^)\n]*\n)*?\)|"[^"\n]*")\n`)

var packageClause = regexp.MustCompile(`(?m)^package .*\n`)

// groupImports returns src with the packages among its imports, and the standard library's first
// with a blank line after them, as goimports has it.
func groupImports(src []byte, packages map[string]bool) []byte {
	at := importDecl.FindIndex(src)
	if at == nil {
		if len(packages) == 0 {
			return src
		}
		end := packageClause.FindIndex(src)[1]
		at = []int{end, end}
	}
	names := map[string]string{} // of the imported paths; "" is the package's own
	for line := range strings.Lines(string(src[at[0]:at[1]])) {
		if name, path, ok := strings.Cut(line, `"`); ok {
			name = strings.TrimSpace(strings.TrimPrefix(name, "import "))
			names[strings.TrimSuffix(strings.TrimSpace(path), `"`)] = name
		}
	}
	for path := range packages {
		if _, known := names[path]; !known {
			names[path] = ""
		}
	}
	block := importBlock(slices.Sorted(maps.Keys(names)), names)
	return slices.Concat(src[:at[0]], []byte(block), src[at[1]:])
}

// isStandard reports whether a path is one of the standard library: without a dot in the first
// element.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
