package emit

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// The import paths of the runtime's packages.
const (
	taxonomyPath = "github.com/errgen/errgen/runtime/taxonomy"
	genPath      = "github.com/errgen/errgen/runtime/taxonomy/gen"
	gentestPath  = "github.com/errgen/errgen/runtime/taxonomy/gentest"
	detectPath   = "github.com/errgen/errgen/runtime/detect"
	localizePath = "github.com/errgen/errgen/runtime/localize"
)

// usualPackages are the names of the packages that generated code uses, by path. Jennifer adds the
// imports of the ones that a file uses.
var usualPackages = map[string]string{
	taxonomyPath: "taxonomy", genPath: "gen", gentestPath: "gentest", detectPath: "detect",
	localizePath: "localize",
	"cmp":        "cmp", "context": "context", "encoding/json": "json", "errors": "errors", "fmt": "fmt",
	"log/slog": "slog", "slices": "slices", "strings": "strings", "testing": "testing", "time": "time",
}

func taxonomyName(name string) *jen.Statement { return jen.Qual(taxonomyPath, name) }
func genName(name string) *jen.Statement      { return jen.Qual(genPath, name) }
func gentestName(name string) *jen.Statement  { return jen.Qual(gentestPath, name) }
func detectName(name string) *jen.Statement   { return jen.Qual(detectPath, name) }

// newFile returns an empty file of the package, in which every import has its final name.
func (g *generator) newFile() *jen.File {
	f := jen.NewFile(g.m.Name)
	f.NoFormat = true // it is formatted once, with its imports in groups
	f.ImportNames(usualPackages)
	for importPath, name := range g.imports {
		if isStandard(importPath) && path.Base(importPath) == name {
			f.ImportName(importPath, name)
		} else {
			f.ImportAlias(importPath, name)
		}
	}
	return f
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
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		if name, ok := usualPackages[p]; ok {
			names[p] = name
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

// reservedImport reports whether generated code may use a name for something other than the package
// with this path.
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

// isStandard reports whether a path is one of the standard library.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// groupImports returns a file of jennifer with its imports in two groups, those of the standard
// library first, because jennifer makes one.
func groupImports(src []byte) []byte {
	before, rest, found := bytes.Cut(src, []byte("\nimport (\n"))
	block, after, closed := bytes.Cut(rest, []byte("\n)\n"))
	if !found || !closed {
		return src
	}
	var standard, others []byte
	for line := range bytes.Lines(append(block, '\n')) {
		if _, quoted, _ := strings.Cut(string(line), `"`); isStandard(quoted) {
			standard = append(standard, line...)
		} else {
			others = append(others, line...)
		}
	}
	return slices.Concat(before, []byte("\nimport (\n"), standard, []byte("\n"), others, []byte(")\n"), after)
}
