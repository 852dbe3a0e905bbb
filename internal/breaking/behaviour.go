package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// traits returns the scalars of a row. Statuses have the values that clients see without one.
func traits(t taxonomy.Traits) []leaf {
	return append(leaves(t, "Reaction", "HTTP", "GRPC"), leaf{"http", number(cmp.Or(int(t.HTTP), 500))},
		leaf{"grpc", cmp.Or(resolve.GRPCWord(t.GRPC), "UNKNOWN")})
}

// changedTraits returns the traits that differ. Recoverability is left out if retryable differs,
// because it follows from that.
func (c *comparison) changedTraits(o, n taxonomy.Traits) []difference {
	out := diff(traits(o), traits(n))
	if o.Retryable != n.Retryable {
		out = slices.DeleteFunc(out, func(d difference) bool { return d.path == "recoverability" })
	}
	return out
}

// rows compares the traits of a code, and of its branches.
func (c *comparison) rows(o, n *model.Code) {
	own := c.row(o.Row.Traits, n.Row.Traits, n, n.Key, nil, nil)
	was, is := branchTexts(o), branchTexts(n)
	before := func(text string) *model.Row { return o.When[slices.Index(was, text)].Row }
	left := missing(was, is)
	for i, text := range is {
		row := o.Row // before, the code's own row held for the contexts of a new branch
		switch {
		case slices.Contains(was, text):
			row = before(text)
		case len(left) > 0:
			row = before(left[0])
			c.branchMoved(n, i, left[0], text)
			left = left[1:]
		}
		c.row(row.Traits, n.When[i].Row.Traits, n, fmt.Sprintf("%s when %d", n.Key, i+1),
			&c.new.codes[n].When[i].Traits, own)
	}
	for _, text := range left {
		c.row(before(text).Traits, n.Row.Traits, n, fmt.Sprintf("%s where %s", n.Key, text), nil, own)
	}
	common := func(list, other []string) []string { return missing(list, missing(list, other)) }
	if !slices.Equal(common(was, is), common(is, was)) {
		c.changed(idWhen, at(c.new.codes[n].When[0].Span, c.new.codeAt(n)), "the first branch that holds applies",
			"the branches of %s are in another order", n.Key)
	}
}

// branchMoved reports a branch that holds for other contexts.
func (c *comparison) branchMoved(n *model.Code, i int, was, is string) {
	id := idWhen
	if row := n.When[i].Row; row.HTTP != n.Row.HTTP || row.GRPC != n.Row.GRPC {
		id = idStatus
	}
	c.changed(id, at(c.new.codes[n].When[i].Span, c.new.codeAt(n)), "", "%s",
		differ(fmt.Sprintf("%s: the condition of when %d", n.Key, i+1), was, is))
}

// row compares two rows, except the differences in known, and returns all differences.
func (c *comparison) row(o, n taxonomy.Traits, code *model.Code, who string, branch *spec.Traits,
	known []difference) []difference {
	found := c.changedTraits(o, n)
	if what := c.otherReaction(o.Reaction, n.Reaction); what != "" {
		found = append(found, difference{"reaction", "", what})
	}
	for _, d := range found {
		if slices.Contains(known, d) {
			continue
		}
		var span diag.Span
		if branch != nil {
			span = spanOf(branch, d.path)
		}
		span = at(span, spanOf(c.new.codes[code].Traits, d.path),
			spanOf(c.new.categories[code.Category].Traits, d.path),
			c.new.codeAt(code))
		path := p("codes", code.Key, d.path)
		if d.path == "reaction" {
			c.items = append(c.items, item{path, who, d.is, place{span, false}})
		} else {
			c.value(path, who, d.was, d.is, place{span, false})
		}
	}
	return found
}

// branchTexts returns the conditions of each branch as a unique text.
func branchTexts(c *model.Code) []string {
	var out []string
	for _, b := range c.When {
		var conds []string
		for _, cond := range b.Conds {
			conds = append(conds, condText(cond))
		}
		slices.Sort(conds)
		text := strings.Join(conds, " and ")
		for i := 2; slices.Contains(out, text); i++ {
			text = fmt.Sprintf("%s (%d)", strings.Join(conds, " and "), i)
		}
		out = append(out, text)
	}
	return out
}

// condText returns the tests of one field. The order of values has no meaning.
func condText(c model.Cond) string {
	text := c.Field.Wire
	values := func(word string, list ...model.Value) {
		var texts []string
		for _, v := range list {
			texts = append(texts, valueText(v))
		}
		slices.Sort(texts)
		if len(texts) > 0 {
			text += " " + word + " " + strings.Join(texts, " or ")
		}
	}
	values("is", c.Values...)
	values("not", c.Not...)
	if c.Min != nil {
		values("min", *c.Min)
	}
	if c.Max != nil {
		values("max", *c.Max)
	}
	if len(c.Prefix) > 0 {
		text += fmt.Sprintf(" prefix %q", slices.Sorted(slices.Values(c.Prefix)))
	}
	if c.Present != nil {
		text += fmt.Sprintf(" present %t", *c.Present)
	}
	return text
}

// reactions compares declared reactions and policies, so that a change is found once, and not for
// each code that it concerns.
func (c *comparison) reactions() {
	for _, decl := range c.new.tree.Reactions {
		o, n := c.old.model.ReactionByName(decl.Name.V), c.new.model.ReactionByName(decl.Name.V)
		if o == nil || n == nil {
			continue
		}
		if parts := c.reactionParts(o, n); len(parts) > 0 {
			c.items = append(c.items, item{p("reactions", n.Name), "reaction " + n.Name, strings.Join(parts, "; "),
				place{decl.Name.Span, false}})
		}
	}
	for _, decl := range c.new.tree.Policies {
		if o, n := c.old.model.PolicyByName(decl.Name.V), c.new.model.PolicyByName(decl.Name.V); o != nil && n != nil {
			c.differences(p("policies", n.Name), "policy "+n.Name, leaves(o), leaves(n),
				place{decl.Name.Span, false})
		}
	}
	var was, is diag.Span
	if ref := c.old.tree.Uncategorized; ref != nil {
		was = ref.Span
	}
	if ref := c.new.tree.Uncategorized; ref != nil {
		is = ref.Span
	}
	what := c.otherReaction(c.old.model.Taxonomy.Uncategorized, c.new.model.Taxonomy.Uncategorized)
	if at := either(is, was); what != "" && at.Valid() {
		c.items = append(c.items, item{"uncategorized", "uncategorized", what, at})
	}
}

// otherReaction describes the difference between two reactions, or returns "" if they are the same
// or their declarations have the difference.
func (c *comparison) otherReaction(o, n *taxonomy.Reaction) string {
	switch {
	case c.sameReaction(o, n) || c.declaredAlike(o, n):
		return ""
	case o.Action != n.Action:
		return differ("action", o.Action.String(), n.Action.String())
	}
	return strings.Join(c.reactionParts(o, n), "; ")
}

// declaredAlike reports whether both reactions are declared with one name.
func (c *comparison) declaredAlike(o, n *taxonomy.Reaction) bool {
	return o != nil && n != nil && c.old.model.Declared[o] && c.new.model.Declared[n] && o.Name == n.Name
}

// sameReaction reports whether two reactions do the same, regardless of their names. Chains of
// reactions are finite.
func (c *comparison) sameReaction(o, n *taxonomy.Reaction) bool {
	if o == nil || n == nil {
		return o == n
	}
	same, known := c.same[[2]*taxonomy.Reaction{o, n}]
	if !known {
		same = len(localParts(o, n))+len(policyParts(o.Policy, n.Policy)) == 0 && c.sameReaction(o.Then, n.Then)
		c.same[[2]*taxonomy.Reaction{o, n}] = same
	}
	return same
}

// reactionParts describes the difference between two reactions, except for the differences that
// declarations have.
func (c *comparison) reactionParts(o, n *taxonomy.Reaction) []string {
	parts := localParts(o, n)
	if op, np := o.Policy, n.Policy; op == nil || np == nil || !c.old.model.Declared[op] || !c.new.model.Declared[np] || op.Name != np.Name {
		parts = append(parts, policyParts(op, np)...)
	}
	if !c.declaredAlike(o.Then, n.Then) && !c.sameReaction(o.Then, n.Then) {
		parts = append(parts, differ("then", reactionName(c.old, o.Then), reactionName(c.new, n.Then)))
	}
	return parts
}

func reactionName(t *Taxonomy, r *taxonomy.Reaction) string {
	switch {
	case r == nil:
		return ""
	case t.model.Declared[r]:
		return r.Name
	}
	return r.Action.String() + " in place"
}

// localParts describes the difference between two reactions without policy and then.
func localParts(o, n *taxonomy.Reaction) []string {
	except := []string{"Name", "Policy", "Then"}
	return texts(diff(leaves(o, except...), leaves(n, except...)))
}

func policyParts(o, n *taxonomy.Policy) []string {
	switch {
	case o == nil && n == nil:
		return nil
	case o == nil:
		return []string{"it has a policy now"}
	case n == nil:
		return []string{"it no longer has a policy"}
	}
	return texts(diff(leaves(o, "Name"), leaves(n, "Name")))
}

func texts(all []difference) []string {
	var out []string
	for _, d := range all {
		out = append(out, differ(d.path, d.was, d.is))
	}
	return out
}

// defaultProfile is the profile that applies if none is chosen.
const defaultProfile = "default"

// table is a profile that changes nothing.
func table() *model.Profile {
	return &model.Profile{Profile: &taxonomy.Profile{
		Name: defaultProfile, Retry: taxonomy.RetryDefaults{Enabled: true}, Recovery: taxonomy.Recovery{Enabled: true},
		Reporting: taxonomy.Reporting{Context: true},
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
	}}
}

// profiles compares the profiles of both taxonomies. The default profile is compared with the table
// if it is new or removed.
func (c *comparison) profiles() {
	span := func(t *Taxonomy, p *model.Profile) diag.Span {
		return t.tree.Profiles[slices.Index(t.model.Profiles, p)].Name.Span
	}
	for _, n := range c.new.model.Profiles {
		if o := c.old.model.ProfileByName(n.Name); o != nil && c.new.model.ProfileByName(n.Name) == n {
			c.profile(o, n, place{span(c.new, n), false})
		}
	}
	o, n := c.old.model.ProfileByName(defaultProfile), c.new.model.ProfileByName(defaultProfile)
	known := len(c.items)
	switch {
	case o == nil && n != nil:
		if c.profile(table(), n, place{span(c.new, n), false}); len(c.items) > known {
			c.changed(idProfile, span(c.new, n), "", "profile %s is new, and applies if none is chosen", n.Name)
		}
	case o != nil && n == nil:
		if c.profile(o, table(), place{span(c.old, o), true}); len(c.items) > known {
			c.gone(idProfile, span(c.old, o), "", "profile %s is removed: if none is chosen, the table applies", o.Name)
		}
	}
}

// profile compares two profiles: the settings, and the codes whose rows in the table are the same.
func (c *comparison) profile(o, n *model.Profile, at place) {
	settings, subject := len(c.items), "profile "+n.Name
	c.differences(p("profiles", n.Name), subject, profileSettings(o), profileSettings(n), at)
	settings = len(c.items) - settings
	was, is := c.old.model.Taxonomy.Uncategorized, c.new.model.Taxonomy.Uncategorized
	if settings == 0 && c.sameReaction(was, is) {
		before, now := o.Head(cmp.Or(o.Uncategorized, was)), n.Head(cmp.Or(n.Uncategorized, is))
		if what := c.wholeReaction(before, now); what != "" {
			c.items = append(
				c.items, item{p("profiles", n.Name, "uncategorized"), subject, "uncategorized: " + what, at})
		}
	}
	for _, before := range c.old.model.Codes {
		now := c.continued(before)
		if now == nil {
			continue
		}
		was, is := c.old.model.Under(o, before.Row), c.new.model.Under(n, now.Row)
		if was == before.Row.Traits && is == now.Row.Traits {
			continue // the profiles change neither
		}
		inTable := c.changedTraits(before.Row.Traits, now.Row.Traits)
		for _, d := range c.changedTraits(was, is) {
			if !slices.ContainsFunc(inTable, func(t difference) bool { return t.path == d.path }) {
				c.value(p("profiles", n.Name, "codes", now.Key, d.path), now.Key+" in profile "+n.Name, d.was, d.is, at)
			}
		}
		if !c.sameReaction(before.Row.Reaction, now.Row.Reaction) {
			continue
		}
		if what := c.wholeReaction(was.Reaction, is.Reaction); what != "" {
			c.items = append(c.items, item{p("profiles", n.Name, "codes", now.Key, "reaction"),
				now.Key + " in profile " + n.Name, what, at})
		}
	}
}

func profileSettings(profile *model.Profile) []leaf {
	out := leaves(profile.Detection)
	for i := range out {
		out[i].path = "detection " + out[i].path
	}
	out = append(out, leaf{"retry_enabled", fmt.Sprint(profile.Retry.Enabled)})
	if r := profile.Retry.Policy; r != nil {
		for _, l := range leaves(r, "Name") {
			out = append(out, leaf{"retry " + l.path, l.text})
		}
	}
	allowed := "every strategy"
	if profile.Recovery.Allowed != nil {
		allowed = fmt.Sprint(slices.Sorted(slices.Values(profile.Recovery.Allowed)))
	}
	attempts := "0"
	if profile.Recovery.MaxAttempts >= 0 {
		attempts = number(profile.Recovery.MaxAttempts)
	}
	return append(out, leaf{"recovery", fmt.Sprint(profile.Recovery.Enabled)}, leaf{"recovery max_attempts", attempts},
		leaf{"recovery allowed", allowed}, leaf{"reporting stack", fmt.Sprint(profile.Reporting.Stack)},
		leaf{"reporting context", fmt.Sprint(profile.Reporting.Context)})
}

// wholeReaction describes the difference between reactions of profiles, which have no declarations
// of their own.
func (c *comparison) wholeReaction(o, n *taxonomy.Reaction) string {
	if c.sameReaction(o, n) {
		return ""
	}
	if parts := append(localParts(o, n), policyParts(o.Policy, n.Policy)...); len(parts) > 0 {
		return strings.Join(parts, "; ")
	}
	return differ("then", reactionName(c.old, o.Then), reactionName(c.new, n.Then))
}
