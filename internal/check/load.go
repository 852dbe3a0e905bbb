package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// ignoreID is the id of the warning about ignore comments that silence nothing.
const ignoreID = "W-ignore-unused"

// wholeOnly are the findings that cannot be relied on where part of a file could not be read.
var wholeOnly = []string{"W-unused", "W-untested-rule", "E-example", "E-counter-example", "E-want"}

// Load reads, resolves and checks a taxonomy. The findings are those of form and of meaning,
// sorted; those that a comment of the file ignores are left out, and so are those behind a thousand
// errors. The model is nil if one of them is an error.
func Load(name string, src []byte) (*model.Package, []diag.Finding) {
	t, findings := spec.Parse(name, src)
	broken := diag.HasErrors(findings)
	m := resolve.Build(t)
	for _, f := range Check(t, m) {
		if !(broken && slices.Contains(wholeOnly, f.ID)) {
			findings = append(findings, f)
		}
	}
	findings = silence(t.Ignores, findings, broken)
	diag.Sort(findings)
	if diag.HasErrors(findings) {
		return nil, spec.Bound(findings)
	}
	return m, findings
}

// silence leaves out what is ignored, and warns of comments that ignore nothing.
func silence(ignores []spec.Ignore, findings []diag.Finding, broken bool) []diag.Finding {
	used := make(map[diag.Span]bool) // by the place of the id in its comment
	kept := slices.DeleteFunc(findings, func(f diag.Finding) bool {
		silenced := false
		for _, ignore := range ignores {
			if ignore.Covers(f) {
				silenced = true
				used[idSpan(ignore, f.ID)] = true
			}
		}
		return silenced
	})
	for _, ignore := range ignores {
		for _, id := range ignore.IDs {
			if !used[id.Span] && !(broken && slices.Contains(wholeOnly, id.V)) {
				kept = append(kept, idle(id))
			}
		}
	}
	return kept
}

// idSpan is where a comment names an id.
func idSpan(ignore spec.Ignore, id string) diag.Span {
	i := slices.IndexFunc(ignore.IDs, func(t spec.Text) bool { return t.V == id })
	return ignore.IDs[i].Span
}

func idle(id spec.Text) diag.Finding {
	f := diag.Finding{ID: ignoreID, Severity: diag.Warning, Span: id.Span,
		Message: "nothing here gives rise to " + id.V, Hint: "remove the comment"}
	if known := IDs(); !slices.Contains(known, id.V) {
		f.Message = "there is no warning " + id.V
		f.Hint = diag.DidYouMean(id.V, known)
	}
	return f
}
