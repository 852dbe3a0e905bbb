// Package check holds the rules of meaning: what a taxonomy that is well formed may still get
// wrong. Each rule is one function in the table below, has a stable id, and a page in
// internal/rules.
//
// Use [Load] to go from bytes to a model that is fit to generate from.
package check

import (
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// Check runs every rule over a taxonomy and the model made of it, and returns what they find,
// sorted. Neither argument may be nil; both may be faulty.
func Check(t *spec.Taxonomy, m *model.Package) []diag.Finding {
	s := newScope(t, m)
	var findings []diag.Finding
	passes := make([]*pass, len(rules))
	var wg sync.WaitGroup
	for i, r := range rules {
		passes[i] = &pass{scope: s, id: r.id}
		wg.Go(func() { r.run(passes[i]) })
	}
	wg.Wait()
	for _, p := range passes {
		findings = append(findings, p.findings...)
	}
	diag.Sort(findings)
	return findings
}

// IDs returns the ids of all rules, each once, in the order in which the rules run.
func IDs() []string {
	var ids []string
	seen := make(map[string]bool)
	for _, r := range append(rules, rule{id: ignoreID}) {
		if !seen[r.id] {
			seen[r.id] = true
			ids = append(ids, r.id)
		}
	}
	return ids
}

// severity tells errors from warnings by the letter that an id begins with.
func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}
