package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// row is a row of the table, and the branch that it is for, or nil.
type row struct {
	*model.Row
	when *spec.When
}

// eachRow visits the rows of all codes and of their branches. It skips branches that set neither
// the reaction nor retryable nor recoverability, because their faults are those of the code.
func (c *checker) eachRow(visit func(r row)) {
	for _, k := range c.m.Codes {
		visit(row{k.Row, nil})
		for i := range k.Decl.When {
			w := &k.Decl.When[i]
			if t := w.Traits; t.Retryable.Set || t.Recoverability.Set || t.Reaction != nil {
				visit(row{k.Branches[i].Row, w})
			}
		}
	}
}

func (r row) String() string {
	if r.when != nil {
		return r.Code.Name + " in this branch"
	}
	return r.Code.Name
}

// at returns the place at which the branch sets one of the traits, otherwise the place at which the
// code does. The category is not the place of a finding, because other codes have its traits too.
func (r row) at(traits ...func(spec.Traits) diag.Span) diag.Span {
	var places []diag.Span
	if r.when != nil {
		for _, of := range traits {
			places = append(places, of(r.when.Traits))
		}
	}
	for _, of := range traits {
		places = append(places, of(r.Code.Decl.Traits))
	}
	if r.when != nil {
		places = append(places, r.when.Span)
	}
	return cmp.Or(append(places, r.Code.Decl.Name.Span)...)
}

func reactionAt(t spec.Traits) diag.Span {
	if t.Reaction == nil {
		return diag.Span{}
	}
	return cmp.Or(t.Reaction.Name.Span, t.Reaction.Span)
}
func retryableAt(t spec.Traits) diag.Span      { return t.Retryable.Span }
func recoverabilityAt(t spec.Traits) diag.Span { return t.Recoverability.Span }

// inChain returns the first of r and its successors for which is reports true, or nil.
func inChain(r *taxonomy.Reaction, is func(*taxonomy.Reaction) bool) *taxonomy.Reaction {
	for ; r != nil; r = r.Then {
		if is(r) {
			return r
		}
	}
	return nil
}

// describe returns the name of a reaction in messages.
func (c *checker) describe(r *taxonomy.Reaction) string {
	if !c.m.Declared[r] {
		return "the reaction"
	}
	return fmt.Sprintf("reaction %q", r.Name)
}

// rows finds codes whose reaction or recoverability contradicts retryable.
func rows(c *checker) {
	c.eachRow(func(r row) {
		if step := inChain(r.Reaction, (*taxonomy.Reaction).Retries); step != nil && !r.Retryable {
			how := c.describe(step) + " retries it"
			if step != r.Reaction {
				how = c.describe(r.Reaction) + " leads to " + c.describe(step) + ", which retries it"
			}
			c.report("E-retryable", r.at(reactionAt, retryableAt), fmt.Sprintf("%s is not retryable, but %s", r, how),
				"set retryable: true, or choose another reaction",
				seeAlso(reactionAt(r.Code.Category.Decl.Traits), "the reaction"),
				seeAlso(retryableAt(r.Code.Decl.Traits), "retryable"))
		}
		if a := r.Reaction.Action; r.Retryable && (a == taxonomy.Abort || a == taxonomy.Block) {
			c.report("W-retryable-stops", r.at(reactionAt, retryableAt),
				fmt.Sprintf("%s is retryable, but its reaction is %s", r, a),
				"choose a reaction that retries, set retryable: false, or ignore this warning if only clients retry")
		}
		c.contradiction(r.String(), r.Retryable, r.Recoverability.String(), r.at(recoverabilityAt, retryableAt))
	})
}

func (c *checker) contradiction(where string, retryable bool, recoverability string, at diag.Span) {
	if retryable && recoverability == "permanent" || !retryable && recoverability == "retryable" {
		c.report("E-retryable", at,
			fmt.Sprintf("%s has retryable: %t, and its recoverability is %s", where, retryable, recoverability),
			map[bool]string{
				true:  "set retryable: false, or remove recoverability: permanent",
				false: "set retryable: true, or remove recoverability: retryable",
			}[retryable])
	}
}

// need is a kind of reaction, and the roles of fields that it uses. A field of the error must have
// one of these roles.
type need struct {
	is    func(*taxonomy.Reaction) bool
	roles []model.Role
	what  string
	hint  string
}

var needs = []need{
	{
		is: func(r *taxonomy.Reaction) bool {
			return r.HonorRetryAfter && (r.Retries() || r.Action == taxonomy.Recover)
		},
		roles: []model.Role{model.RoleRetryAfter, model.RoleResetAt}, what: "honors a retry-after hint",
		hint: "a field with from: retry_after",
	},
	{
		is:    func(r *taxonomy.Reaction) bool { return r.Agent.Revert == taxonomy.RevertFiles },
		roles: []model.Role{model.RoleFiles}, what: "reverts the files of the error",
		hint: "a field with from: files, or set revert: iteration",
	},
}

// roleFields finds reactions that read a field which the code does not have.
func roleFields(c *checker) {
	for _, n := range needs {
		c.eachRow(func(r row) {
			step, errors := inChain(r.Reaction, n.is), r.Code.ErrorType()
			has := func(role model.Role) bool { return errors.WithRole(role) != nil }
			if step != nil && !slices.ContainsFunc(n.roles, has) {
				c.report("E-role-field", r.at(reactionAt),
					fmt.Sprintf("%s %s, but %s has no field for it", c.describe(step), n.what, r.Code.Name),
					fmt.Sprintf("give category %s %s", r.Code.Category.Name, n.hint))
			}
		})
	}
}

// profiles finds changes of profiles that lead back to themselves or contradict each other. It warns
// of changes that a profile does not apply, because they would retry a code that is not retryable.
func profiles(c *checker) {
	for _, then := range c.m.Loops {
		c.report("E-action", then.Span, fmt.Sprintf("in this profile, then of %q leads back to it", then.V),
			"end the chain with abort, block or continue")
	}
	for _, s := range c.m.Skipped {
		var skipped []string
		for _, row := range s.Rows {
			if row.Code != nil && !slices.Contains(skipped, row.Code.Name) {
				skipped = append(skipped, row.Code.Name)
			}
		}
		if len(skipped) > 3 {
			skipped = append(skipped[:3:3], "others")
		}
		if len(skipped) > 0 {
			c.report("W-overlay-skipped", s.At,
				fmt.Sprintf("not applied to %s: a profile cannot retry codes that are not retryable",
					strings.Join(skipped, ", ")), "choose another reaction, or set retryable: true on the codes")
		}
	}
	for _, p := range c.t.Profiles {
		for _, o := range p.Codes {
			t := o.Traits
			if t.Retryable.Set && t.Recoverability.Set {
				c.contradiction(o.Key.V, t.Retryable.V, t.Recoverability.V, t.Recoverability.Span)
			}
		}
	}
}

// tiers finds a person that is not the last tier, or has a purpose.
func tiers(c *checker) {
	for i, t := range c.t.Tiers {
		switch {
		case t.Person.V && i < len(c.t.Tiers)-1:
			next := c.t.Tiers[i+1].Name
			c.report("E-tiers", cmp.Or(t.Person.Span, t.Name.Span), fmt.Sprintf("%q comes after a person", next.V),
				"make the person the last tier", seeAlso(next.Span, "the next tier"))
		case t.Person.V && t.Purpose.Set:
			c.report("E-tiers", t.Purpose.Span, "a person takes no purpose", "remove it: a person decides")
		}
	}
}
