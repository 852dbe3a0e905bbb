package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// places has the names of one kind that are in use, with the place of the first use.
type places map[string]diag.Span

// claim adds a name, or reports that another declaration has it. what describes it in the message.
func (c *checker) claim(id string, names places, name string, at diag.Span, what, hint string) {
	if earlier, clash := names[name]; clash && earlier != at {
		c.report(id, at, what+" is taken", hint, seeAlso(earlier, "first used here"))
		return
	}
	names[name] = at
}

// duplicates finds duplicate codes, numbers, values, aliases and fields, and fields of one category
// with the same role. Package spec finds duplicate keys.
func duplicates(c *checker) {
	claim := func(names places, name string, at diag.Span, what, hint string) {
		c.claim("E-duplicate", names, name, at, what, hint)
	}
	codes, numbers, values := make(places), make(places), make(places)
	for i, k := range c.m.Codes {
		d := k.Decl
		if c.t.Numbers.V == "per_category" && i > 0 && c.m.Codes[i-1].Category != k.Category {
			numbers = make(places)
		}
		claim(codes, k.Name, d.Name.Span, "code "+k.Name, "rename one of them")
		if d.Number.Set {
			claim(numbers, strconv.Itoa(d.Number.V), d.Number.Span, fmt.Sprint("number ", d.Number.V),
				"use a number that no code has")
		}
		value := d.Name
		if d.Value.Set {
			value = d.Value
		}
		if d.Value.Set || codes[k.Name] == d.Name.Span {
			claim(values, value.V, value.Span, strconv.Quote(value.V), "give each code a value of its own")
		}
	}
	for _, k := range c.m.Codes {
		for _, a := range slices.Concat(k.Decl.Aliases, k.Decl.Names) {
			claim(values, a.V, a.Span, strconv.Quote(a.V), "remove it: a value, alias or name decodes to one code")
		}
	}
	c.eachErrorType(func(list []*model.Field, owner string) {
		fields, roles := make(places), make(places)
		for _, f := range list {
			claim(fields, f.Wire, f.Decl.Name.Span, "field "+strconv.Quote(f.Wire), "remove one of them")
			for _, from := range f.Decl.From {
				if slices.Contains(roleNames, from.V) {
					claim(roles, from.V, from.Span, fmt.Sprintf("the role %s of %s", from.V, owner),
						"fill one field from it")
				}
			}
		}
	})
	for _, r := range c.t.Reactions {
		if spec.IsPredeclared(r.Name.V) {
			c.report("E-duplicate", r.Name.Span, fmt.Sprintf("reaction %q is predeclared", r.Name.V),
				fmt.Sprintf("choose another name, as in %s_logged; a profile can change %[1]s itself", r.Name.V))
		}
	}
}

// reservedNames finds codes, values, aliases and numbers that are reserved.
func reservedNames(c *checker) {
	report := func(what string, at, reserved diag.Span, reason string) {
		if reason == "" {
			reason = "other programs may still use it"
		}
		c.report("E-reserved-name", at, what+" is reserved", "choose another one: "+reason,
			seeAlso(reserved, "reserved here"))
	}
	for _, n := range c.t.Reserved.Numbers {
		from, to := n.Bounds()
		if from > to {
			c.report("E-value", n.To.Span, fmt.Sprintf("the range ends at %d, before it begins", to),
				"give the first number under from, the last under to")
		}
		if n.Category.Set && c.t.Numbers.V != "per_category" {
			c.report("E-value", n.Category.Span, "numbers belong to one code of the taxonomy",
				`remove the category, or set "numbers: per_category"`)
		}
		for _, k := range c.m.Codes {
			if d := k.Decl.Number; d.Set && n.Has(d.V, k.Category.Name) {
				report(fmt.Sprint("number ", d.V), d.Span, n.Span, n.Reason.V)
			}
		}
	}
	names := make(map[string]spec.ReservedCode)
	for _, r := range c.t.Reserved.Codes {
		names[r.Name.V] = r
	}
	for _, k := range c.m.Codes {
		d := k.Decl
		for _, name := range slices.Concat([]spec.Text{d.Name, d.Value}, d.Aliases, d.Names) {
			if r, ok := names[name.V]; ok && name.Set {
				report(strconv.Quote(name.V), name.Span, r.Span, r.Reason.V)
			}
		}
	}
}
