package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// runtimeOps are the operations that the runtime reports on its own.
var runtimeOps = strings.Fields(`
	load_config prepare lock resume available detect_changes save revert scope ask budget call
	validate_pre_commit validate_pre_push validate_pre_pr commit push pr file_task notify state_write`)

// Operations returns the operations that no taxonomy has to declare.
func Operations() []string { return slices.Clone(runtimeOps) }

// known reports a name that is not among the valid ones.
func (p *pass) known(what string, name spec.Text, valid nameSet, section string) {
	if !name.Set || valid.has(name.V) {
		return
	}
	r := p.report(name.Span, "%s %q is not declared", what, name.V)
	switch near := p.nearest(name.V, valid.list); {
	case near != "":
		r.hint("did you mean %q?", near)
	case section != "":
		r.hint("declare it under %s", section)
	}
}

func (p *pass) knownReaction(ref *spec.ReactionRef) {
	switch {
	case ref == nil:
	case ref.Inline != nil:
		p.knownInReaction(ref.Inline)
	case ref.ByFlag != nil:
		p.known("reaction", ref.ByFlag.Retryable, p.reactions, "reactions")
		p.known("reaction", ref.ByFlag.Permanent, p.reactions, "reactions")
	default:
		p.known("reaction", ref.Name, p.reactions, "reactions")
	}
}

// knownInReaction checks what a reaction names: its policy, strategy, tier and the reaction after
// it.
func (p *pass) knownInReaction(r *spec.Reaction) {
	if r.Policy != nil && r.Policy.Inline == nil {
		p.known("policy", r.Policy.Name, p.policies, "policies")
	}
	p.known("strategy", r.Strategy, p.strategies, "strategies")
	if len(p.tiers.list) > 0 {
		p.known("tier", r.To, p.tiers, "tiers")
	}
	p.knownReaction(r.Then)
}

func unknownInReactions(p *pass) {
	for i := range p.t.Reactions {
		p.knownInReaction(&p.t.Reactions[i])
	}
	p.knownReaction(p.t.Uncategorized)
}

func unknownInCodes(p *pass) {
	for _, c := range p.categories {
		p.knownReaction(c.Traits.Reaction)
	}
	for _, c := range p.codes {
		p.knownReaction(c.Traits.Reaction)
		for _, w := range c.When {
			p.knownReaction(w.Traits.Reaction)
		}
		for _, g := range c.Groups {
			p.known("group", g, p.groups, "groups")
		}
		p.known("code", c.ReplacedBy, p.codeKeys, "")
		if c.Prevent != nil {
			p.known("check", c.Prevent.Check, p.checks, "checks")
		}
	}
	if p.t.Fallback != nil {
		p.known("code", p.t.Fallback.Code, p.codeKeys, "")
	}
}

func unknownInProfiles(p *pass) {
	for i := range p.t.Profiles {
		profile := &p.t.Profiles[i]
		for j := range profile.Reactions {
			r := &profile.Reactions[j]
			p.known("reaction", r.Name, p.reactions, "reactions")
			p.knownInReaction(r)
		}
		for _, policy := range profile.Policies {
			p.known("policy", policy.Name, p.policies, "policies")
		}
		for _, o := range profile.Codes {
			p.knownOverlayKey(o.Key)
			p.knownReaction(o.Traits.Reaction)
		}
		for _, s := range profile.Recovery.Allowed {
			p.known("strategy", s, p.strategies, "strategies")
		}
	}
}

// knownOverlayKey accepts a code, a category, @group and *.
func (p *pass) knownOverlayKey(key spec.Text) {
	if key.V == "*" {
		return
	}
	group, isGroup := strings.CutPrefix(key.V, "@")
	if p.codeKeys.has(key.V) || p.categoryNames.has(key.V) || isGroup && p.groups.has(group) {
		return
	}
	valid := slices.Concat(p.codeKeys.list, p.categoryNames.list)
	for _, g := range p.groups.list {
		valid = append(valid, "@"+g)
	}
	p.report(key.Span, "%q is no code, category or @group", key.V).meant(key.V, valid)
}

func unknownFields(p *pass) {
	for _, c := range p.codes {
		p.knownFields(c, c.Set)
		for _, a := range c.Args {
			p.knownField(c, a)
		}
		for _, w := range c.When {
			for _, cond := range w.If {
				p.knownField(c, cond.Field)
			}
		}
		for _, r := range c.Detect {
			p.knownFields(c, r.Set)
		}
		for _, e := range c.Examples {
			if e.Want != nil {
				p.knownFields(c, e.Want.Context)
			}
		}
	}
	if f := p.t.Fallback; f != nil {
		if c := p.codeNamed[f.Code.V]; c != nil {
			p.knownFields(c, f.Set)
		}
	}
}

func (p *pass) knownFields(c *code, set []spec.Assignment) {
	for _, a := range set {
		p.knownField(c, a.Field)
	}
}

func (p *pass) knownField(c *code, name spec.Text) {
	if _, ok := c.category.byName[name.V]; !ok {
		p.report(name.Span, "category %q has no field %q", c.category.Name.V, name.V).
			meantOneOf(name.V, c.category.fieldNames)
	}
}

func unknownInDetect(p *pass) {
	for _, c := range p.codes {
		for _, r := range c.Detect {
			for _, cond := range r.Conditions {
				switch cond.Key.V {
				case "source":
					p.knownLiterals("source", cond.Match, p.sources, "sources")
				case "op":
					p.knownLiterals("op", cond.Match, p.ops, "ops")
				}
			}
		}
		for _, e := range slices.Concat(c.Examples, c.NotExamples) {
			for _, entry := range e.Entries {
				switch entry.Key.V {
				case "source":
					p.knownLiteral("source", entry.Value, p.sources, "sources")
				case "op":
					p.knownLiteral("op", entry.Value, p.ops, "ops")
				}
			}
			if e.Want != nil {
				p.known("reaction", e.Want.Reaction, p.reactions, "reactions")
			}
		}
	}
}

func (p *pass) knownLiterals(what string, m spec.Matcher, valid nameSet, section string) {
	for _, lit := range slices.Concat(m.Values, m.Not) {
		p.knownLiteral(what, lit, valid, section)
	}
}

func (p *pass) knownLiteral(what string, lit spec.Literal, valid nameSet, section string) {
	if lit.Kind == spec.LitString {
		p.known(what, spec.Text{V: lit.Text, Span: lit.Span, Set: true}, valid, section)
	}
}
