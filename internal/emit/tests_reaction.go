package emit

import (
	"cmp"
	"slices"

	"github.com/errgen/errgen/internal/model"
)

// reactionTable writes every reaction and policy with all that is said of it.
func (w *testWriter) reactionTable(m *model.Package) {
	w.test("Reactions", "")
	w.f("for _, c := range []struct{ want, got %s }{\n", w.use(pkgTaxonomy, "Reaction"))
	for _, r := range m.Reactions {
		w.f("{%s%s, %s},\n", w.use(pkgTaxonomy, "Reaction"), w.reactionLiteral(r), r.Var)
	}
	w.f("} {\n%s(t, c.want, c.got)\n}\n}\n", w.use(pkgAssert, "Equal"))
	if len(m.Policies) == 0 {
		return
	}
	w.test("Policies", "")
	w.f("for _, c := range []struct{ want, got %s }{\n", w.use(pkgTaxonomy, "Policy"))
	for _, p := range m.Policies {
		w.f("{%s%s, %s},\n", w.use(pkgTaxonomy, "Policy"), w.policyLiteral(p), p.Var)
	}
	w.f("} {\n%s(t, c.want, c.got)\n}\n}\n", w.use(pkgAssert, "Equal"))
}

func (w *testWriter) reactionLiteral(r *model.Reaction) string {
	l := w.structOf()
	l.text("Name", r.Name)
	if r.Policy != nil {
		l.add("Policy", "&"+r.Policy.Var)
	}
	if r.Then != nil {
		l.add("Then", "&"+r.Then.Var)
	}
	l.text("Strategy", r.Strategy)
	l.text("To", r.To)
	l.text("LogMessage", r.LogMessage)
	l.constant("Action", actionNames[r.Action])
	l.constant("Extent", extentNames[r.Extent])
	l.constant("Revert", revertNames[r.Revert])
	l.constant("Session", sessionNames[r.Session])
	l.constant("Purpose", purposeNames[r.Purpose])
	l.constant("Resume", resumeNames[r.Resume])
	l.constant("Shared", sharedNames[r.Shared])
	l.constant("LogLevel", logNames[r.LogLevel])
	l.flag("CountFailure", r.CountFailure)
	l.flag("HonorRetryAfter", r.HonorRetryAfter)
	l.flag("AcceptCompletion", r.AcceptCompletion)
	l.flag("FeedBack", r.FeedBack)
	return l.inLine()
}

func (w *testWriter) policyLiteral(p *model.Policy) string {
	l := w.structOf()
	l.text("Name", p.Name)
	l.number("MaxAttempts", p.MaxAttempts)
	l.duration("InitialDelay", p.InitialDelay)
	l.duration("MaxDelay", p.MaxDelay)
	l.float("Multiplier", p.Multiplier)
	l.duration("MaxElapsed", p.MaxElapsed)
	l.duration("MaxRetryAfter", p.MaxRetryAfter)
	l.float("Jitter", p.Jitter)
	l.constant("Backoff", backoffNames[p.Backoff])
	l.constant("JitterKind", jitterNames[p.JitterKind])
	l.pointed("Adapt", "Adapt", w.adapt(p.Adapt))
	l.pointed("Budget", "Budget", w.budget(p.Budget))
	return l.inLine()
}

// profileTable writes every profile; of the rows that it changes, the reactions, as the rest is
// checked with the codes.
func (w *testWriter) profileTable(m *model.Package) {
	w.test("Profiles", "")
	w.f("profiles := Table.Taxonomy.Profiles\n%s(t, profiles, %d)\n", w.use(pkgAssert, "Len"), len(m.Profiles))
	w.f("for i, want := range []%s{\n", w.use(pkgTaxonomy, "Profile"))
	for _, p := range m.Profiles {
		w.f("%s,\n", w.profileLiteral(p))
	}
	w.f("} {\ngot := profiles[i]\ngot.Rows = nil\n%s(t, want, got)\n}\n", w.use(pkgAssert, "Equal"))
	w.f("for i, want := range [][]struct {\nrow taxonomy.Row\nreaction *taxonomy.Reaction\n}{\n")
	for _, p := range m.Profiles {
		w.f("{\n")
		rows := slices.SortedFunc(slices.Values(p.Rows), func(a, b model.RowOverride) int {
			return cmp.Compare(rowOf(a.Row), rowOf(b.Row))
		})
		for _, o := range rows {
			w.f("{%d, &%s},\n", rowOf(o.Row), o.Traits.Reaction.Var)
		}
		w.f("},\n")
	}
	w.f("} {\ntable, _ := Table.Profile(taxonomy.ProfileName(profiles[i].Name))\n")
	w.f("rows := table.Overlay.Rows\nif !assert.Len(t, rows, len(want)) {\ncontinue\n}\n")
	w.f("for j, row := range want {\nassert.Equal(t, row.row, rows[j].Row)\n%s(t, row.reaction, "+
		"rows[j].Traits.Reaction)\n}\n}\n}\n", w.use(pkgAssert, "Same"))
}

func (w *testWriter) profileLiteral(p *model.Profile) string {
	l := w.structOf()
	l.text("Name", p.Name)
	l.text("Doc", p.Doc)
	if p.Uncategorized != nil {
		l.add("Uncategorized", "&"+p.Uncategorized.Var)
	}
	detection := w.structOf()
	detection.flag("Text", p.Detection.Text)
	detection.flag("Severity", p.Detection.Severity)
	detection.flag("Recoverability", p.Detection.Recoverability)
	l.add("Detection", detection.of("Detection"))
	recovery := w.structOf()
	recovery.flag("Enabled", p.Recovery.Enabled)
	recovery.number("MaxAttempts", p.Recovery.MaxAttempts)
	if p.Recovery.Allowed != nil {
		recovery.add("Allowed", w.list(p.Recovery.Allowed))
	}
	l.add("Recovery", recovery.of("Recovery"))
	retry := w.structOf()
	retry.flag("Enabled", p.RetryEnabled)
	if p.RetryPolicy != nil {
		retry.add("Policy", "&"+p.RetryPolicy.Var)
	}
	l.add("Retry", retry.of("RetryDefaults"))
	reporting := w.structOf()
	reporting.constant("LogLevel", logNames[p.Reporting.LogLevel])
	reporting.flag("Stack", p.Reporting.Stack)
	reporting.flag("Context", p.Reporting.Context)
	l.add("Reporting", reporting.of("Reporting"))
	return l.inLine()
}
