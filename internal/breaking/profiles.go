package breaking

import (
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// defaultProfile is the profile that holds where none is chosen, as taxonomy.Table has it.
const defaultProfile = "default"

// plain is a profile that says what the table says.
func plain() *model.Profile {
	return &model.Profile{
		Name: defaultProfile, RetryEnabled: true, Recovery: taxonomy.Recovery{Enabled: true},
		Reporting: taxonomy.Reporting{Context: true},
		Detection: taxonomy.Detection{Text: true, Severity: true, Recoverability: true},
	}
}

// place is where a profile stands.
type place struct {
	at   diag.Span
	gone bool // in the old taxonomy
}

func (c *comparison) tellAt(p place, id, format string, args ...any) {
	if p.gone {
		c.gone(id, p.at, "", format, args...)
		return
	}
	c.changed(id, p.at, "", format, args...)
}

// profiles compares what profiles change. One that is new or gone is nobody's yet or found already,
// but for the one that holds where none is chosen: there, the table held.
func (c *comparison) profiles() {
	was, is := byProfile(c.old), byProfile(c.new)
	for i, n := range c.new.model.Profiles {
		if o := was[n.Name]; o != nil && is[n.Name] == n {
			c.profile(o, n, place{at: c.new.tree.Profiles[i].Name.Span})
		}
	}
	o, n := was[defaultProfile], is[defaultProfile]
	switch {
	case o == nil && n != nil:
		if p := (place{at: profileAt(c.new, n)}); c.profile(plain(), n, p) {
			c.tellAt(p, idProfile, "profile %s is new, and holds where none is chosen", n.Name)
		}
	case o != nil && n == nil:
		if p := (place{profileAt(c.old, o), true}); c.profile(o, plain(), p) {
			c.tellAt(p, idProfile, "profile %s is gone: where none is chosen, the table holds", o.Name)
		}
	}
}

func byProfile(t *Taxonomy) map[string]*model.Profile {
	m := make(map[string]*model.Profile, len(t.model.Profiles))
	for _, p := range t.model.Profiles {
		first(m, p.Name, p)
	}
	return m
}

func profileAt(t *Taxonomy, profile *model.Profile) (at diag.Span) {
	for i, p := range t.model.Profiles {
		if p == profile {
			at = t.tree.Profiles[i].Name.Span
		}
	}
	return at
}

// profile compares two profiles, and reports whether they differ.
func (c *comparison) profile(o, n *model.Profile, p place) bool {
	settings := c.settings(o, n)
	if len(settings) > 0 {
		c.tellAt(p, idProfile, "profile %s: %s", n.Name, strings.Join(settings, "; "))
	}
	return c.overlays(o, n, p) || len(settings) > 0
}

// settings says what a profile says of more than single codes.
func (c *comparison) settings(o, n *model.Profile) []string {
	var d diffs
	d.flag("detection text", o.Detection.Text, n.Detection.Text)
	d.flag("detection severity", o.Detection.Severity, n.Detection.Severity)
	d.flag("detection recoverability", o.Detection.Recoverability, n.Detection.Recoverability)
	d.flag("recovery", o.Recovery.Enabled, n.Recovery.Enabled)
	d.text("recovery max_attempts", attemptsText(o.Recovery), attemptsText(n.Recovery))
	d.text("recovery allowed", allowedText(o.Recovery), allowedText(n.Recovery))
	d.flag("retry", o.RetryEnabled, n.RetryEnabled)
	for _, part := range policyOrNone(o.RetryPolicy, n.RetryPolicy) {
		d = append(d, "retry: "+part)
	}
	d.flag("reporting stack", o.Reporting.Stack, n.Reporting.Stack)
	d.flag("reporting context", o.Reporting.Context, n.Reporting.Context)
	if len(d) > 0 { // what is done about errors of no category follows from it
		return d
	}
	was, is := c.old.model.Uncategorized, c.new.model.Uncategorized
	if c.sameReaction(was, is) {
		if what := c.anotherReaction(o.Head(orTable(o.Uncategorized, was), true),
			n.Head(orTable(n.Uncategorized, is), true)); what != "" {
			d = append(d, "uncategorized: "+what)
		}
	}
	return d
}

func attemptsText(r taxonomy.Recovery) string {
	switch {
	case r.MaxAttempts < 0:
		return "0"
	case r.MaxAttempts == 0:
		return ""
	}
	return strconv.Itoa(r.MaxAttempts)
}

func allowedText(r taxonomy.Recovery) string {
	switch {
	case r.Allowed == nil:
		return "every strategy"
	case len(r.Allowed) == 0:
		return "no strategy"
	}
	return strings.Join(slices.Sorted(slices.Values(r.Allowed)), ", ")
}

// anotherReaction says what is different about what a profile does, all of it: of its instances of
// what is declared nothing else speaks. It is "" if nothing is.
func (c *comparison) anotherReaction(o, n *model.Reaction) string {
	if c.sameReaction(o, n) {
		return ""
	}
	if parts := append(localParts(o, n), policyChange(o, n)...); len(parts) > 0 {
		return strings.Join(parts, "; ")
	}
	if was, is := reactionName(o.Then), reactionName(n.Then); was != is {
		return differ("then", was, is)
	}
	return "then is another " + reactionName(n.Then)
}

func orTable(own, table *model.Reaction) *model.Reaction {
	if own == nil {
		return table
	}
	return own
}

// overlays finds codes of which a profile says something else than it did, where the table itself
// says the same. It reports whether there are any.
func (c *comparison) overlays(o, n *model.Profile, p place) bool {
	found := false
	tell := func(id, what string, code *model.Code) {
		found = true
		c.traits.add(traitKey{id, what, p.at, p.gone}, code.Key)
	}
	for _, before := range c.old.model.Codes {
		now := c.carriedOn(before)
		if now == nil {
			continue
		}
		was, is := o.Traits(before.Row), n.Traits(now.Row)
		for _, a := range aspects {
			if a.same(&was, &is) || !a.same(&before.Row.Traits, &now.Row.Traits) || a.what == "recoverability" &&
				was.Retryable != is.Retryable {
				continue
			}
			id := a.id
			if id != idStatus {
				id = idProfile
			}
			tell(id, "in profile "+n.Name+" "+differ(a.what, a.text(&was), a.text(&is)), now)
		}
		if !c.sameReaction(before.Row.Reaction, now.Row.Reaction) {
			continue
		}
		if what := c.anotherReaction(was.Reaction, is.Reaction); what != "" {
			tell(idProfile, "another reaction in profile "+n.Name+": "+what, now)
		}
	}
	return found
}
