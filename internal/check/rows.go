package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// row is a line of the table: a code, or a code under one of its branches.
type row struct {
	*code
	when *spec.When // nil for the code itself
	*model.Row
}

// eachRow visits the rows of all codes, except those of branches that do not change the reaction or
// its conditions: their faults are those of their code.
func (c *checker) eachRow(visit func(r row)) {
	for _, k := range c.codes {
		visit(row{k, nil, k.model.Row})
		for i := range k.When {
			w := &k.When[i]
			if t := w.Traits; t.Retryable.Set || t.Recoverability.Set || t.Reaction != nil {
				visit(row{k, w, k.model.When[i].Row})
			}
		}
	}
}

func (r row) String() string {
	if r.when != nil {
		return r.code.Name.V + " in this branch"
	}
	return r.code.Name.V
}

// at returns the first place that the branch, else the code, sets one of the traits at. A place in
// the category concerns other codes too, so that it is only related.
func (r row) at(traits ...func(spec.Traits) diag.Span) diag.Span {
	places := []diag.Span{}
	if r.when != nil {
		for _, of := range traits {
			places = append(places, of(r.when.Traits))
		}
	}
	for _, of := range traits {
		places = append(places, of(r.code.Traits))
	}
	if r.when != nil {
		places = append(places, r.when.Span)
	}
	return firstSpan(append(places, r.code.Name.Span)...)
}

func reactionAt(t spec.Traits) diag.Span       { return refSpan(t.Reaction, true) }
func retryableAt(t spec.Traits) diag.Span      { return t.Retryable.Span }
func recoverabilityAt(t spec.Traits) diag.Span { return t.Recoverability.Span }

// inChain returns the first reaction from r on that is of a kind, or nil.
func inChain(r *model.Reaction, is func(*model.Reaction) bool) *model.Reaction {
	for ; r != nil; r = r.Then {
		if is(r) {
			return r
		}
	}
	return nil
}

func describe(r *model.Reaction) string {
	if !r.Declared {
		return "the reaction"
	}
	return fmt.Sprintf("reaction %q", r.Name)
}

// rows finds codes whose retryable contradicts their reaction or recoverability, and those that may
// succeed unchanged and are never retried.
func rows(c *checker) {
	c.eachRow(func(r row) {
		if step := inChain(r.Reaction, (*model.Reaction).Retries); step != nil && !r.Retryable {
			how := describe(step) + " retries it"
			if step != r.Reaction {
				how = describe(r.Reaction) + " leads to " + describe(step) + ", which retries it"
			}
			c.report("E-retryable", r.at(reactionAt, retryableAt), fmt.Sprintf("%s is not retryable, but %s", r, how),
				"set retryable: true, or choose another reaction", seeAlso(reactionAt(r.category.Traits),
					"the reaction"),
				seeAlso(retryableAt(r.code.Traits), "retryable"))
		}
		if a := r.Reaction.Action; r.Retryable && (a == taxonomy.Abort || a == taxonomy.Block) {
			c.report("W-retryable-stops", r.at(reactionAt, retryableAt),
				fmt.Sprintf("%s is retryable, but its reaction is %s", r, a),
				"choose a reaction that retries, or set retryable: false")
		}
		c.contradiction(r.String(), r.Retryable, r.Recoverability.String(), r.at(recoverabilityAt, retryableAt))
	})
	for _, p := range c.t.Profiles {
		for _, o := range p.Codes {
			if t := o.Traits; t.Retryable.Set && t.Recoverability.Set {
				c.contradiction(o.Key.V, t.Retryable.V, t.Recoverability.V, t.Recoverability.Span)
			}
		}
	}
}

func (c *checker) contradiction(where string, retryable bool, recoverability string, at diag.Span) {
	if retryable && recoverability == "permanent" || !retryable && recoverability == "retryable" {
		c.report("E-retryable", at,
			fmt.Sprintf("%s has retryable: %t, and its recoverability is %s", where, retryable, recoverability),
			"change one of them")
	}
}

// need is a field that a reaction reads from the error.
type need struct {
	is    func(*model.Reaction) bool
	roles []model.Role
	what  string
	hint  string
}

var needs = []need{
	{
		is: func(r *model.Reaction) bool {
			return r.HonorRetryAfter && (r.Retries() || r.Action == taxonomy.Recover)
		},
		roles: []model.Role{model.RoleRetryAfter, model.RoleResetAt}, what: "honors a retry-after hint",
		hint: "a field with from: retry_after",
	},
	{
		is:    func(r *model.Reaction) bool { return r.Revert == taxonomy.RevertFiles },
		roles: []model.Role{model.RoleFiles}, what: "reverts the files of the error",
		hint: "a field with from: files, or set revert: iteration",
	},
}

// roleFields finds reactions that read a field which the code does not have: in the table, and in
// profiles that choose the reaction for the code, its category or its group.
func roleFields(c *checker) {
	for _, n := range needs {
		check := func(k *code, r *model.Reaction, at diag.Span) {
			step := inChain(r, n.is)
			has := slices.ContainsFunc(n.roles,
				func(role model.Role) bool { return k.category.model.WithRole(role) != nil })
			if step != nil && !has {
				c.report("E-role-field", at,
					fmt.Sprintf("%s %s, but %s has no field for it", describe(step), n.what, k.Name.V),
					fmt.Sprintf("give category %s %s", k.category.Name.V, n.hint))
			}
		}
		c.eachRow(func(r row) { check(r.code, r.Reaction, r.at(reactionAt)) })
		for i, p := range c.m.Profiles {
			for _, o := range p.Rows {
				if o.Row.Code == nil || o.Traits.Reaction == o.Row.Reaction {
					continue
				}
				k := c.codes[o.Row.Code.Index]
				if at := overlayOf(&c.t.Profiles[i], k); at.Valid() {
					check(k, o.Traits.Reaction, at)
				}
			}
		}
	}
}

// overlayOf returns where a profile chooses the reaction of a code, not counting "*".
func overlayOf(p *spec.Profile, k *code) diag.Span {
	keys := []string{k.Name.V, k.category.Name.V}
	for _, g := range k.model.Groups {
		keys = append(keys, "@"+g.Name)
	}
	for _, key := range keys {
		for _, o := range p.Codes {
			if o.Key.V == key && o.Traits.Reaction != nil {
				return refSpan(o.Traits.Reaction, k.model.Row.Retryable)
			}
		}
	}
	return diag.Span{}
}

// skippedOverlays warns of profiles that would retry a code that is not retryable. The model leaves
// these overlays out.
func skippedOverlays(c *checker) {
	for i, p := range c.m.Profiles {
		skipped := make(map[diag.Span][]string)
		var places []diag.Span
		for _, s := range p.Skipped {
			at := skipAt(&c.t.Profiles[i], s)
			if s.Row.Code == nil || slices.Contains(skipped[at], s.Row.Code.Key) {
				continue
			}
			skipped[at] = append(skipped[at], s.Row.Code.Key)
			places = append(places, at)
		}
		for _, at := range places {
			codes := skipped[at]
			if len(codes) > 3 {
				codes = append(codes[:3:3], "others")
			}
			c.report("W-overlay-skipped", at,
				fmt.Sprintf("left out for %s: not retryable, and a profile cannot change that",
					strings.Join(codes, ", ")), "choose another reaction, or set retryable: true on the codes")
		}
	}
}

func skipAt(p *spec.Profile, s model.Skip) diag.Span {
	for _, o := range p.Codes {
		if s.Section == "codes" && o.Key.V == s.Key {
			return firstSpan(refSpan(o.Traits.Reaction, false), o.Traits.Retryable.Span, o.Key.Span)
		}
	}
	for _, r := range p.Reactions {
		if s.Section == "reactions" && r.Name.V == s.Key {
			return firstSpan(r.Action.Span, r.Name.Span)
		}
	}
	return firstSpan(p.Name.Span, p.Span)
}
