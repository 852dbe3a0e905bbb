package breaking

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reactions compares what is declared by name, so that a change is found once and not for each code
// that it concerns.
func (c *comparison) reactions() {
	was, is := declaredReactions(c.old), declaredReactions(c.new)
	for _, o := range c.old.model.Reactions {
		n, decl := is[o.Name], c.new.reactions[o.Name]
		if n == nil || decl == nil || was[o.Name] != o {
			continue
		}
		if parts := c.reactionParts(o, n); len(parts) > 0 {
			c.changed(idReaction, at(decl.Name.Span), "", "reaction %s: %s", n.Name, strings.Join(parts, "; "))
		}
	}
	before, now := declaredPolicies(c.old), declaredPolicies(c.new)
	for _, o := range c.old.model.Policies {
		n, decl := now[o.Name], c.new.policies[o.Name]
		if n == nil || decl == nil || before[o.Name] != o {
			continue
		}
		if parts := policyParts(&o.Policy, &n.Policy); len(parts) > 0 {
			c.changed(idPolicy, decl.Name.Span, "", "policy %s: %s", n.Name, strings.Join(parts, "; "))
		}
	}
	c.uncategorized()
}

// declaredReactions and declaredPolicies are those with a name of their own, without the instances
// for profiles.

func declaredReactions(t *Taxonomy) map[string]*model.Reaction {
	m := make(map[string]*model.Reaction)
	for _, r := range t.model.Reactions {
		if r.Declared && r.Profile == "" {
			first(m, r.Name, r)
		}
	}
	return m
}

func declaredPolicies(t *Taxonomy) map[string]*model.Policy {
	m := make(map[string]*model.Policy)
	for _, p := range t.model.Policies {
		if p.Declared && p.Profile == "" {
			first(m, p.Name, p)
		}
	}
	return m
}

func (c *comparison) uncategorized() {
	was, is := c.old.tree.Uncategorized, c.new.tree.Uncategorized
	what := c.otherReaction(c.old.model.Uncategorized, c.new.model.Uncategorized)
	switch {
	case what == "":
	case is != nil:
		c.changed(idReaction, is.Span, "", "uncategorized: %s", what)
	case was != nil:
		c.gone(idReaction, was.Span, "", "uncategorized: %s", what)
	}
}

// otherReaction says what is different about what is done; "" if nothing is, or if it is found
// where the reaction is declared.
func (c *comparison) otherReaction(o, n *model.Reaction) string {
	if c.sameReaction(o, n) || declaredAlike(o, n) {
		return ""
	}
	if o.Action != n.Action {
		return differ("the action", o.Action.String(), n.Action.String())
	}
	if parts := c.reactionParts(o, n); len(parts) > 0 {
		return "the reaction is another one: " + strings.Join(parts, "; ")
	}
	return ""
}

// declaredAlike reports whether both are declared under one name.
func declaredAlike(o, n *model.Reaction) bool {
	return o != nil && n != nil && o.Declared && n.Declared && o.Name == n.Name
}

// sameReaction reports whether two reactions come to the same, whatever they are called.
func (c *comparison) sameReaction(o, n *model.Reaction) bool {
	if o == nil || n == nil {
		return o == n
	}
	k := [2]*model.Reaction{o, n}
	if same, ok := c.same[k]; ok {
		return same
	}
	c.same[k] = true // whatever leads back here is decided by the rest
	c.same[k] = len(localParts(o, n)) == 0 && len(policyChange(o, n)) == 0 && c.sameReaction(o.Then, n.Then)
	return c.same[k]
}

// reactionParts says what is different about two reactions, but for what is found at declarations
// of their own.
func (c *comparison) reactionParts(o, n *model.Reaction) []string {
	parts := localParts(o, n)
	if op, np := o.Policy, n.Policy; op == nil || np == nil || !op.Declared || !np.Declared || op.Name != np.Name {
		parts = append(parts, policyChange(o, n)...)
	}
	if !declaredAlike(o.Then, n.Then) && !c.sameReaction(o.Then, n.Then) {
		parts = append(parts, differ("then", reactionName(o.Then), reactionName(n.Then)))
	}
	return parts
}

func reactionName(r *model.Reaction) string {
	switch {
	case r == nil:
		return ""
	case r.Declared:
		return r.Name
	}
	return r.Action.String() + " in place"
}

func policyChange(o, n *model.Reaction) []string { return policyOrNone(o.Policy, n.Policy) }

func policyOrNone(o, n *model.Policy) []string {
	switch {
	case o == nil && n == nil:
		return nil
	case o == nil:
		return []string{"it has a policy now"}
	case n == nil:
		return []string{"it has no policy any more"}
	}
	return policyParts(&o.Policy, &n.Policy)
}

// localParts compares all but the policy and what follows.
func localParts(o, n *model.Reaction) []string {
	var d diffs
	d.text("action", o.Action.String(), n.Action.String())
	d.flag("count_failure", o.CountFailure, n.CountFailure)
	d.flag("honor_retry_after", o.HonorRetryAfter, n.HonorRetryAfter)
	d.text("shared", o.Shared.String(), n.Shared.String())
	d.text("log level", o.LogLevel.String(), n.LogLevel.String())
	d.text("log message", o.LogMessage, n.LogMessage)
	d.text("revert", o.Revert.String(), n.Revert.String())
	d.flag("accept_completion", o.AcceptCompletion, n.AcceptCompletion)
	d.flag("feed_back", o.FeedBack, n.FeedBack)
	d.text("extent", o.Extent.String(), n.Extent.String())
	d.text("strategy", o.Strategy, n.Strategy)
	d.text("session", o.Session.String(), n.Session.String())
	d.text("resume", o.Resume.String(), n.Resume.String())
	d.text("to", o.To, n.To)
	d.text("purpose", o.Purpose.String(), n.Purpose.String())
	return d
}

func policyParts(o, n *taxonomy.Policy) []string {
	var d diffs
	d.text("max_attempts", strconv.Itoa(o.MaxAttempts), strconv.Itoa(n.MaxAttempts))
	d.time("initial_delay", o.InitialDelay, n.InitialDelay)
	d.time("max_delay", o.MaxDelay, n.MaxDelay)
	d.number("multiplier", o.Multiplier, n.Multiplier)
	d.text("backoff", o.Backoff.String(), n.Backoff.String())
	d.text("jitter", o.JitterKind.String(), n.JitterKind.String())
	d.number("jitter", o.Jitter, n.Jitter)
	d.time("max_elapsed", o.MaxElapsed, n.MaxElapsed)
	d.time("max_retry_after", o.MaxRetryAfter, n.MaxRetryAfter)
	if !reflect.DeepEqual(o.Adapt, n.Adapt) {
		d = append(d, "adapt changed")
	}
	if !reflect.DeepEqual(o.Budget, n.Budget) {
		d = append(d, "budget changed")
	}
	return d
}

// diffs says what is different, one thing an entry.
type diffs []string

func (d *diffs) text(what, was, is string) {
	if was != is {
		*d = append(*d, differ(what, was, is))
	}
}

func (d *diffs) flag(what string, was, is bool) {
	d.text(what, strconv.FormatBool(was), strconv.FormatBool(is))
}

func (d *diffs) number(what string, was, is float64) {
	d.text(what, fmt.Sprint(was), fmt.Sprint(is))
}

func (d *diffs) time(what string, was, is time.Duration) { d.text(what, was.String(), is.String()) }
