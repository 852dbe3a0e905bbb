package detection

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Rules returns the rules of m as they are matched, in the order of [Ranked]. They have no taxonomy
// and make no errors: Taxonomy and Make are nil. The expressions of the rules must compile.
func Rules(m *model.Package) *detect.Rules {
	order := Ranked(m)
	out := &detect.Rules{Rules: make([]detect.Rule, len(order)), Needs: needs(m), FallbackSet: names(m.FallbackSet),
		Is: isNamed}
	out.Sensitive = sensitive(m)
	places := derivedRanks(m)
	patterns := patternList{seen: make(map[patternKey]uint16)}
	for i, r := range order {
		out.Rules[i] = detect.Rule{
			Name: r.Name, Doc: r.Doc, Conditions: r.Conditions,
			Text: patterns.add(r.Text, false), Contains: patterns.add(r.Contains, true),
			Set: names(r.Set), Row: row(r.Code), Derived: uint16(places[r]),
		}
	}
	out.Patterns = patterns.list
	return out
}

func row(c *model.Code) taxonomy.Row { return taxonomy.At(c.Category.Index, uint16(c.Ordinal)) }

// Patterns returns the patterns that texts are searched for by.
func Patterns(texts []string, plain bool) []detect.Pattern {
	var out []detect.Pattern
	for _, text := range texts {
		out = append(out, pattern(patternKey{text, plain}))
	}
	return out
}

func names(set []model.FieldValue) []string {
	var out []string
	for _, s := range set {
		out = append(out, s.Field.Wire)
	}
	return out
}

// patternList holds each pattern once.
type patternList struct {
	list []detect.Pattern
	seen map[patternKey]uint16
}

type patternKey struct {
	text  string
	plain bool
}

// add returns the indexes of texts, in their order.
func (p *patternList) add(texts []string, plain bool) []uint16 {
	var out []uint16
	for _, text := range texts {
		key := patternKey{text, plain}
		i, known := p.seen[key]
		if !known {
			i = uint16(len(p.list))
			p.seen[key] = i
			p.list = append(p.list, pattern(key))
		}
		out = append(out, i)
	}
	return out
}

func pattern(key patternKey) detect.Pattern {
	if key.plain {
		return prefilter.PlainPattern(key.text)
	}
	p, err := prefilter.Pattern(key.text)
	if err != nil {
		return detect.Pattern{Expr: key.text} // package check reports it
	}
	return p
}
