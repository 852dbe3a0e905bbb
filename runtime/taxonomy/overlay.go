package taxonomy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// overlay applies overrides to a table. It reads the taxonomy's static data and writes only values
// that it creates.
type overlay struct {
	table Table
	over  *Overrides

	// reactions and policies are by name, as the table's profile has them.
	reactions map[string]*Reaction
	policies  map[string]*Policy
	// done are reactions and policies with the overrides applied; nil while in progress.
	done         map[reactionKey]*Reaction
	donePolicies map[*Policy]*Policy

	codes    map[*Code]string // the key of a code's override
	applied  map[string]bool  // by path: false for an override that was only skipped so far
	skipped  map[string][]Row // by path
	problems []Problem
}

// reactionKey is a reaction with the overrides of reactions, or plain without them.
type reactionKey struct {
	base  *Reaction
	plain bool
}

func newOverlay(t Table, o *Overrides) *overlay {
	v := &overlay{
		table: t, over: o, reactions: make(map[string]*Reaction), policies: make(map[string]*Policy),
		done: make(map[reactionKey]*Reaction), donePolicies: make(map[*Policy]*Policy),
		codes: make(map[*Code]string), applied: make(map[string]bool), skipped: make(map[string][]Row),
	}
	for _, p := range t.Taxonomy.Policies {
		v.policies[p.Name] = p
	}
	for _, a := range [...]Action{Abort, Block, Continue} {
		v.reactions[a.String()] = &Reaction{Name: a.String(), Action: a}
	}
	for _, r := range t.Taxonomy.Reactions {
		v.reactions[r.Name] = r
	}
	if t.Overlay != nil {
		v.versions(t.Overlay)
	}
	return v
}

// versions finds the profile's versions of declared reactions and policies. Rows that are retryable
// come first, because the profile's overlays may be skipped for the others.
func (v *overlay) versions(p *Profile) {
	declared, policies := maps.Clone(v.reactions), maps.Clone(v.policies)
	find := func(r *Reaction) {
		for ; r != nil; r = r.Then {
			if d := declared[r.Name]; d != nil && v.reactions[r.Name] == d {
				v.reactions[r.Name] = r
			}
			if r.Policy == nil {
				continue
			}
			if d := policies[r.Policy.Name]; d != nil && v.policies[r.Policy.Name] == d {
				v.policies[r.Policy.Name] = r.Policy
			}
		}
	}
	for _, retryable := range [...]bool{true, false} {
		for i := range p.Rows {
			if p.Rows[i].Traits.Retryable == retryable {
				find(p.Rows[i].Traits.Reaction)
			}
		}
		find(p.Uncategorized)
	}
}

// problem reports a mistake, once.
func (v *overlay) problem(at, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(v.problems, func(p Problem) bool { return p.Path == at && p.Message == message }) {
		v.problems = append(v.problems, Problem{Path: at, Message: message, Mistake: true})
	}
}

// skip records an override that is not applied to a row.
func (v *overlay) skip(at string, row Row) {
	v.skipped[at] = append(v.skipped[at], row)
}

// unknown reports a name that is not declared.
func (v *overlay) unknown(at, what, name string, known []string) {
	if len(known) == 0 {
		v.problem(at, "no %s %q; there are none", what, name)
		return
	}
	v.problem(at, "no %s %q; there are %s", what, name, strings.Join(known, ", "))
}

// everythingOn is the profile of a table without one.
var everythingOn = Profile{
	Detection: Detection{Text: true, Severity: true, Recoverability: true},
	Recovery:  Recovery{Enabled: true},
	Retry:     RetryDefaults{Enabled: true},
	Reporting: Reporting{Context: true},
}

// profile returns the profile with the overrides.
func (v *overlay) profile() *Profile {
	p := everythingOn
	if v.table.Overlay != nil {
		p = *v.table.Overlay
	}
	v.sections(&p)
	v.keys()
	for _, name := range sortedKeys(v.over.Policies) {
		if v.policies[name] == nil {
			v.unknown("policies", "policy", name, sortedKeys(v.policies))
		}
		v.policy(v.policies[name])
	}
	for _, name := range sortedKeys(v.over.Reactions) {
		if v.reactions[name] == nil {
			v.unknown("reactions", "reaction", name, sortedKeys(v.reactions))
			continue
		}
		v.reaction(v.reactions[name], false)
	}
	t := v.table.Taxonomy
	p.Rows, p.Uncategorized = nil, v.table.uncategorized()
	if name := v.over.Uncategorized; name != "" {
		p.Uncategorized = v.reactionNamed(name, "uncategorized")
	}
	if p.Uncategorized = v.reaction(p.Uncategorized, false); p.Uncategorized == t.Uncategorized {
		p.Uncategorized = nil
	}
	for row := range t.Rows() {
		traits := v.row(row)
		if traits != *t.Traits(row) {
			p.Rows = append(p.Rows, RowOverride{Row: row, Traits: traits})
		}
	}
	for _, at := range sortedKeys(v.skipped) {
		p := Problem{Path: at, Skipped: v.skipped[at], Mistake: !v.applied[at]}
		if p.Message = "left out for codes that are not retryable"; p.Mistake {
			p.Message = "nothing that it covers is retryable, and an override cannot change that"
		}
		v.problems = append(v.problems, p)
	}
	return &p
}

// sections applies the overrides of the profile's sections.
func (v *overlay) sections(p *Profile) {
	if d := v.over.Detection; d != nil {
		v.merge(&p.Detection, d, "detection")
	}
	if r := v.over.Reporting; r != nil {
		v.merge(&p.Reporting, r, "reporting")
	}
	if r := v.over.Recovery; r != nil {
		v.merge(&p.Recovery, r, "recovery")
		if n := r.MaxAttempts; n != nil && *n == 0 {
			p.Recovery.MaxAttempts = -1
		}
		p.Recovery.Allowed = slices.Clone(p.Recovery.Allowed)
		for _, name := range r.Allowed {
			v.declared("recovery.allowed", "strategy", name, names(v.table.Taxonomy.Strategies))
		}
	}
	if r := v.over.Retry; r != nil {
		v.merge(&p.Retry, r, "retry")
		if r.PolicyOverride == (PolicyOverride{}) {
			return
		}
		numbers := Policy{Name: "retry", MaxAttempts: 3, InitialDelay: defaultDelay, MaxDelay: defaultMaxDelay,
			MaxRetryAfter: defaultMaxDelay, Multiplier: 2}
		if p.Name != "" {
			numbers.Name = p.Name + ".retry"
		}
		if p.Retry.Policy != nil {
			numbers = *p.Retry.Policy
		}
		v.mergePolicy(&numbers, &r.PolicyOverride, "retry")
		p.Retry.Policy = &numbers
	}
}

// layer is an override that covers a row.
type layer struct {
	at     string // codes.KEY
	traits TraitsOverride
}

// keys resolves the keys of the codes' overrides, and checks their values.
func (v *overlay) keys() {
	t := v.table.Taxonomy
	for _, key := range sortedKeys(v.over.Codes) {
		at := "codes." + key
		group, isGroup := strings.CutPrefix(key, "@")
		code, _ := v.table.Code(key)
		switch {
		case isGroup:
			v.declared(at, "group", group, names(t.Groups))
		case code != nil && v.codes[code] != "":
			v.problem(at, "it is the same code as %s", v.codes[code])
		case code != nil:
			v.codes[code] = key
		case key != "*" && !slices.ContainsFunc(t.Categories, func(c *Category) bool { return c.Name == key }):
			v.problem(at, "no code or category %q", key)
		}
		top := v.over.Codes[key]
		var traits Traits
		v.merge(&traits, &top, at)
		if f, r := top.Retryable, traits.Recoverability; f != nil && top.Recoverability != "" &&
			(*f && r == Permanent || !*f && r == Retryable) {
			v.problem(at+".recoverability", "retryable is %t, and recoverability is %s", *f, r)
		}
		if ref := top.Reaction; ref != nil {
			for _, name := range [...]string{ref.Name, ref.Retryable, ref.Permanent} {
				if name != "" || *ref == (ReactionRef{}) {
					v.reaction(v.reactionNamed(name, at+".reaction"), false)
				}
			}
		}
	}
}

// layers returns the overrides that cover the code of a row, the most specific first.
func (v *overlay) layers(row Row) []layer {
	t := v.table.Taxonomy
	code := t.Code(row)
	if code == nil {
		return nil
	}
	keys := []string{v.codes[code]}
	name := t.Categories[row.Category()].Name
	if _, isCode := t.Find(name); !isCode {
		keys = append(keys, name)
	}
	for i := range t.Groups {
		if code.Groups>>i&1 != 0 {
			keys = append(keys, "@"+t.Groups[i].Name)
		}
	}
	var out []layer
	for _, key := range append(keys, "*") {
		if traits, ok := v.over.Codes[key]; ok && key != "" {
			out = append(out, layer{at: "codes." + key, traits: traits})
		}
	}
	return out
}

// row returns the traits of a row. Rows without a code are covered as the fallback is.
func (v *overlay) row(row Row) Traits {
	t, covered := v.table.Taxonomy, row
	if t.Code(row) == nil {
		covered, _ = t.Find(t.Fallback)
	}
	base := *v.table.row(row)
	if !base.Retryable {
		base.Reaction = pastRetries(base.Reaction)
	}
	layers := v.layers(covered)
	out := v.traits(row, base, layers)
	out.Reaction = v.choose(row, base.Reaction, out.Retryable, layers)
	return out
}

// traits applies everything but the reaction, the least specific layer first. A row that is not
// retryable stays so. A recoverability that follows from the flag keeps following it.
func (v *overlay) traits(row Row, base Traits, layers []layer) Traits {
	out := base
	follows := base.Recoverability == recoverabilityOf(base.Retryable)
	for _, l := range slices.Backward(layers) {
		top := l.traits
		if f := top.Retryable; f != nil {
			at := l.at + ".retryable"
			if *f && !base.Retryable {
				v.skip(at, row)
				top.Retryable = nil
			} else {
				v.applied[at] = true
			}
		}
		follows = follows && top.Recoverability == ""
		v.merge(&out, &top, l.at)
	}
	if follows {
		out.Recoverability = recoverabilityOf(out.Retryable)
	}
	return out
}

func recoverabilityOf(retryable bool) Recoverability {
	if retryable {
		return Retryable
	}
	return Permanent
}

// choose returns the reaction of the most specific layer that the row may have, else the row's own
// with the overrides of reactions.
func (v *overlay) choose(row Row, base *Reaction, retryable bool, layers []layer) *Reaction {
	for _, l := range layers {
		ref := l.traits.Reaction
		if ref == nil {
			continue
		}
		name := ref.Name
		if ref.Retryable != "" || ref.Permanent != "" {
			if name = ref.Permanent; retryable {
				name = ref.Retryable
			}
		}
		if name == "" {
			continue
		}
		at := l.at + ".reaction"
		r := v.reaction(v.reactionNamed(name, at), false)
		if allowed(base, r, retryable) {
			v.applied[at] = true
			return r
		}
		v.skip(at, row)
	}
	r := v.reaction(base, false)
	if allowed(base, r, retryable) {
		return r
	}
	for x := r; x != nil; x = x.Then {
		if _, over := v.over.Reactions[x.Name]; over && retriesLater(x) {
			v.skip("reactions."+x.Name, row)
			v.applied["reactions."+x.Name] = true
		}
	}
	return pastRetries(v.reaction(base, true))
}

// pastRetries returns the first reaction from r on that does not call again, for a row whose flag
// was taken away.
func pastRetries(r *Reaction) *Reaction {
	for r.Retries() && r.Then != nil {
		r = r.Then
	}
	return r
}

// allowed reports whether a row may have the reaction: a row that is not retryable is not retried,
// immediately or later, unless its own reaction leads there already.
func allowed(base, r *Reaction, retryable bool) bool {
	return retryable || !r.Retries() && (r == base || !retriesLater(r) || retriesLater(base))
}

func retriesLater(r *Reaction) bool {
	for r != nil && !r.Retries() {
		r = r.Then
	}
	return r != nil
}

// declared reports a name that is not among the declared ones.
func (v *overlay) declared(at, what, name string, known []string) {
	if !slices.Contains(known, name) {
		v.unknown(at, what, name, known)
	}
}

func names(list []Named) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Name
	}
	return out
}
