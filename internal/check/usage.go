package check

import (
	"fmt"
	"slices"

	"github.com/errgen/errgen/internal/spec"
)

// unusedNames warns of names that are declared and never referred to.
func unusedNames(c *checker) {
	used := make(map[spec.Ref]map[string]bool)
	for _, ref := range []spec.Ref{
		spec.RefSource, spec.RefGroup, spec.RefStrategy, spec.RefCheck, spec.RefPolicy, spec.RefReaction,
		spec.RefSignature, spec.RefConstant,
	} {
		used[ref] = make(map[string]bool)
	}
	c.t.Names(func(n spec.Name) {
		names := used[n.Ref]
		switch {
		case names == nil || n.Declares:
		case n.Prefix:
			for _, s := range c.t.Sources {
				names[s.Name.V] = names[s.Name.V] || len(s.Name.V) >= len(n.V) && s.Name.V[:len(n.V)] == n.V
			}
		default:
			names[n.V] = true
		}
	})
	c.eachField(func(f field) { // the program reports the sources that a field records
		if slices.ContainsFunc(f.From, func(from spec.Text) bool { return from.V == "source" }) {
			used[spec.RefSource] = nil
		}
	})
	c.t.Names(func(n spec.Name) {
		if names := used[n.Ref]; names != nil && n.Declares && !names[n.V] {
			c.report("W-unused", n.Span, fmt.Sprintf("%s %q is never used", n.Ref, n.V), "use it, or remove it")
		}
	})
}

// missingDocs warns of categories and codes without doc, in a taxonomy that documents any.
func missingDocs(c *checker) {
	documents := func(k *code) bool { return k.Doc.V != "" || k.category.Doc.V != "" }
	if !slices.ContainsFunc(c.codes, documents) {
		return
	}
	for _, k := range c.categories {
		if k.Doc.V == "" {
			c.report("W-no-doc", k.Name.Span, fmt.Sprintf("category %q has no doc", k.Name.V),
				"add a sentence under doc")
		}
		for _, one := range k.Codes {
			if one.Doc.V == "" {
				c.report("W-no-doc", one.Name.Span, fmt.Sprintf("code %s has no doc", one.Name.V),
					"add a sentence under doc")
			}
		}
	}
}

// unsortedNumbers warns of numbers that go down within a category: new codes are easier to number
// at its end.
func unsortedNumbers(c *checker) {
	for _, k := range c.categories {
		var highest spec.Int
		for _, one := range k.Codes {
			switch n := one.Number; {
			case !n.Set:
			case n.V >= highest.V || !highest.Set:
				highest = n
			default:
				c.report("W-unsorted", n.Span, fmt.Sprintf("number %d comes after %d", n.V, highest.V),
					"sort the codes by number", seeAlso(highest.Span, fmt.Sprintf("%d is here", highest.V)))
			}
		}
	}
}
