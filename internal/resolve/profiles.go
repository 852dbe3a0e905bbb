package resolve

import (
	"slices"
	"strings"

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

// profile applies a profile to the table, as a program applies a run's overrides.
func (b *builder) profile(d *spec.Profile, n int) {
	r := b.registry.clone()
	r.declare(d.Reactions, d.Policies)
	r.follow(d.Reactions)
	for i := range d.Codes {
		key := d.Codes[i].Key.V
		r.addInline(d.Codes[i].Traits.Reaction, key, b.overlaySuffix(key))
	}
	o := newOverrides(r)
	o.of(d, func(key string) string {
		if c := b.codes[key]; c != nil {
			return c.Value
		}
		return key
	})
	p := &model.Profile{Const: "Profile" + suffix(d.Name.V, n)}
	table, problems := taxonomy.Table{Taxonomy: b.workingTable(r), Overlay: &taxonomy.Profile{
		Name: d.Name.V, Doc: d.Doc.V,
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
		Recovery:  taxonomy.Recovery{Enabled: true},
		Retry:     taxonomy.RetryDefaults{Enabled: true},
		Reporting: taxonomy.Reporting{Context: true},
	}}.Apply(o.Overrides)
	p.Profile = table.Overlay
	for _, problem := range problems {
		if at := o.place(problem.Path, d.Name.Span); problem.Skipped == nil || o.places[problem.Path].Valid() {
			p.Problems = append(p.Problems, model.Problem{Problem: problem, Span: at})
		}
	}
	slices.SortFunc(p.Rows, func(x, y taxonomy.RowOverride) int { return int(x.Row) - int(y.Row) })
	b.pkg.Profiles = append(b.pkg.Profiles, p)
	b.registries = append(b.registries, r)
	b.addRows(p)
}

// addRows adds a profile to the taxonomy. The codes get the rows that the profile changes.
func (b *builder) addRows(p *model.Profile) {
	t := b.pkg.Taxonomy
	own := *p.Profile
	own.Rows = nil
	for _, row := range p.Rows {
		if c := t.Code(row.Row); c != nil {
			c.Profiles = append(c.Profiles, taxonomy.ProfileTraits{
				Profile: p.Name, Branch: uint8(row.Row.Branch()), Traits: row.Traits,
			})
		} else {
			own.Rows = append(own.Rows, row)
		}
	}
	t.Profiles = append(t.Profiles, own)
}

// workingTable returns the taxonomy with the inline reactions and policies of a profile.
func (b *builder) workingTable(r *registry) *taxonomy.Taxonomy {
	work := *b.pkg.Taxonomy
	work.Reactions, work.Policies = slices.Clone(work.Reactions), slices.Clone(work.Policies)
	for _, d := range r.reactions {
		if isInline(d.name) {
			work.Reactions = append(work.Reactions, &taxonomy.Reaction{Name: d.name})
		}
	}
	for _, p := range b.newPolicies(r) {
		if isInline(p.Name) {
			work.Policies = append(work.Policies, p)
		}
	}
	return &work
}

func (b *builder) overlaySuffix(key string) string {
	if key == "*" {
		return "All"
	}
	if c := b.codes[key]; c != nil {
		return c.Go
	}
	return suffix(strings.TrimPrefix(key, "@"), 0)
}

// prefix begins the variables of a profile's own reactions and policies: strict.
func prefix(profile string) string {
	if ident, ok := naming.Unexported(profile); ok {
		return ident
	}
	return "profile" + suffix(profile, 0)
}
