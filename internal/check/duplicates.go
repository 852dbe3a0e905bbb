package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// places are where the names of one kind are in use.
type places map[string]diag.Span

// claim takes a name for a place, or reports that it is taken.
func (c *checker) claim(names places, name string, at diag.Span, what, hint string) {
	if earlier, clash := names[name]; clash {
		c.report("E-duplicate", at, what+" is taken", hint, seeAlso(earlier, "first used here"))
		return
	}
	names[name] = at
}

// duplicates finds codes, numbers, values, aliases and fields that exist twice, and two fields of a
// category that the runtime would read for one purpose. Package spec finds duplicate keys.
func duplicates(c *checker) {
	codes, numbers, values := make(places), make(places), make(places)
	for i, k := range c.codes {
		if c.t.Numbers.V == "per_category" && i > 0 && c.codes[i-1].category != k.category {
			numbers = make(places)
		}
		c.claim(codes, k.Name.V, k.Name.Span, "code "+k.Name.V, "rename one of them")
		if k.Number.Set {
			c.claim(numbers, strconv.Itoa(k.Number.V), k.Number.Span, fmt.Sprint("number ", k.Number.V),
				"use a number that no code has")
		}
		if value := wireValue(k); k.Value.Set || codes[k.Name.V] == k.Name.Span {
			c.claim(values, value.V, value.Span, strconv.Quote(value.V), "give each code a value of its own")
		}
	}
	for _, k := range c.codes {
		for _, a := range slices.Concat(k.Aliases, k.Names) {
			c.claim(values, a.V, a.Span, strconv.Quote(a.V), "remove it: a value, alias or name decodes to one code")
		}
	}
	for _, k := range c.categories {
		c.duplicateFields(k.fields, fmt.Sprintf("category %q", k.Name.V))
	}
	for _, k := range c.codes {
		if len(k.own()) > 0 {
			c.duplicateFields(k.fields, "code "+k.Name.V)
		}
	}
	for _, r := range c.t.Reactions {
		if slices.Contains(spec.Predeclared, r.Name.V) {
			c.report("E-duplicate", r.Name.Span, fmt.Sprintf("reaction %q is predeclared", r.Name.V),
				"choose another name, or change it in a profile")
		}
	}
}

// duplicateFields finds names and roles that two fields of an error have.
func (c *checker) duplicateFields(list []field, owner string) {
	fields, roles := make(places), make(places)
	for _, f := range list {
		c.claim(fields, f.Name.V, f.Name.Span, "field "+strconv.Quote(f.Name.V), "remove one of them")
		for _, from := range f.From {
			if slices.Contains(roleNames, from.V) {
				role := fmt.Sprintf("the role %s of %s", from.V, owner)
				c.claim(roles, from.V, from.Span, role, "fill one field from it")
			}
		}
	}
}

// wireValue is the code on the wire: its key by default.
func wireValue(k *code) spec.Text {
	if k.Value.Set {
		return k.Value
	}
	return k.Name
}

// reservedNames finds codes, values, aliases and numbers that are reserved.
func reservedNames(c *checker) {
	type reservation struct {
		at     diag.Span
		reason string
	}
	names := make(map[string]reservation)
	for _, n := range c.t.Reserved.Codes {
		name, reason := n.Name()
		names[name.V] = reservation{n.Span, reason}
	}
	report := func(what string, at diag.Span, r reservation) {
		hint := "choose another one: decoders may still have it in use"
		if r.reason != "" {
			hint = "choose another one: " + r.reason
		}
		c.report("E-reserved-name", at, what+" is reserved", hint, seeAlso(r.at, "reserved here"))
	}
	check := func(what string, name spec.Text) {
		if r, ok := names[name.V]; ok && name.Span.Valid() {
			report(what+" "+name.V, name.Span, r)
		}
	}
	for _, k := range c.codes {
		for _, n := range c.t.Reserved.Numbers {
			if from, to, reason := n.Bounds(); k.Number.Set && from <= k.Number.V && k.Number.V <= to {
				report(fmt.Sprint("number ", k.Number.V), k.Number.Span, reservation{n.Span, reason})
			}
		}
		check("code", k.Name)
		check("value", k.Value)
		for _, a := range k.Aliases {
			check("alias", a)
		}
		for _, a := range k.Names {
			check("name", a)
		}
	}
	for _, n := range c.t.Reserved.Numbers {
		if n.Range != nil && n.Range.From.V > n.Range.To.V {
			c.report("E-value", n.Range.To.Span, fmt.Sprintf("the range ends at %d, before it begins", n.Range.To.V),
				"give the first number under from, the last under to")
		}
	}
}
