package check

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/spec"
)

// maxBranches is the maximum number of branches of a code that are searched for unreachable ones.
const maxBranches = 100

// branches finds branches that no error reaches, and branches on fields that do not arrive
// unchanged on the other side of the wire.
func branches(c *checker) {
	for _, k := range c.m.Codes {
		for i, w := range k.Decl.When {
			for _, cond := range w.If {
				c.secret(fieldOf(k, cond.Field.V), cond)
			}
			if len(k.Branches) <= maxBranches {
				c.reach(k, i)
			}
		}
	}
}

// secret finds a test of a field that is masked or cut when the error is encoded.
func (c *checker) secret(f *model.Field, cond spec.Condition) {
	why, at := "", diag.Span{}
	d, m := f.Decl, cond.Match
	presence := m.Present.Set && len(m.Values)+len(m.Not)+len(m.Prefix) == 0 && m.Min == nil && m.Max == nil
	switch {
	case d.Sensitive.V:
		why, at = "sensitive", d.Sensitive.Span
	case d.Scrub.V:
		why, at = "scrubbed", d.Scrub.Span
	case d.MessageOnly.V:
		why, at = "not in the context on the wire", d.MessageOnly.Span
	case d.MaxLength.Set && !presence:
		why, at = "cut on the wire", d.MaxLength.Span
	default:
		return
	}
	c.report("E-when-secret", cond.Field.Span,
		fmt.Sprintf("%s is %s, so a decoded error would take another branch", f.Wire, why),
		"test another field", seeAlso(at, "declared here"))
}

// reach reports the branch of a code with an index if no error takes it.
func (c *checker) reach(k *model.Code, index int) {
	written, block := k.Decl.When[index], sample.Blocked(k, k.Branches[index])
	switch {
	case block == nil:
	case block.Field != nil:
		i := slices.IndexFunc(written.If, func(cond spec.Condition) bool { return cond.Field.V == block.Field.Wire })
		message := "this branch never applies: no value of " + block.Field.Wire + " meets its condition"
		if gives(k.Decl.Set, block.Field) {
			message = fmt.Sprintf("this branch never applies: %s sets %s to another value", k.Name, block.Field.Wire)
		}
		c.report("E-when-unreachable", written.If[i].Field.Span, message, "correct the condition, or remove the branch")
	case block.By != nil:
		earlier := slices.Index(k.Branches, block.By)
		c.report("E-when-unreachable", written.Span,
			"this branch never applies: an earlier one applies wherever its conditions hold",
			"move it before the other one, or remove it", seeAlso(k.Decl.When[earlier].Span, "this branch"))
	}
}
