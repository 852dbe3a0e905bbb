package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func (b *builder) profiles() {
	for i := range b.src.Profiles {
		b.profile(&b.src.Profiles[i], i+1)
	}
}

func (b *builder) profile(d *spec.Profile, n int) {
	goName := suffix(d.Name.V, n)
	p := &model.Profile{
		Name: d.Name.V, Doc: d.Doc.V, Const: "Profile" + goName, Var: b.idents.take("profile" + goName),
		Detection: taxonomy.Detection{
			Text:           d.Detection.Text.Or(true),
			Severity:       d.Detection.Severity.Or(true),
			Recoverability: d.Detection.Recoverability.Or(true),
		},
		Recovery:     recovery(&d.Recovery),
		RetryEnabled: d.Retry.Enabled.Or(true),
		Reporting: taxonomy.Reporting{
			LogLevel: logLevels.of(d.Reporting.LogLevel),
			Stack:    d.Reporting.Stack.V,
			Context:  d.Reporting.Context.Or(true),
		},
	}
	if d.Retry.Set {
		p.RetryPolicy = &model.Policy{Profile: p.Name, Policy: policyNumbers(p.Name+".retry", &d.Retry.Policy)}
		b.policySuffix[p.RetryPolicy] = "Retry"
	}
	o := b.newOverlay(d, p)
	for _, row := range b.pkg.Rows {
		o.row(row)
	}
	if r := o.scope.head(choose(b.src.Uncategorized, false), false); r != b.pkg.Uncategorized {
		p.Uncategorized = r
	}
	b.pkg.Profiles = append(b.pkg.Profiles, p)
}

func recovery(d *spec.Recovery) taxonomy.Recovery {
	r := taxonomy.Recovery{Enabled: d.Enabled.Or(true), MaxAttempts: max(0, d.MaxAttempts.V)}
	if d.MaxAttempts.Set && d.MaxAttempts.V == 0 {
		r.MaxAttempts = -1 // 0 is what a profile has that does not say
	}
	if !d.AllowedSet {
		return r
	}
	r.Allowed = []string{}
	for _, name := range d.Allowed {
		r.Allowed = append(r.Allowed, name.V)
	}
	return r
}

// profileScope resolves reactions and policies as the profile has them.
func (b *builder) profileScope(d *spec.Profile, p *model.Profile) *scope {
	s := newScope(b)
	s.base, s.profile = b.table, p.Name
	s.policyOverlay, s.newPolicies = b.policyOverlays(d)
	s.reactionOverlay, s.newReactions = b.reactionOverlays(d)
	return s
}

func (b *builder) policyOverlays(d *spec.Profile) (map[string]*spec.Policy, map[string]*policyDef) {
	overlays, added := make(map[string]*spec.Policy), make(map[string]*policyDef)
	for i := range d.Policies {
		top := &d.Policies[i]
		name := top.Name.V
		putFirst(overlays, name, top)
		if b.reactions.policies[name] == nil {
			putFirst(added, name, &policyDef{name: name, suffix: suffix(name, i+1), decl: top, declared: true})
		}
	}
	return overlays, added
}

func (b *builder) reactionOverlays(d *spec.Profile) (map[string]*spec.Reaction, map[string]*reactionDef) {
	overlays, added := make(map[string]*spec.Reaction), make(map[string]*reactionDef)
	for i := range d.Reactions {
		top := &d.Reactions[i]
		name, ident := top.Name.V, suffix(top.Name.V, i+1)
		putFirst(overlays, name, top)
		if b.reactions.reactions[name] == nil {
			putFirst(added, name, &reactionDef{name: name, suffix: ident, decl: top, declared: true})
		}
		b.reactions.inPlace(top.Then, name+".then", ident+"Then")
	}
	return overlays, added
}

// prefix begins the variables of a profile's own reactions and policies: strict.
func prefix(profile string) string {
	if ident, ok := naming.Unexported(profile); ok {
		return ident
	}
	return "profile" + suffix(profile, 0)
}
