package taxonomy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// overlay lays overrides over a table. It reads the taxonomy's static data and writes only what it
// makes itself.
type overlay struct {
	table Table
	over  *Overrides
	base  Profile // the sections of the table's profile, and those under the overrides
	now   Profile

	reactions scope[Reaction]
	policies  scope[Policy]
	memo      map[reactionKey]*Reaction // nil while being resolved
	inline    map[*ReactionOverride]*Reaction
	laid      map[*Policy]*Policy
	resumed   resumption
	path      []string // the reactions that are being resolved, for a circle

	codes    map[*Code]string // the override of a code
	skipped  map[string]bool  // overrides that were left out for a row
	obeyed   map[string]bool  // and those that were not
	problems []error
	told     map[string]bool
}

// reactionKey is a reaction under the overrides, or plain without those of reactions.
type reactionKey struct {
	base  *Reaction
	plain bool
}

// scope is what has names: as the table declares it, and as the table's profile has it.
type scope[T any] struct {
	declared map[*T]bool
	own      map[*T]bool // everything that the table itself leads to, declared or in place
	names    []string    // in the order of the taxonomy
	named    map[string]*T
}

// has reports whether x is a declared one, or a profile's version of it.
func (s *scope[T]) has(x *T, name string) bool {
	return s.declared[x] || !s.own[x] && s.named[name] != nil
}

func newScope[T any](declared []*T, name func(*T) string) scope[T] {
	s := scope[T]{declared: make(map[*T]bool), own: make(map[*T]bool), named: make(map[string]*T)}
	for _, x := range declared {
		s.declared[x], s.own[x] = true, true
		if n := name(x); s.named[n] == nil {
			s.named[n] = x
			s.names = append(s.names, n)
		}
	}
	return s
}

func newOverlay(t Table, o *Overrides) *overlay {
	v := &overlay{
		table: t, over: o,
		reactions: newScope(t.Taxonomy.Reactions, func(r *Reaction) string { return r.Name }),
		policies:  newScope(t.Taxonomy.Policies, func(p *Policy) string { return p.Name }),
		memo:      make(map[reactionKey]*Reaction),
		inline:    make(map[*ReactionOverride]*Reaction),
		laid:      make(map[*Policy]*Policy),
		codes:     make(map[*Code]string),
		skipped:   make(map[string]bool),
		obeyed:    make(map[string]bool),
		told:      make(map[string]bool),
	}
	v.predeclared()
	for _, r := range t.Taxonomy.Reactions {
		v.owns(r)
	}
	for i := range t.Taxonomy.Rows {
		v.owns(t.Taxonomy.Rows[i].Reaction)
	}
	v.owns(t.Taxonomy.Uncategorized)
	v.base = everythingOn
	if t.Overlay != nil {
		v.base = *t.Overlay
	}
	v.now = v.sections()
	v.profiled()
	v.resume()
	return v
}

// predeclared adds the reactions that every taxonomy has, for one that was made by hand without
// them.
func (v *overlay) predeclared() {
	for _, a := range [...]Action{Abort, Block, Continue} {
		if name := a.String(); v.reactions.named[name] == nil {
			r := &Reaction{Name: name, Action: a}
			v.reactions.named[name], v.reactions.declared[r] = r, true
			v.reactions.names = append(v.reactions.names, name)
		}
	}
}

// owns notes what the table itself leads to.
func (v *overlay) owns(r *Reaction) {
	seen := make(map[*Reaction]bool)
	for ; r != nil && !seen[r]; r = r.Then {
		seen[r] = true
		v.reactions.own[r] = true
		if r.Policy != nil {
			v.policies.own[r.Policy] = true
		}
	}
}

// profiled finds the profile's versions of what has a name. Rows that may be retried come first:
// the others can have reactions that the profile's overlays are left out of.
func (v *overlay) profiled() {
	p := v.table.Overlay
	if p == nil {
		return
	}
	for _, retryable := range [...]bool{true, false} {
		for i := range p.Rows {
			if p.Rows[i].Traits.Retryable == retryable {
				v.version(p.Rows[i].Traits.Reaction)
			}
		}
		v.version(p.Uncategorized)
	}
}

func (v *overlay) version(r *Reaction) {
	seen := make(map[*Reaction]bool)
	for ; r != nil && !seen[r]; r = r.Then {
		seen[r] = true
		replace(&v.reactions, r, r.Name)
		if r.Policy != nil {
			replace(&v.policies, r.Policy, r.Policy.Name)
		}
	}
}

// replace puts x in the place of the declared one of its name, unless another version is there
// already.
func replace[T any](s *scope[T], x *T, name string) {
	if !s.own[x] && s.declared[s.named[name]] {
		s.named[name] = x
	}
}

// problem notes a mistake, once.
func (v *overlay) problem(at, format string, args ...any) {
	text := at + ": " + fmt.Sprintf(format, args...)
	if !v.told[text] {
		v.told[text] = true
		v.problems = append(v.problems, errors.New(text))
	}
}

// unknown notes a name that is not declared.
func (v *overlay) unknown(at, what, name string, known []string) {
	if len(known) == 0 {
		v.problem(at, "no %s %q; there are none", what, name)
		return
	}
	v.problem(at, "no %s %q; there are %s", what, name, strings.Join(known, ", "))
}

// profile works everything out. What it returns is of use only without problems.
func (v *overlay) profile() *Profile {
	v.keys()
	v.everything()
	p := new(v.now)
	p.Rows = nil
	for i := range v.table.Taxonomy.Rows {
		if traits := v.row(Row(i)); traits != v.table.Taxonomy.Rows[i] {
			p.Rows = append(p.Rows, RowOverride{Row: Row(i), Traits: traits})
		}
	}
	if p.Uncategorized = v.uncategorized(); p.Uncategorized == v.table.Taxonomy.Uncategorized {
		p.Uncategorized = nil
	}
	v.leftOut(p)
	return p
}

// everything resolves all that the overrides say, used or not, so that all of it is checked.
func (v *overlay) everything() {
	for _, name := range slices.Sorted(maps.Keys(v.over.Policies)) {
		if !slices.Contains(v.policies.names, name) {
			v.unknown("policies", "policy", name, v.policies.names)
			continue
		}
		v.policy(v.policies.named[name])
	}
	for _, name := range slices.Sorted(maps.Keys(v.over.Reactions)) {
		if !slices.Contains(v.reactions.names, name) {
			v.unknown("reactions", "reaction", name, v.reactions.names)
			continue
		}
		v.reaction(v.reactions.named[name], false)
	}
	for _, key := range slices.Sorted(maps.Keys(v.over.Codes)) {
		v.checkTraits("codes."+key, key)
	}
}

func (v *overlay) uncategorized() *Reaction {
	if ref := v.over.Uncategorized; ref != nil {
		return v.follow(ref, "uncategorized", "uncategorized")
	}
	return v.head(v.begins(v.table.Taxonomy.Uncategorized, v.table.uncategorized(), true), false)
}

// leftOut notes overrides that come to nothing because all they cover is not retryable.
func (v *overlay) leftOut(p *Profile) {
	for i := range p.Rows {
		v.reached(p.Rows[i].Traits.Reaction)
	}
	v.reached(p.Uncategorized)
	for _, at := range slices.Sorted(maps.Keys(v.skipped)) {
		if !v.obeyed[at] {
			v.problem(at, "nothing that it covers is retryable, and an override cannot change that")
		}
	}
}

func (v *overlay) reached(r *Reaction) {
	seen := make(map[*Reaction]bool)
	for ; r != nil && !seen[r]; r = r.Then {
		seen[r] = true
		v.obeyed["reactions."+r.Name] = true
	}
}
