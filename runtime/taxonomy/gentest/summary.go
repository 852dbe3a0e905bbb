package gentest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/summary"
	"github.com/errgen/errgen/runtime/detect"
)

// Summary compares the constant that static analysis reads with the table and the rules. Errgenvet
// itself checks the Go names in it.
func Summary(t *testing.T, p *Package, text string) {
	t.Helper()
	got, err := summary.Parse(text)
	require.NoError(t, err)
	tx := p.Table.Taxonomy
	want := summary.Package{
		Version: summary.Version, Domain: tx.Domain, Fallback: tx.Fallback, Public: tx.PublicFallback,
		SourceFallbacks: make(map[string]string),
	}
	for _, s := range tx.Sources {
		if s.Fallback != "" {
			want.SourceFallbacks[s.Name] = s.Fallback
		}
	}
	for _, o := range tx.Operations {
		want.Operations = append(want.Operations,
			summary.Operation{Name: o.Name, HTTP: o.HTTP, RPC: o.RPC, Codes: o.Codes})
	}
	rules := p.ruleSources()
	for row, c := range tx.Codes() {
		code := summary.Code{Value: c.Value, Type: tx.TypeName(row), Category: tx.Categories[row.Category()].Name,
			Public: c.Public, Retryable: summary.No, Rules: rules[c.Value]}
		if !c.Abstract {
			code.Factory = "any"
		}
		if c.Parent != 0 {
			code.Parent = tx.Categories[row.Category()].Codes[c.Parent].Value
		}
		if c.Retryable {
			code.Retryable = summary.Yes
		}
		for _, branch := range c.When {
			if branch.Retryable != c.Retryable {
				code.Retryable = summary.Depends
			}
		}
		for i, g := range tx.Groups {
			if c.Groups&(1<<i) != 0 {
				code.Groups = append(code.Groups, g.Name)
			}
		}
		want.Codes = append(want.Codes, code)
	}
	require.Len(t, got.Codes, len(want.Codes))
	for i := range got.Codes { // names in Go are not in the table
		assert.Equal(t, want.Codes[i].Factory == "", got.Codes[i].Factory == "", got.Codes[i].Value)
		want.Codes[i].Factory = ""
		got.Codes[i].Const, got.Codes[i].Factory = "", ""
		slices.Sort(got.Codes[i].Groups)
		slices.Sort(want.Codes[i].Groups)
	}
	assert.Len(t, got.Categories, len(tx.Categories))
	assert.Len(t, got.Groups, len(tx.Groups))
	got.Categories, got.Groups = nil, nil
	if len(got.SourceFallbacks) == 0 {
		got.SourceFallbacks = make(map[string]string)
	}
	assert.Equal(t, &want, got)
}

// ruleSources returns the distinct lists of sources that the rules of each code require.
func (p *Package) ruleSources() map[string][][]string {
	all := make(map[string][][]string)
	if p.Rules == nil {
		return all
	}
	for _, r := range p.Rules().Rules {
		sources := []string{}
		for _, c := range r.Conditions {
			if c.Key == detect.Source && len(c.Any) > 0 {
				sources = slices.Sorted(slices.Values(c.Any))
			}
		}
		value := p.Table.Taxonomy.Code(r.Row).Value
		all[value] = append(all[value], sources)
	}
	for value, lists := range all {
		slices.SortFunc(lists, slices.Compare)
		all[value] = slices.CompactFunc(lists, slices.Equal)
	}
	return all
}
