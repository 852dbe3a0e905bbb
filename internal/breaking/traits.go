package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// continuedCodes compares the codes that continue old ones.
func (c *comparison) continuedCodes() {
	for _, n := range c.new.model.Codes {
		o, s, decl := c.from[n], c.subject(n), c.new.codes[n]
		if o == nil {
			continue
		}
		place := decl.Name.Span
		c.fields(n.Key+".", place, o.Category.Type != n.Category.Type, o.OwnFields(), n.OwnFields())
		behaviour := func(id, key, old, new string, spans ...diag.Span) fact {
			return fact{id: id, key: key, old: old, new: new, at: at(append(spans, place)...)}
		}
		if o.Numbered && c.old.withNumberOf(o) == o {
			c.report(s, n.Key, fact{id: idNumber, key: "number", old: number(o), new: number(n),
				at: at(decl.Number.Span, place), hint: "numbers are published: keep it"})
		}
		c.goName(s, o, n)
		c.factory(s, o, n)
		c.report(s, n.Key,
			behaviour("W-changed-message", "message", strconv.Quote(c.message(o)), strconv.Quote(n.MessageText),
				decl.Message.Span),
			behaviour("W-changed-message", "feedback", c.old.codes[o].Feedback.V, decl.Feedback.V, decl.Feedback.Span),
			behaviour("W-changed-set", "set", assigned(o.Set), assigned(n.Set)))
		c.reportAudience(s, n.Key, o.Public, n.Public, decl.Audience.Span, place)
		prevent := fact{id: "W-changed-prevent", key: "prevent", at: place}
		if decl.Prevent != nil {
			prevent.at = decl.Prevent.Span
		}
		c.composite(s, n.Key, prevent, leaves(o.Extras().Prevent), leaves(n.Extras().Prevent))
		c.lists(s, n.Key, "use of field", behaviour(idFieldUse, "uses", "", ""), c.uses(o), c.uses(n))
		c.lists(s, n.Key, "group", behaviour("W-changed-groups", "groups", "", ""), groups(o), groups(n))
		c.constants(s, o, n, place)
		parent := behaviour("W-changed-parent", "parent", c.parent(o), c.parent(n))
		parent.hint = "errors.Is with the code above it has another result"
		c.report(s, n.Key, parent)
		span := c.traitSpan(n)
		c.traits(s, n.Key, span, o.Row.Traits, n.Row.Traits, nil)
		c.branches(s, o, n, span)
	}
}

// lists adds a change for each element that is in one of two lists.
func (c *comparison) lists(s Subject, label, what string, f fact, old, new []string) {
	for _, added := range []bool{true, false} {
		names := missing(old, new)
		if added {
			names = missing(new, old)
		}
		for _, name := range names {
			if f.old = name; f.key == "uses" {
				s.Field = name
			}
			c.part(s, label, added, what+" "+name, f)
		}
	}
}

// goName compares the constant and the factory of a code.
func (c *comparison) goName(s Subject, o, n *model.Code) {
	decl := c.new.codes[n]
	f := fact{id: idGoName, key: "go_name", old: o.Const + " and " + o.Factory, new: n.Const + " and " + n.Factory,
		at: at(decl.GoName.Span, decl.Name.Span), level: Source, hint: fmt.Sprintf(keepNames, "name:")}
	label := n.Key
	if s.Was != "" && o.Value == n.Value {
		f.hint, label = fmt.Sprintf(keepNames, "name: "+o.Go), ""
		f.text = fmt.Sprintf("code %s is renamed to %s (value %s kept): %s are now %s", o.Key, n.Key, n.Value, f.old,
			f.new)
	}
	c.report(s, label, f)
}

// factory compares the parameters of the factories of a code. Parameters whose fields are reported
// as changed are no change of the factory: the change of the field names the code. If the code
// moved to another category, the parameters have other types.
func (c *comparison) factory(s Subject, o, n *model.Code) {
	moved := c.categories[o.Category] != n.Category
	parameters := func(k, other *model.Code) string {
		var names []string
		for _, f := range k.Args {
			name := c.name(f)
			if moved {
				names = append(names, name+" "+f.Type.String())
				continue
			}
			path, changed := c.differs[f]
			switch {
			case !changed:
				names = append(names, name)
			case c.retyped[f], !slices.ContainsFunc(other.Args, func(g *model.Field) bool { return c.name(g) == name }):
				c.affected[path] = append(c.affected[path], missing([]string{n.Key}, c.affected[path])...)
			}
		}
		return n.Factory + "(" + strings.Join(names, ", ") + ")"
	}
	all := func(k *model.Code) string {
		var names []string
		for _, f := range k.Args {
			names = append(names, c.name(f))
		}
		return n.Factory + "(" + strings.Join(names, ", ") + ")"
	}
	f := fact{id: "E-break-factory", key: "factory", old: parameters(o, n), new: parameters(n, o),
		at: c.new.codeAt(n), hint: "keep \"args\", or give the new parameters to another code"}
	if f.old != f.new && !moved {
		f.old, f.new = all(o), all(n)
	}
	c.report(s, n.Key, f)
}

// constants compares the constants of a code. A new one breaks nothing.
func (c *comparison) constants(s Subject, o, n *model.Code, place diag.Span) {
	is := make(map[string]string)
	for i, v := range n.Constants {
		if v != nil {
			is[c.new.model.Constants[i].Name] = v.JSON()
		}
	}
	for i, v := range o.Constants {
		if v == nil {
			continue
		}
		name := c.old.model.Constants[i].Name
		c.report(s, n.Key, fact{id: "E-break-constant", key: name, old: v.JSON(), new: is[name], at: place,
			text: differ("constant "+name, v.JSON(), is[name]),
			hint: "constants are published: keep it, or declare a new one"})
	}
}

// uses returns the optional fields that a code reads or sets, in the new taxonomy.
func (c *comparison) uses(k *model.Code) (out []string) {
	for _, field := range used(k) {
		if name := c.name(field); !field.Required && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func groups(k *model.Code) (out []string) {
	for _, g := range k.Groups {
		out = append(out, g.Name)
	}
	return out
}

func (c *comparison) parent(k *model.Code) string {
	if k.Parent == nil {
		return ""
	}
	return c.key(k.Parent)
}

// message returns the message of an old code, with the new names of fields.
func (c *comparison) message(k *model.Code) string {
	text := k.MessageText
	for _, field := range k.Fields() {
		if now := c.names[field]; now != "" {
			text = renamePlaceholder(text, field.Wire, now)
		}
	}
	return text
}

// traitSpan returns the function that gives the place of a key of a code, or of its category.
func (c *comparison) traitSpan(n *model.Code) func(key string) diag.Span {
	decl, kind := c.new.codes[n], c.new.categories[n.Category]
	return func(key string) diag.Span {
		return at(spanOf(decl.Traits, key), spanOf(kind.Traits, key), decl.Name.Span)
	}
}

// traitIDs are the ids of changes of traits.
var traitIDs = map[string]string{
	"retryable": "W-changed-retryable", "recoverability": "W-changed-retryable", "severity": "W-changed-severity",
	"kind": "W-changed-kind", "http": idStatus, "grpc": idStatus, "reaction": "W-changed-reaction",
}

// traits compares the traits of a row. An unset status has the value that clients get. A trait that
// skip accepts is not compared.
func (c *comparison) traits(s Subject, label string, span func(key string) diag.Span, o, n taxonomy.Traits,
	skip func(key string) bool) {
	was, is, inProfile := traitTexts(o), traitTexts(n), s.Name != ""
	for i, p := range was {
		f := fact{id: traitIDs[p.key], key: p.key, old: p.text, new: is[i].text, at: span(p.key)}
		if inProfile && f.id != idStatus {
			f.id = idProfile
		}
		if f.id == idStatus {
			f.hint = hintStatus
		}
		if skip == nil || !skip(p.key) {
			if p.key == "recoverability" && o.Retryable != n.Retryable {
				continue // the other change implies this one
			}
			c.report(s, label, f)
		}
	}
	if skip == nil || !skip("reaction") {
		id := traitIDs["reaction"]
		if inProfile {
			id = idProfile
		}
		c.reaction(s, label, id, "reaction", span("reaction"), o.Reaction, n.Reaction, !inProfile)
	}
}

func traitTexts(t taxonomy.Traits) []pair {
	return append(leaves(t, "Reaction", "HTTP", "GRPC"), pair{"http", strconv.Itoa(cmp.Or(int(t.HTTP), 500))},
		pair{"grpc", cmp.Or(resolve.GRPCWord(t.GRPC), "UNKNOWN")})
}

// sameTrait reports whether two rows have the same value of a trait.
func (c *comparison) sameTrait(key string, o, n taxonomy.Traits) bool {
	if key == "reaction" {
		return c.sameReaction(o.Reaction, n.Reaction, false)
	}
	is := traitTexts(n)
	i := slices.IndexFunc(is, func(p pair) bool { return p.key == key })
	return traitTexts(o)[i] == is[i]
}

// branches compares the branches of a code by condition. Old branches whose conditions are gone are
// paired, in order, with the branches whose conditions are new. A branch that is missing on one
// side has the traits of its code there.
func (c *comparison) branches(s Subject, o, n *model.Code, codeSpan func(key string) diag.Span) {
	was, is := branchTexts(o), branchTexts(n)
	gone, added := missing(was, is), missing(is, was)
	place := c.new.codeAt(n)
	row := func(k *model.Code, i int) *model.Row {
		if i < 0 {
			return k.Row
		}
		return k.When[i].Row
	}
	compare := func(i, j int) { // -1 is a branch that does not exist
		label, span, old, new := "", codeSpan, row(o, i), row(n, j)
		if j >= 0 {
			decl := c.new.codes[n].When[j]
			label, place = fmt.Sprintf("%s when %d", n.Key, j+1), decl.Span
			span = func(key string) diag.Span { return at(spanOf(decl.Traits, key), codeSpan(key)) }
		} else {
			label = fmt.Sprintf("%s where %s", n.Key, was[i])
		}
		c.traits(s, label, span, old.Traits, new.Traits, func(key string) bool {
			return c.sameTrait(key, o.Row.Traits, old.Traits) && c.sameTrait(key, n.Row.Traits, new.Traits)
		})
		if i >= 0 && j >= 0 && was[i] != is[j] {
			f := fact{id: "W-changed-when", key: "condition", old: was[i], new: is[j], at: place,
				hint: "the first branch that holds applies"}
			if new.HTTP != n.Row.HTTP || new.GRPC != n.Row.GRPC {
				f.id, f.hint = idStatus, ""
			}
			c.report(s, label, f)
		}
	}
	for j, text := range is {
		i := slices.Index(was, text)
		if at := slices.Index(added, text); i < 0 && at < len(gone) {
			i = slices.Index(was, gone[at])
		}
		compare(i, j)
	}
	for i, text := range was {
		if at := slices.Index(gone, text); at >= len(added) {
			compare(i, -1)
		}
	}
	if len(is) > 0 {
		c.report(s, n.Key, fact{id: "W-changed-when", key: "condition",
			old: strings.Join(missing(was, gone), ", "), new: strings.Join(missing(is, added), ", "),
			at: c.new.codes[n].When[0].Span, hint: "the first branch that holds applies"})
	}
}

// reaction compares two reactions and those that follow them. If declared is true, reactions and
// policies that are declared under one name are compared there.
func (c *comparison) reaction(s Subject, label, id, key string, span diag.Span, o, n *taxonomy.Reaction,
	declared bool) {
	if !c.sameReaction(o, n, declared) {
		old, new := c.parts(o, n, declared)
		c.composite(s, label, fact{id: id, key: key, at: span}, old, new)
	}
}

func (c *comparison) sameReaction(o, n *taxonomy.Reaction, declared bool) bool {
	if o == nil || n == nil {
		return o == n
	}
	if declared && o.Name == n.Name && c.old.model.Declared[o] && c.new.model.Declared[n] {
		return true
	}
	old, new := c.parts(o, n, declared)
	return slices.Equal(old, new)
}

// parts returns the values of two reactions that can differ. A policy or a reaction that follows is
// one value if both have it under the same name, and both are compared there.
func (c *comparison) parts(o, n *taxonomy.Reaction, declared bool) (old, new []pair) {
	old, new = reactionLeaves(o), reactionLeaves(n)
	if o == nil || n == nil {
		return old, new
	}
	p, q := o.Policy, n.Policy
	if p == nil || q == nil || !(declared && p.Name == q.Name && c.old.model.Declared[p] && c.new.model.Declared[q]) {
		old, new = append(old, leaves(p, "Name")...), append(new, leaves(q, "Name")...)
	}
	if c.sameReaction(o.Then, n.Then, declared) {
		return old, new
	}
	was, is := c.old.reactionName(o.Then), c.new.reactionName(n.Then)
	if was != is {
		return append(old, pair{"then", was}), append(new, pair{"then", is})
	}
	next, other := c.parts(o.Then, n.Then, declared)
	return append(old, prefixed("then", next)...), append(new, prefixed("then", other)...)
}

func reactionLeaves(r *taxonomy.Reaction) []pair {
	if r == nil {
		return nil
	}
	return leaves(r, "Name", "Policy", "Then")
}

// reactionName returns the name of a reaction, or its action.
func (t *Taxonomy) reactionName(r *taxonomy.Reaction) string {
	switch {
	case r == nil:
		return ""
	case t.model.Declared[r]:
		return r.Name
	}
	return r.Action.String() + " in place"
}

// defaultProfile is the profile that applies if none is chosen.
const defaultProfile = "default"

// profiles compares the settings of the profiles that both taxonomies have, and the rows that they
// change. If only one has the default profile, the other one has one without changes.
func (c *comparison) profiles() {
	none := &model.Profile{Profile: &taxonomy.Profile{
		Name: defaultProfile, Retry: taxonomy.RetryDefaults{Enabled: true}, Recovery: taxonomy.Recovery{Enabled: true},
		Reporting: taxonomy.Reporting{Context: true},
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
	}}
	for i, n := range c.new.model.Profiles {
		o := c.old.model.ProfileByName(n.Name)
		if o == nil && n.Name == defaultProfile {
			o = none
		}
		if o != nil {
			c.profile(o, n, c.new.tree.Profiles[i].Name.Span)
		}
	}
	if o := c.old.model.ProfileByName(defaultProfile); o != nil && c.new.model.ProfileByName(defaultProfile) == nil {
		c.profile(o, none, diag.Span{})
	}
}

func (c *comparison) profile(o, n *model.Profile, span diag.Span) {
	name := "profile " + n.Name
	c.composite(Subject{Name: name}, name, fact{id: idProfile, at: span}, settings(o), settings(n))
	was, is := c.old.model.Taxonomy.Uncategorized, c.new.model.Taxonomy.Uncategorized
	if c.sameReaction(was, is, false) {
		c.reaction(Subject{Name: name}, name, idProfile, "uncategorized", span, o.Head(cmp.Or(o.Uncategorized, was)),
			n.Head(cmp.Or(n.Uncategorized, is)), false)
	}
	for _, code := range c.new.model.Codes {
		before := c.from[code]
		if before == nil {
			continue
		}
		s := c.subject(code)
		s.Name = name
		c.traits(s, code.Key+" in "+name, func(string) diag.Span { return span }, c.old.model.Under(o, before.Row),
			c.new.model.Under(n, code.Row),
			func(key string) bool { return !c.sameTrait(key, before.Row.Traits, code.Row.Traits) })
	}
}

// settings returns the settings of a profile, except the reactions that it changes.
func settings(p *model.Profile) []pair {
	out := prefixed("detection", leaves(p.Detection))
	out = append(out, pair{"retry_enabled", strconv.FormatBool(p.Retry.Enabled)})
	out = append(out, prefixed("retry", leaves(p.Retry.Policy, "Name"))...)
	allowed := "every strategy"
	if p.Recovery.Allowed != nil {
		allowed = fmt.Sprint(slices.Sorted(slices.Values(p.Recovery.Allowed)))
	}
	return append(out, pair{"recovery", strconv.FormatBool(p.Recovery.Enabled)},
		pair{"recovery max_attempts", strconv.Itoa(max(p.Recovery.MaxAttempts, 0))}, pair{"recovery allowed", allowed},
		pair{"reporting stack", strconv.FormatBool(p.Reporting.Stack)},
		pair{"reporting context", strconv.FormatBool(p.Reporting.Context)})
}
