package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

// unusedNames warns of names that are declared and never referred to.
func unusedNames(c *checker) {
	used := make(map[spec.Ref]map[string]bool)
	for _, ref := range []spec.Ref{
		spec.RefSource, spec.RefOp, spec.RefGroup, spec.RefStrategy, spec.RefCheck, spec.RefPolicy, spec.RefReaction,
		spec.RefSignature, spec.RefConstant,
	} {
		used[ref] = make(map[string]bool)
	}
	c.t.Names(func(n spec.Name) {
		names := used[n.Ref]
		switch {
		case names == nil || n.Declares:
		case n.Prefix:
			c.t.Names(func(declared spec.Name) {
				if declared.Declares && declared.Ref == n.Ref && strings.HasPrefix(declared.V, n.V) {
					names[declared.V] = true
				}
			})
		default:
			names[n.V] = true
		}
	})
	for _, s := range c.t.Sources {
		if s.Details().Fallback.Set {
			used[spec.RefSource][s.Name.V] = true
		}
	}
	c.eachField(func(f field) { // the program reports the sources and operations that a field records
		for _, from := range f.From {
			switch from.V {
			case "source":
				used[spec.RefSource] = nil
			case "op":
				used[spec.RefOp] = nil
			}
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
