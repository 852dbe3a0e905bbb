// Package check finds the faults of a taxonomy: [Load] goes from bytes to a model that is fit to
// generate from.
//
// It works in stages, as a compiler does. The fault that a check finds decides its stage:
//
//   - form (package spec): an unknown key, or a value of another kind
//   - references: a name that is not declared, declared twice or reserved, or a cycle of names
//   - values: one declaration that is invalid by itself, or has no Go name
//   - meaning: valid declarations that contradict each other; all warnings
//
// All findings of a stage are reported together. A stage runs if the ones before found no error, so
// a check does not have to expect their faults.
//
// Each finding has a stable id with a page in internal/rules, a place, a message and a hint.
package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
)

// IDs returns the ids of all findings that [Load] makes besides those of package spec. An id never
// changes its meaning and is never used again.
func IDs() []string {
	return strings.Fields(`
		E-unknown-name E-reserved-name E-duplicate E-then-cycle E-go-name E-value E-field-option
		E-regexp E-empty-rule E-placeholder E-optional-placeholder E-sensitive-text E-public-text E-public-code
		E-arg E-unfillable E-role-field E-action E-tiers E-policy-bounds E-retryable E-when-secret
		E-when-unreachable E-operation E-example E-over-cycle W-no-quota W-retryable-stops W-effect W-overlay-skipped
		W-public-text W-message-verb E-abstract E-constant W-no-doc W-unsorted W-unused W-untested-rule
		W-deprecated-parent W-ignore-unused`)
}

// stages are the checks after form, in their order.
var stages = [][]func(*checker){
	// references
	{undeclaredNames, unknownFields, unknownInLibraries, duplicates, reservedNames, thenCycles, overCycles},
	// values
	{
		header, goNames, goFieldNames, fieldOptions, fieldValues, ruleValues, signatureValues, templates,
		abstractCodes, removalDays, constantValues, operationAddresses,
	},
	// meaning
	{
		args, verbs, publicFallback, publicTexts, unfillableFields, reactionKeys, policyBounds, profiles, tiers,
		rows, roleFields, branches, examples, signatureExamples, quotas, unusedNames, missingDocs, unsortedNumbers,
		deprecatedParents, operationErrors, operationEffects,
	},
}

// Load reads, resolves and checks a taxonomy. The findings are sorted, without the warnings that a
// comment of the file ignores. The model is nil if a finding is an error.
func Load(name string, src []byte) (*model.Package, []diag.Finding) {
	return Tree(spec.Parse(name, src))
}

// Tree is [Load] for a parsed taxonomy and the findings of its parser.
func Tree(t *spec.Taxonomy, findings []diag.Finding) (*model.Package, []diag.Finding) {
	var m *model.Package
	if !diag.HasErrors(findings) {
		m = resolve.Build(t)
		c := &checker{t: t, m: m, reported: make(map[finding]bool)}
		for _, stage := range stages {
			for _, check := range stage {
				check(c)
			}
			if diag.HasErrors(c.findings) {
				break
			}
		}
		findings = append(findings, c.findings...)
	}
	findings = ApplyIgnores(t, findings, func(id string) bool { return id != IDUnusedCode })
	diag.Sort(findings)
	if diag.HasErrors(findings) {
		return nil, findings
	}
	return m, findings
}

// IDUnusedCode is the id of the findings of the command unused. [Load] does not make them, because
// they depend on the Go code of a module.
const IDUnusedCode = "W-unused-code"

// ApplyIgnores removes warnings that a comment of the taxonomy ignores. It adds warnings of unused
// comments, for the ids that the caller finds. If a finding is an error, the warnings are
// incomplete, so unused comments are not reported.
func ApplyIgnores(t *spec.Taxonomy, findings []diag.Finding, finds func(id string) bool) []diag.Finding {
	ignores := t.Ignores
	used := make(map[diag.Span]bool) // by the place of the id in its comment
	kept := slices.DeleteFunc(findings, func(f diag.Finding) bool {
		ignored := false
		for _, g := range ignores {
			if g.Covers(f) {
				ignored = true
				i := slices.IndexFunc(g.IDs, func(id spec.Text) bool { return id.V == f.ID })
				used[g.IDs[i].Span] = true
			}
		}
		return ignored
	})
	if diag.HasErrors(kept) {
		return kept
	}
	for _, g := range ignores {
		for _, id := range g.IDs {
			if !used[id.Span] && finds(id.V) {
				kept = append(kept, unusedIgnore(id))
			}
		}
	}
	return kept
}

// unusedIgnore returns the warning of an id that ignores nothing.
func unusedIgnore(id spec.Text) diag.Finding {
	f := diag.Finding{
		ID: "W-ignore-unused", Severity: diag.Warning, Span: id.Span,
		Message: "nothing here causes " + id.V, Hint: "remove the comment",
	}
	if slices.Contains(rules.IDs(), id.V) {
		return f
	}
	f.Message = "there is no warning " + id.V
	if near := diag.DidYouMean(id.V, rules.IDs()); near != "" {
		f.Hint = near
	}
	return f
}
