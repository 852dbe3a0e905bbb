package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
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
		if s.Fallback.Set {
			used[spec.RefSource][s.Name.V] = true
		}
	}
	c.eachField(func(f *model.Field) { // the program reports the sources and operations that a field records
		for _, from := range f.From {
			switch from {
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

// missingDocs warns of categories and codes without doc, if the taxonomy has one with doc.
func missingDocs(c *checker) {
	if !slices.ContainsFunc(c.m.Codes, func(k *model.Code) bool { return k.Doc != "" || k.Category.Doc != "" }) {
		return
	}
	missing := func(doc, what string, at diag.Span) {
		if doc == "" {
			c.report("W-no-doc", at, what+" has no doc", "add a sentence under doc")
		}
	}
	for _, k := range c.m.Categories {
		missing(k.Doc, fmt.Sprintf("category %q", k.Name), k.Decl.Name.Span)
		for _, one := range k.Codes {
			missing(one.Doc, "code "+one.Name, one.Decl.Name.Span)
		}
	}
}

// unsortedNumbers warns of numbers that are not in ascending order among the codes of a category, or
// among those below a code: a code that is split later gets codes with free numbers below it. A
// sorted list shows the next free number at its end.
func unsortedNumbers(c *checker) {
	for _, k := range c.m.Categories {
		below := make(map[*model.Code]spec.Int) // the highest number, by the code above
		for _, one := range k.Codes {
			switch n, highest := one.Decl.Number, below[one.Above]; {
			case !n.Set:
			case n.V >= highest.V || !highest.Set:
				below[one.Above] = n
			default:
				c.report("W-unsorted", n.Span, fmt.Sprintf("number %d comes after %d", n.V, highest.V),
					"sort the codes by number", seeAlso(highest.Span, fmt.Sprintf("%d is here", highest.V)))
			}
		}
	}
}
