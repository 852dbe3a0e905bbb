package emit

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
)

// packages are the packages that generated code uses.
var packages = []struct{ name, path string }{
	{"taxonomy", "github.com/errgen/errgen/runtime/taxonomy"},
	{"gen", "github.com/errgen/errgen/runtime/taxonomy/gen"},
	{"gentest", "github.com/errgen/errgen/runtime/taxonomy/gentest"},
	{"detect", "github.com/errgen/errgen/runtime/detect"},
	{"cmp", "cmp"},
	{"context", "context"},
	{"errors", "errors"},
	{"fmt", "fmt"},
	{"json", "encoding/json"},
	{"slog", "log/slog"},
	{"strings", "strings"},
	{"testing", "testing"},
	{"time", "time"},
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

// addImports returns src with an import declaration for the packages that src uses. Names are the
// names of packages other than the usual ones, by path.
func addImports(src []byte, names map[string]string) []byte {
	paths := map[string]string{} // by name
	for _, p := range packages {
		paths[p.name] = p.path
	}
	for path, name := range names {
		paths[name] = path
	}
	clause := 0 // the end of the package clause
	used := map[string]bool{}
	var s scanner.Scanner
	f := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(f, src, nil, 0)
	var before, last, name string // the last two tokens, and the text of the last
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		switch {
		case tok == token.SEMICOLON && clause == 0:
			clause = f.Offset(pos)
		case tok == token.PERIOD && last == "IDENT" && before != "." && paths[name] != "":
			used[paths[name]] = true
		}
		before, last, name = last, tok.String(), lit
	}
	if len(used) == 0 {
		return src
	}
	block := importBlock(slices.Sorted(maps.Keys(used)), names)
	return slices.Concat(src[:clause], []byte("\n\n"+block), src[clause:])
}

// importBlock returns the import of sorted paths, those of the standard library first.
func importBlock(paths []string, names map[string]string) string {
	if len(paths) == 1 {
		return fmt.Sprintf("import %q", paths[0])
	}
	var standard, others string
	for _, p := range paths {
		first, _, _ := strings.Cut(p, "/")
		isStandard := !strings.Contains(first, ".")
		line := fmt.Sprintf("\t%q\n", p)
		if name := names[p]; name != "" && (path.Base(p) != name || !isStandard) {
			line = fmt.Sprintf("\t%s %q\n", name, p)
		}
		if isStandard {
			standard += line
		} else {
			others += line
		}
	}
	if standard != "" && others != "" {
		standard += "\n"
	}
	return "import (\n" + standard + others + ")"
}
