package resolve

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/naming"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// profile makes the reactions, policies and traits of one profile.
type profile struct {
	*reactions
	decl    *spec.Profile
	changes map[*model.Code]*spec.Overlay
}

// profiles resolves the profiles. The model has each of them with the rows of all codes.
func (b *builder) profiles() {
	for i := range b.src.Profiles {
		b.profile(&b.src.Profiles[i])
	}
	for i, d := range b.src.Profiles {
		table, _ := taxonomy.Table{Taxonomy: b.pkg.Taxonomy}.Profile(taxonomy.ProfileName(d.Name.V))
		b.pkg.Profiles = append(b.pkg.Profiles, &model.Profile{
			Profile: cmp.Or(table.Overlay, &b.pkg.Taxonomy.Profiles[i]), Const: "Profile" + suffix(d.Name.V, i+1),
		})
	}
}

func (b *builder) profile(d *spec.Profile) {
	s := &profile{
		reactions: newReactions(b, b.table, d.Reactions, d.Policies), decl: d,
		changes: make(map[*model.Code]*spec.Overlay),
	}
	for i := range d.Policies {
		s.policyNamed(d.Policies[i].Name.V)
	}
	for i := range d.Reactions {
		s.named(d.Reactions[i].Name.V)
	}
	for i := range d.Codes {
		key := d.Codes[i].Key.V
		if c := b.codes[key]; c != nil {
			s.changes[c] = &d.Codes[i]
		}
		if ref := d.Codes[i].Traits.Reaction; ref != nil && ref.ByFlag == nil {
			s.reaction(ref, key, b.overlaySuffix(key))
		}
	}
	out := taxonomy.Profile{
		Name: d.Name.V, Doc: d.Doc.V,
		Detection: taxonomy.Detection{
			Text: d.Detection.Text.Or(true), Severity: d.Detection.Severity.Or(true),
			Recoverability: d.Detection.Recoverability.Or(true),
		},
		Recovery: taxonomy.Recovery{Enabled: d.Recovery.Enabled.Or(true), MaxAttempts: d.Recovery.MaxAttempts.V},
		Retry:    taxonomy.RetryDefaults{Enabled: d.Retry.Enabled.Or(true), Policy: s.retryPolicy()},
		Reporting: taxonomy.Reporting{
			LogLevel: word[taxonomy.LogLevel](d.Reporting.LogLevel), Stack: d.Reporting.Stack.V,
			Context: d.Reporting.Context.Or(true),
		},
	}
	if d.Recovery.MaxAttempts.Set && d.Recovery.MaxAttempts.V == 0 {
		out.Recovery.MaxAttempts = -1
	}
	if d.Recovery.Allowed != nil {
		out.Recovery.Allowed = append([]string{}, written(d.Recovery.Allowed)...)
	}
	if r := s.version(b.pkg.Taxonomy.Uncategorized); r != b.pkg.Taxonomy.Uncategorized {
		out.Uncategorized = r
	}
	for _, p := range b.pkg.Taxonomy.Policies {
		if version := s.policyNamed(p.Name); version != p {
			out.Policies = append(out.Policies, version)
		}
	}
	for _, r := range b.pkg.Taxonomy.Reactions {
		if version := s.version(r); version != r {
			out.Reactions = append(out.Reactions, version)
		}
	}
	for _, row := range b.pkg.Rows {
		switch traits := s.row(row); {
		case traits == row.Traits:
		case row.Code == nil:
			out.Rows = append(out.Rows, taxonomy.RowOverride{Row: row.At, Traits: traits})
		default:
			c := row.Code.Code
			c.Profiles = append(c.Profiles, taxonomy.ProfileTraits{
				Profile: out.Name, Branch: uint8(row.At.Branch()), Traits: traits,
			})
		}
	}
	b.pkg.Taxonomy.Profiles = append(b.pkg.Taxonomy.Profiles, out)
}

// retryPolicy returns the policy of the profile's section `retry`, or nil if it has no numbers.
func (s *profile) retryPolicy() *taxonomy.Policy {
	numbers := &s.decl.Retry.Policy
	unset := *numbers
	unset.Span = diag.Span{}
	if reflect.ValueOf(unset).IsZero() {
		return nil
	}
	return s.policy(numbers, numbers, s.decl.Name.V+".retry", "Retry")
}

// row returns the traits of a row under the profile. The changes of the fallback's code also apply
// to rows without a code. A row that is not retryable stays so.
func (s *profile) row(row *model.Row) taxonomy.Traits {
	layers := s.layers(row)
	var changes spec.Traits
	for _, l := range layers {
		top := l.Traits
		if top.Retryable.V && !row.Retryable {
			s.skip(top.Retryable.Span, row)
			top.Retryable = spec.Bool{}
		}
		changes = changes.Over(top)
	}
	declared := s.declaredTraits[row.Index]
	if changes.Retryable.Set && (declared.Recoverability.V == "retryable" || declared.Recoverability.V == "permanent") {
		declared.Recoverability = spec.Text{} // it follows the flag
	}
	changes.Reaction = nil
	out := s.traits(changes.Over(declared))
	out.Reaction = s.choose(row, out.Retryable, layers)
	return out
}

// layers returns the changes that cover the code of a row, the most specific first.
func (s *profile) layers(row *model.Row) []*spec.Overlay {
	code := row.Code
	if code == nil {
		code = s.pkg.Fallback
	}
	if code == nil {
		return nil
	}
	keys := []string{code.Category.Name}
	for _, g := range s.pkg.Groups {
		if slices.Contains(code.Groups, g) {
			keys = append(keys, "@"+g.Name)
		}
	}
	var out []*spec.Overlay
	if own := s.changes[code]; own != nil {
		out = append(out, own)
	}
	for _, key := range append(keys, "*") {
		i := slices.IndexFunc(s.decl.Codes, func(o spec.Overlay) bool { return o.Key.V == key })
		if i >= 0 && s.codes[key] == nil {
			out = append(out, &s.decl.Codes[i])
		}
	}
	return out
}

// choose returns the reaction of a row. It is that of the most specific layer with a suitable one,
// otherwise the profile's version of the row's reaction. A row that is not retryable gets no
// reaction that leads to a retry.
func (s *profile) choose(row *model.Row, retryable bool, layers []*spec.Overlay) *taxonomy.Reaction {
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
		r := s.reaction(ref, l.Key.V, s.overlaySuffix(l.Key.V))
		if retryable || !r.LeadsToRetry() {
			return r
		}
		s.skip(at, row)
	}
	r := s.version(row.Reaction)
	if retryable || !r.LeadsToRetry() || row.Reaction.LeadsToRetry() {
		return r
	}
	for x := r; x != nil; x = x.Then {
		if d := s.declared[x.Name]; d != nil && x.LeadsToRetry() {
			s.skip(cmp.Or(d.Action.Span, d.Name.Span), row)
		}
	}
	return row.Reaction
}

// skip reports that a change is not applied to a row, because the row is not retryable.
func (s *profile) skip(at diag.Span, row *model.Row) {
	i := slices.IndexFunc(s.pkg.Problems, func(p model.Problem) bool { return p.Skipped != nil && p.Span == at })
	if i < 0 {
		i = len(s.pkg.Problems)
		s.pkg.Problems = append(s.pkg.Problems, model.Problem{ID: "W-overlay-skipped", Span: at})
	}
	s.pkg.Problems[i].Skipped = append(s.pkg.Problems[i].Skipped, row)
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
