package check

import (
	"net/http"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// eachAttribute visits the names of attributes wherever they stand.
func (p *pass) eachAttribute(visit func(name string, at diag.Span)) {
	p.eachField(func(f field, _ *category) {
		for _, from := range f.From {
			if name, ok := strings.CutPrefix(from.V, attributePrefix); ok {
				visit(name, p.within(from, len(attributePrefix), len(name)))
			}
		}
	})
	p.eachRuleCondition(func(c spec.RuleCondition) {
		if c.Key.V == "attributes" {
			visit(c.Attribute.V, c.Attribute.Span)
		}
	})
	p.eachEntry(func(entry spec.LiteralEntry) {
		if entry.Key.V != "attributes" {
			return
		}
		for _, attribute := range entry.Value.Keys {
			visit(attribute.Key.V, attribute.Key.Span)
		}
	})
}

// attributeCase finds names of attributes with capitals.
func attributeCase(p *pass) {
	p.eachAttribute(func(name string, at diag.Span) {
		if lower := strings.ToLower(name); lower != name {
			p.report(at, "the names of attributes are in lower case, so none is %q", name).
				hint("write %s", orHeaderAttribute(lower))
		}
	})
}

// headerNames warns of attributes that are named by a header which classification keeps by another
// name.
func headerNames(p *pass) {
	p.eachAttribute(func(name string, at diag.Span) {
		if name != strings.ToLower(name) {
			return // an error already
		}
		if kept := orHeaderAttribute(name); kept != name {
			p.report(at, "the header %s is not kept by that name", name).hint("write %s", kept)
		}
	})
}

// orHeaderAttribute returns the attribute that the runtime keeps the header of that name as, or
// else the name.
func orHeaderAttribute(name string) string {
	var ev taxonomy.Evidence
	h := http.Header{}
	h.Set(name, "1")
	detect.Header(&ev, h)
	for attribute := range ev.Attributes {
		return attribute // there is but one
	}
	return name
}
