package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/runtime/detect"
)

// packageSummary makes the constant that describes the package to errgenvet. The codes are in the
// constants of their categories, so that a new code changes the file of its category only.
func packageSummary(m *model.Package) jen.Code {
	p := summary.Package{
		Version: summary.Version, Domain: m.Domain, Codes: []summary.Code{}, Public: m.Taxonomy.PublicFallback,
		Categories: make(map[string]string), Groups: make(map[string]string),
		Fallback: m.Taxonomy.Fallback, SourceFallbacks: make(map[string]string),
	}
	for _, c := range m.Categories {
		p.Categories[c.Predicate] = c.Name
	}
	for _, g := range m.Groups {
		p.Groups[g.Predicate] = g.Name
	}
	for source, c := range m.SourceFallbacks {
		p.SourceFallbacks[source] = c.Value
	}
	for _, o := range m.Operations {
		p.Operations = append(p.Operations, summary.Operation{
			Name: o.Value.Name, HTTP: o.Value.HTTP, RPC: o.Value.RPC, Codes: o.Value.Codes,
		})
	}
	before, after, _ := strings.Cut(summary.JSON(p), `"codes":[`)
	value := rawString(before + `"codes":[`)
	for i, c := range m.Categories {
		if i > 0 {
			value.Op("+").Add(rawString(","))
		}
		value.Op("+").Id(c.SummaryVar)
	}
	return documented("errgenSummary describes the package to errgenvet.",
		jen.Const().Id(summary.Const).Op("=").Add(value.Op("+").Add(rawString(after))))
}

// categorySummary makes the constant of a category's codes, one on each line.
func categorySummary(c *model.Category) jen.Code {
	lines := each(c.Codes, func(code *model.Code) string { return summary.JSON(codeSummary(code)) })
	return documented(c.SummaryVar+" has the category's codes in [errgenSummary].",
		jen.Const().Id(c.SummaryVar).Op("=").Add(rawString("\n"+strings.Join(lines, ",\n")+"\n")))
}

func codeSummary(c *model.Code) summary.Code {
	s := summary.Code{
		Const: c.Const, Value: c.Value, Type: c.ErrorType().Type, Category: c.Category.Name,
		Public: c.Public, Retryable: retryable(c),
	}
	if !c.Abstract {
		s.Factory = c.Factory
	}
	if c.Above != nil {
		s.Parent = c.Above.Value
	}
	for _, g := range c.InGroups {
		s.Groups = append(s.Groups, g.Name)
	}
	for _, r := range c.Rules {
		s.Rules = append(s.Rules, ruleSources(r))
	}
	slices.SortFunc(s.Rules, slices.Compare)
	s.Rules = slices.CompactFunc(s.Rules, slices.Equal)
	return s
}

// ruleSources returns the sources that a rule requires, sorted; none if it accepts others.
func ruleSources(r *model.Rule) []string {
	sources := []string{}
	for _, c := range r.Conditions {
		if c.Key == detect.Source && len(c.Any) > 0 {
			sources = slices.Clone(c.Any)
		}
	}
	slices.Sort(sources)
	return sources
}

func retryable(c *model.Code) string {
	for _, b := range c.Branches {
		if b.Row.Retryable != c.Row.Retryable {
			return summary.Depends
		}
	}
	if c.Row.Retryable {
		return summary.Yes
	}
	return summary.No
}

// rawString returns a raw string literal. The text contains no backquote.
func rawString(text string) *jen.Statement { return jen.Op("`" + text + "`") }
