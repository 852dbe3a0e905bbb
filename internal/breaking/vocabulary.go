package breaking

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// header compares what the taxonomy says of itself.
func (c *comparison) header() {
	o, n := c.old, c.new
	if was, is := o.model.Domain, n.model.Domain; was != is {
		c.either(idDomain, n.tree.Domain.Span, o.tree.Domain.Span,
			"keep it: errors of another domain are unknown to whoever reads them",
			"%s", differ("the domain", was, is))
	}
	if was, is := o.model.Name, n.model.Name; was != is {
		c.either(idPackage, n.tree.Package.Span, o.tree.Package.Span, "keep it: every caller imports it",
			"the package was %s, and is %s", was, is)
	}
	if was, is := o.model.HelpURL, n.model.HelpURL; was != is {
		c.either(idHelpURL, n.tree.HelpURL.Span, o.tree.HelpURL.Span, "let the old addresses lead to the new ones",
			"%s", differ("help_url", was, is))
	}
	c.fallback()
	if o.classifies() && !n.classifies() {
		c.gone(idGoRemoved, o.tree.Package.Span, "",
			"Classify, ClassifyEvidence and Explain are gone: there are no rules and no fallback any more")
	}
}

// classifies reports whether the package has functions to classify with.
func (t *Taxonomy) classifies() bool { return len(t.model.Rules) > 0 || t.model.Fallback != nil }

func (c *comparison) fallback() {
	was, is := fallbackText(c.old, c.carriedOn), fallbackText(c.new, func(n *model.Code) *model.Code { return n })
	if was == is {
		return
	}
	var now, before diag.Span
	if c.new.tree.Fallback != nil {
		now = at(c.new.tree.Fallback.Code.Span, c.new.tree.Fallback.Span)
	}
	if c.old.tree.Fallback != nil {
		before = at(c.old.tree.Fallback.Code.Span, c.old.tree.Fallback.Span)
	}
	c.either(idFallback, now, before, "", "%s", differ("the fallback", was, is))
}

// fallbackText is the fallback under the key that its code has now.
func fallbackText(t *Taxonomy, now func(*model.Code) *model.Code) string {
	code := t.model.Fallback
	if code == nil {
		return ""
	}
	text := code.Key
	if n := now(code); n != nil {
		text = n.Key
	}
	if set := assigned(t.model.FallbackSet); len(set) > 0 {
		text += fmt.Sprintf(" with %v", set)
	}
	return text
}

// word is something that a taxonomy declares by name, and what stands for it in Go.
type word struct {
	name, goName string
	at           diag.Span
}

func spanAt(list []spec.Named, i int) diag.Span { return list[i].Name.Span }

// vocabulary compares the words that have a name in Go.
func (c *comparison) vocabulary() {
	c.words("group", groups(c.old), groups(c.new))
	c.words("strategy", strategies(c.old), strategies(c.new))
	c.words("check", checks(c.old), checks(c.new))
	c.words("tier", tiers(c.old), tiers(c.new))
	c.words("profile", profileWords(c.old), profileWords(c.new))
	c.interfaces("Strategies", strategies(c.old), strategies(c.new))
	c.interfaces("Checks", checks(c.old), checks(c.new))
	c.ladder()
}

func groups(t *Taxonomy) (out []word) {
	for i, g := range t.model.Groups {
		out = append(out, word{g.Name, g.Predicate, spanAt(t.tree.Groups, i)})
	}
	return out
}

func strategies(t *Taxonomy) (out []word) {
	for i, s := range t.model.Strategies {
		out = append(out, word{s.Name, s.Const, spanAt(t.tree.Strategies, i)})
	}
	return out
}

func checks(t *Taxonomy) (out []word) {
	for i, s := range t.model.Checks {
		out = append(out, word{s.Name, s.Const, spanAt(t.tree.Checks, i)})
	}
	return out
}

func tiers(t *Taxonomy) (out []word) {
	for i, s := range t.model.Tiers {
		out = append(out, word{s.Name, s.Const, t.tree.Tiers[i].Name.Span})
	}
	return out
}

func profileWords(t *Taxonomy) (out []word) {
	for i, p := range t.model.Profiles {
		out = append(out, word{p.Name, p.Const, t.tree.Profiles[i].Name.Span})
	}
	return out
}

// words finds words that are gone.
func (c *comparison) words(kind string, old, new []word) {
	have := make(map[string]bool, len(new))
	for _, w := range new {
		have[w.name] = true
	}
	for _, w := range old {
		if !have[w.name] {
			c.gone(idGoRemoved, w.at, "keep it declared for as long as somebody may name it", "%s %s and %s are gone",
				kind, w.name, w.goName)
		}
	}
}

// interfaces finds methods that programs do not have yet. An interface that is new is nobody's yet.
func (c *comparison) interfaces(name string, old, new []word) {
	if len(old) == 0 {
		return
	}
	have := make(map[string]bool, len(old))
	for _, w := range old {
		have[w.name] = true
	}
	for _, w := range new {
		if !have[w.name] {
			c.changed(idInterface, w.at, "every implementation needs the method: say so in the release",
				"%s is new: what implements %s does not compile without it", w.name, name)
		}
	}
}

// ladder compares the order of the tiers, and what they are.
func (c *comparison) ladder() {
	was, is := ladderTexts(c.old), ladderTexts(c.new)
	if len(was) == 0 || slices.Equal(was, is) || len(missing(tierNames(c.old), tierNames(c.new))) > 0 {
		return
	}
	place := c.new.tree.Tiers[0].Name.Span
	for i := range is {
		if i >= len(was) || was[i] != is[i] {
			place = c.new.tree.Tiers[i].Name.Span
			break
		}
	}
	c.changed(idTiers, place, "", "%s", differ("the ladder", list(was), list(is)))
}

func tierNames(t *Taxonomy) (out []string) {
	for _, tier := range t.model.Tiers {
		out = append(out, tier.Name)
	}
	return out
}

func ladderTexts(t *Taxonomy) (out []string) {
	for _, tier := range t.model.Tiers {
		text := tier.Name
		if tier.Person {
			text += " (a person)"
		}
		if !tier.Classifies {
			text += " (does not classify)"
		}
		if p := tier.Purpose.String(); p != "" && tier.Purpose != 0 {
			text += " (" + p + ")"
		}
		out = append(out, text)
	}
	return out
}
