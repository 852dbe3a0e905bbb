package emit

import (
	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// tables are the runtime's values of a taxonomy, and the variables that some of them get.
type tables struct {
	m     *model.Package
	names map[any]string
	// importNames are the names of the packages whose errors rules and examples name.
	importNames map[string]string
}

func tablesOf(m *model.Package) *tables {
	t := &tables{m: m, importNames: importNames(m), names: map[any]string{}}
	for _, s := range m.Signatures {
		t.names[s.Signature] = s.Var
	}
	for _, p := range m.Policies {
		t.names[p.Value] = p.Var
	}
	for _, r := range m.Reactions {
		t.names[r.Value] = r.Var
	}
	for i, c := range m.Categories {
		t.names[m.Taxonomy.Categories[i]] = c.Table
	}
	return t
}

func (t *tables) literals() *literals {
	return &literals{names: t.names, packages: map[string]bool{}}
}

func codeRule(r *model.Rule) detect.CodeRule {
	out := detection.CodeRule(r)
	out.Set = model.SetJSON(r.Set)
	return out
}
