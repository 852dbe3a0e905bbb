package emit

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// defaultPrefix begins the names that only the tests declare, unless the package has such names
// itself.
const defaultPrefix = "gen"

// testNames keeps the names that the tests declare apart from those of the package.
type testNames struct {
	prefix string          // of types, functions and variables
	taken  map[string]bool // names that could be those of tests
}

func testNamesOf(m *model.Package) testNames {
	names := testNames{prefix: defaultPrefix, taken: chosenNames(m)}
	for names.begins() {
		names.prefix += "Test"
	}
	return names
}

// begins reports whether a name of the package's begins with the prefix and a capital.
func (n testNames) begins() bool {
	for name := range n.taken {
		if rest, ok := strings.CutPrefix(name, n.prefix); ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' {
			return true
		}
	}
	return false
}

// free returns name, or one like it when the package has that itself.
func (n testNames) free(name string) string {
	for n.taken[name] {
		name += "Generated"
	}
	return name
}

// chosenNames are the package's names that begin with a word which the taxonomy chose.
func chosenNames(m *model.Package) map[string]bool {
	names := map[string]bool{}
	add := func(list ...string) {
		for _, name := range list {
			names[name] = true
		}
	}
	fields := slices.Clone(m.Fields)
	for _, c := range m.Categories {
		add(c.Type, c.CodeType, c.Var)
		fields = append(fields, ownFields(m, c)...)
	}
	t := typesOf(fields)
	for _, f := range t.texts {
		add(f.Const)
	}
	for _, e := range t.enums {
		add(e.Type, e.Var)
		for _, v := range e.Values {
			add(v.Const)
		}
	}
	for _, f := range slices.Concat(t.objects, t.secrets, t.sealed) {
		add(f.Object.Type)
	}
	for _, p := range m.Profiles {
		add(p.Var)
	}
	for _, r := range m.Reactions {
		add(r.Var)
	}
	for _, p := range m.Policies {
		add(p.Var)
	}
	return names
}
