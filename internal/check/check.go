// Package check finds the faults of a taxonomy: [Load] goes from bytes to a model that is fit to
// generate from.
//
// It works in stages, as a compiler does: form (package spec), references (every name is declared,
// and declared once), values (each value fits where it is written), meaning (the parts fit
// together). All findings of a stage are reported at once. A stage runs if the ones before found no
// error, so no check has to expect what an earlier one refuses.
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

// The ids of the findings. An id never changes its meaning and is never used again.
const (
	idUnknownName   = "E-unknown-name"  // a name that is not declared, or does not exist
	idReservedName  = "E-reserved-name" // a code, value, alias or number that is reserved
	idDuplicate     = "E-duplicate"     // a name, number or role that is taken
	idThenCycle     = "E-then-cycle"    // a chain of `then` that leads back to itself
	idGoName        = "E-go-name"       // a name that gives no Go identifier, or one that is taken
	idValue         = "E-value"         // a value that does not fit
	idMissingKey    = spec.IDMissingKey // a key that another one needs
	idFieldOption   = "E-field-option"  // an option of a field that its type does not take
	idRegexp        = "E-regexp"        // an expression that does not compile
	idEmptyRule     = "E-empty-rule"    // a rule without a condition
	idPlaceholder   = "E-placeholder"   // a placeholder that is malformed or shows nothing
	idOptional      = "E-optional-placeholder"
	idSensitiveText = "E-sensitive-text"
	idArg           = "E-arg"        // args against required fields and set
	idUnfillable    = "E-unfillable" // a required field that classification cannot fill
	idRoleField     = "E-role-field" // a reaction that reads a field which the code does not have
	idAction        = "E-action"     // a key that an action does not take, or lacks
	idTiers         = "E-tiers"      // escalation without tiers, or a person where none can be
	idUnbounded     = "E-unbounded-retry"
	idPolicyBounds  = "E-policy-bounds" // numbers of a policy that contradict each other
	idRetryable     = "E-retryable"     // retryable against reaction or recoverability
	idWhenSecret    = "E-when-secret"
	idUnreachable   = "E-when-unreachable"
	idExample       = "E-example" // an example that does not come out as it should

	idStops        = "W-retryable-stops"
	idSkipped      = "W-overlay-skipped"
	idNoDoc        = "W-no-doc"
	idUnsorted     = "W-unsorted"
	idUnused       = "W-unused"
	idUntested     = "W-untested-rule"
	idIgnoreUnused = "W-ignore-unused"
)

// IDs returns the ids of all findings that [Load] adds to those of package spec.
func IDs() []string {
	return []string{
		idUnknownName, idReservedName, idDuplicate, idThenCycle, idGoName, idValue, idMissingKey,
		idFieldOption, idRegexp, idEmptyRule, idPlaceholder, idOptional, idSensitiveText, idArg, idUnfillable,
		idRoleField, idAction, idTiers, idUnbounded, idPolicyBounds, idRetryable, idWhenSecret, idUnreachable,
		idExample, idStops, idSkipped, idNoDoc, idUnsorted, idUnused, idUntested, idIgnoreUnused,
	}
}

// stages are the checks after form, in their order. The model exists from the second one on.
var stages = [][]func(*checker){
	{texts, ranges, undeclared, unknownFields, unknownInLibraries, duplicates, reserved, thenCycles},
	{header, goNames, goNameClashes, fieldOptions, fieldValues, ruleValues, templates},
	{
		args, unfillable, reactions, tiers, policies, rows, roleFields, branches, examples,
		skippedOverlays, unused, undocumented, unsorted,
	},
}

// Load reads, resolves and checks a taxonomy. The findings are sorted; warnings that a comment of
// the file ignores are left out, and so are those behind a thousand errors. The model is nil if one
// of them is an error.
func Load(name string, src []byte) (*model.Package, []diag.Finding) {
	t, findings := spec.Parse(name, src)
	var m *model.Package
	if !diag.HasErrors(findings) {
		c := newChecker(t)
		for i, stage := range stages {
			if i == 1 {
				m = resolve.Build(t)
				c.attach(m)
			}
			for _, check := range stage {
				check(c)
			}
			if diag.HasErrors(c.findings) {
				break
			}
		}
		findings = append(findings, c.findings...)
	}
	findings = applyIgnores(t.Ignores, findings)
	diag.Sort(findings)
	if diag.HasErrors(findings) {
		return nil, spec.Bound(findings)
	}
	return m, findings
}

// applyIgnores leaves out warnings that a comment ignores, and warns of comments that ignore
// nothing. After an error warnings are incomplete, so no comment is called unused.
func applyIgnores(ignores []spec.Ignore, findings []diag.Finding) []diag.Finding {
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
			if !used[id.Span] {
				kept = append(kept, unusedIgnore(id))
			}
		}
	}
	return kept
}

func unusedIgnore(id spec.Text) diag.Finding {
	f := diag.Finding{
		ID: idIgnoreUnused, Severity: diag.Warning, Span: id.Span,
		Message: "nothing here causes " + id.V, Hint: "remove the comment",
	}
	if slices.Contains(IDs(), id.V) {
		return f
	}
	f.Message = "there is no warning " + id.V
	if now, retired := rules.Replaced(id.V); retired && now == "" {
		f.Message = id.V + " is no longer checked"
	} else if near := diag.DidYouMean(id.V, IDs()); near != "" {
		f.Hint = near
	}
	return f
}

// severity tells errors from warnings by the letter that an id begins with.
func severity(id string) diag.Severity {
	if strings.HasPrefix(id, "W-") {
		return diag.Warning
	}
	return diag.Error
}
