package resolve

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// profile reads the changes of one profile.
type profile struct {
	*builder
	decl     *spec.Profile
	rows     map[taxonomy.Row]*model.Row
	overlays map[string]*spec.Overlay                  // by key
	changed  map[*taxonomy.Reaction]*taxonomy.Reaction // the declared reactions that it changes
}

// profiles resolves the profiles. The model has each of them with the rows of all codes.
func (b *builder) profiles() {
	rows := make(map[taxonomy.Row]*model.Row)
	for _, row := range b.pkg.Rows {
		rows[row.At] = row
	}
	received := taxonomy.RowUnknownRetry // its traits are the runtime's
	rows[received] = &model.Row{At: received, Traits: *b.pkg.Taxonomy.Traits(received)}
	for i := range b.src.Profiles {
		p := &profile{builder: b, decl: &b.src.Profiles[i], rows: rows}
		b.pkg.Profiles = append(b.pkg.Profiles, &model.Profile{
			Profile: p.resolve(), Const: "Profile" + suffix(p.decl.Name.V, i+1),
		})
	}
}

// resolve returns the profile, and adds it to the taxonomy.
func (s *profile) resolve() *taxonomy.Profile {
	s.changeReactions()
	changes := taxonomy.Changes{Policies: s.changedPolicies(), Reactions: s.changed, Row: s.row}
	for i := range s.decl.Codes {
		d := &s.decl.Codes[i]
		putFirst(&s.overlays, d.Key.V, d)
		if ref := d.Traits.Reaction; ref != nil && ref.ByFlag == nil {
			s.reaction(ref, d.Key.V, s.overlaySuffix(d.Key.V))
		}
	}
	complete, versions := changes.Apply(taxonomy.Table{Taxonomy: s.pkg.Taxonomy}, s.sections())
	for of, version := range versions {
		s.origins[version] = s.origins[cmp.Or(s.changed[of], of)]
	}
	received := taxonomy.RowUnknownRetry
	complete.Rows = slices.DeleteFunc(complete.Rows, func(o taxonomy.RowOverride) bool { // only a reaction matters
		return o.Row == received && o.Traits.Reaction == s.rows[received].Reaction
	})
	out := *complete
	out.Rows = nil
	for _, row := range complete.Rows {
		if code := s.pkg.Taxonomy.Code(row.Row); code != nil {
			code.Profiles = append(code.Profiles, taxonomy.ProfileTraits{
				Profile: out.Name, Branch: uint8(row.Row.Branch()), Traits: row.Traits,
			})
		} else {
			out.Rows = append(out.Rows, row)
		}
	}
	s.pkg.Taxonomy.Profiles = append(s.pkg.Taxonomy.Profiles, out)
	return complete
}

// sections returns a profile with all properties except rows, reactions and policies.
func (s *profile) sections() taxonomy.Profile {
	d := s.decl
	out := taxonomy.Profile{
		Name: d.Name.V, Doc: d.Doc.V,
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
		Recovery:  taxonomy.Recovery{Enabled: true},
		Retry:     taxonomy.RetryDefaults{Enabled: d.Retry.Enabled.Or(true)},
		Reporting: taxonomy.Reporting{Context: true},
	}
	setKeys(&out.Detection, &d.Detection)
	setKeys(&out.Recovery, &d.Recovery)
	setKeys(&out.Reporting, &d.Reporting)
	if d.Recovery.MaxAttempts.Set && d.Recovery.MaxAttempts.V == 0 {
		out.Recovery.MaxAttempts = -1
	}
	if d.Recovery.Allowed != nil {
		out.Recovery.Allowed = append([]string{}, written(d.Recovery.Allowed)...)
	}
	numbers := d.Retry.Policy
	numbers.Span = diag.Span{}
	if !reflect.ValueOf(numbers).IsZero() {
		out.Retry.Policy = s.policy(&d.Retry.Policy, &d.Retry.Policy, d.Name.V+".retry", "Retry")
	}
	return out
}

// changedPolicies returns the declared policies that the profile changes.
func (s *profile) changedPolicies() map[*taxonomy.Policy]*taxonomy.Policy {
	changed := make(map[*taxonomy.Policy]*taxonomy.Policy)
	for i := range s.decl.Policies {
		d := &s.decl.Policies[i]
		base := s.policyFor[d.Name.V]
		if base == nil || changed[base] != nil {
			continue
		}
		from := s.origins[base]
		from.policy = spec.Overlaid(from.policy, d)
		if p := s.makePolicy(d, base.Name, from); !reflect.DeepEqual(p, base) {
			changed[base] = p
		}
	}
	return changed
}

// changeReactions makes the declared reactions that the profile changes. A circle of `then` ends
// with abort. It is a mistake, unless a default closes it, such as that of a retry named block.
func (s *profile) changeReactions() {
	s.changed = make(map[*taxonomy.Reaction]*taxonomy.Reaction)
	for i := range s.decl.Reactions {
		d := &s.decl.Reactions[i]
		base := s.reactionFor[d.Name.V]
		if base == nil || s.changed[base] != nil {
			continue
		}
		from := s.origins[base]
		from.reaction = changedReaction(from.reaction, d)
		if r := s.make(d, base.Name, from); *r != *base {
			s.changed[base] = r
		}
	}
	for _, d := range slices.Backward(s.decl.Reactions) {
		base := s.reactionFor[d.Name.V]
		r := s.changed[base]
		if r == nil || r.Then == base.Then {
			continue
		}
		next := r.Then
		for n := 0; next != nil && next != base && n < len(s.reactionFor); n++ {
			next = cmp.Or(s.changed[next], next).Then
		}
		if next != base {
			continue
		}
		r.Then = taxonomy.Predeclared(taxonomy.Abort)
		if d.Then != nil {
			s.pkg.Loops = append(s.pkg.Loops, spec.Text{V: base.Name, Set: true, Span: d.Then.Span})
		}
	}
}

// row changes the traits of a row, and returns the reactions that it can get, the most specific
// first.
func (s *profile) row(at taxonomy.Row, t *taxonomy.Traits) iter.Seq[*taxonomy.Reaction] {
	row := s.rows[at]
	layers := s.layers(row)
	*t = changedTraits(*t, s.merged(row, layers))
	return s.offered(row, s.choices(layers, t.Retryable))
}

// merged returns the traits that layers set for a row. They cannot make it retryable.
func (s *profile) merged(row *model.Row, layers []*spec.Overlay) spec.Traits {
	var changes spec.Traits
	for _, l := range layers {
		top := l.Traits
		if top.Retryable.V && !row.Retryable {
			s.skip(top.Retryable.Span, row)
			top.Retryable = spec.Bool{}
		}
		changes = spec.Overlaid(top, &changes)
	}
	return changes
}

// choice is a reaction that a layer sets, and its place.
type choice struct {
	reaction *taxonomy.Reaction
	at       diag.Span
}

// choices returns the reactions that layers set for a row that is, or is not, retryable.
func (s *profile) choices(layers []*spec.Overlay, retryable bool) []choice {
	var out []choice
	for _, l := range layers {
		ref := l.Traits.Reaction
		if ref == nil {
			continue
		}
		at := ref.Span
		if by := ref.ByFlag; by != nil {
			name := by.Permanent
			if retryable {
				name = by.Retryable
			}
			if !name.Set {
				continue
			}
			ref, at = &spec.ReactionRef{Name: name}, name.Span
		}
		out = append(out, choice{s.reaction(ref, l.Key.V, s.overlaySuffix(l.Key.V)), at})
	}
	return out
}

// offered yields the choices, and then nil for the row's own reaction. If the loop continues after a
// reaction, the reaction is not permitted, and its change is skipped.
func (s *profile) offered(row *model.Row, choices []choice) iter.Seq[*taxonomy.Reaction] {
	return func(yield func(*taxonomy.Reaction) bool) {
		for _, c := range choices {
			if !yield(c.reaction) {
				return
			}
			s.skip(c.at, row)
		}
		if yield(nil) {
			s.skipChain(row)
		}
	}
}

// skipChain skips the changed reactions of a row's chain that lead to a retry.
func (s *profile) skipChain(row *model.Row) {
	var changed []diag.Span // the changed reactions that lead to the next retry
	for r := row.Reaction; r != nil; {
		version := cmp.Or(s.changed[r], r)
		if version != r {
			changed = append(changed, s.origins[version].at)
		}
		if version.Retries() {
			for _, at := range changed {
				s.skip(at, row)
			}
			changed = nil
		}
		r = version.Then
	}
}

// layers returns the changes that cover the code of a row, the most specific first.
func (s *profile) layers(row *model.Row) []*spec.Overlay {
	code := cmp.Or(row.Code, s.pkg.Fallback)
	if all := s.overlays["*"]; row.At == taxonomy.RowUnknownRetry && all != nil {
		return []*spec.Overlay{all}
	}
	if code == nil || row.At == taxonomy.RowUnknownRetry {
		return nil
	}
	keys := []string{code.Name, code.Category.Name}
	for _, g := range s.pkg.Groups {
		if slices.Contains(code.InGroups, g) {
			keys = append(keys, "@"+g.Name)
		}
	}
	var out []*spec.Overlay
	for i, key := range append(keys, "*") {
		o, named := s.overlays[key], s.codes[key]
		if o != nil && (i == 0 && named == code || i > 0 && named == nil) {
			out = append(out, o)
		}
	}
	return out
}

// skip records that a change is not applied to a row, because the row is not retryable.
func (s *profile) skip(at diag.Span, row *model.Row) {
	i := slices.IndexFunc(s.pkg.Skipped, func(skipped *model.Skipped) bool { return skipped.At == at })
	if i < 0 {
		i = len(s.pkg.Skipped)
		s.pkg.Skipped = append(s.pkg.Skipped, &model.Skipped{At: at})
	}
	s.pkg.Skipped[i].Rows = append(s.pkg.Skipped[i].Rows, row)
}

// overlaySuffix returns the end of the names of reactions in place under a key of a profile's
// codes.
func (b *builder) overlaySuffix(key string) string {
	if key == "*" {
		return "All"
	}
	if c := b.codes[key]; c != nil {
		return c.Go
	}
	return suffix(strings.TrimPrefix(key, "@"), 0)
}

// prefix returns the beginning of the variables of a profile's reactions and policies: strict.
func prefix(profile string) string {
	if ident, ok := naming.Unexported(profile); ok {
		return ident
	}
	return "profile" + suffix(profile, 0)
}
