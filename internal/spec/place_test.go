package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

func TestLocate(t *testing.T) {
	const head = "errgen: 1\npackage: shop\ncategories: {user: {codes: {GONE: {message: gone}}}}\n"
	for _, tt := range []struct {
		name, doc string // the doc begins at 4:6 of the file
		word      string // to find in the doc
		want      diag.Span
	}{
		{"plain", "no user {id}", "{id}", diag.Span{Line: 4, Col: 14, Len: 4}},
		{"plain, not ASCII", "нет {id}", "{id}", diag.Span{Line: 4, Col: 10, Len: 4}},
		{"single quotes", "'no {id}'", "{id}", diag.Span{Line: 4, Col: 10, Len: 4}},
		{"doubled quotes before", "'it''s {id}'", "{id}", diag.Span{Line: 4, Col: 13, Len: 4}},
		{"another form in the source", "'say ''{id}'''", "'{id}'", diag.Span{Line: 4, Col: 12, Len: 6}},
		{"double quotes", `"no {id}"`, "{id}", diag.Span{Line: 4, Col: 10, Len: 4}},
		{"escapes before", `"\t\"\u00e9\x41 {id}"`, "{id}", diag.Span{Line: 4, Col: 22, Len: 4}},
		{"an escape in the source", `"no \x7bid}"`, "{id}", diag.Span{Line: 4, Col: 6, Len: 12}},
		{"literal text", "|\n  one\n  two {id}\n", "{id}", diag.Span{Line: 6, Col: 7, Len: 4}},
		{"literal text, first line", "|-\n  {id} one\n  two", "{id}", diag.Span{Line: 5, Col: 3, Len: 4}},
		{"folded text", ">\n  one\n  {id}\n", "{id}", diag.Span{Line: 6, Col: 3, Len: 4}},
		{"plain over two lines", "one\n  {id}", "{id}", diag.Span{Line: 5, Col: 3, Len: 4}},
		{"quoted over two lines", "'one\n  {id}'", "{id}", diag.Span{Line: 5, Col: 3, Len: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			taxonomy, findings := spec.Parse("t", []byte(head+"doc: "+tt.doc))
			require.Empty(t, findings)
			offset := len(taxonomy.Doc.V)
			if tt.word != "" {
				offset = strings.Index(taxonomy.Doc.V, tt.word)
			}
			require.GreaterOrEqual(t, offset, 0)
			assert.Equal(t, tt.want, taxonomy.Locate(taxonomy.Doc, offset, len(tt.word)))
		})
	}
}

func TestLocateOutside(t *testing.T) {
	taxonomy, _ := spec.Parse("t", []byte("doc: abc"))
	whole := diag.Span{Line: 1, Col: 6, Len: 3}
	for _, at := range [][2]int{{-1, 1}, {0, 4}, {4, 0}, {0, -1}} {
		assert.Equal(t, whole, taxonomy.Locate(taxonomy.Doc, at[0], at[1]), at)
	}
	assert.Equal(t, diag.Span{}, taxonomy.Locate(taxonomy.Domain, 0, 0), "an absent text")
	assert.Equal(t, whole, (&spec.Taxonomy{}).Locate(taxonomy.Doc, 0, 1), "a taxonomy without a source")
}

func TestIgnores(t *testing.T) {
	const src = `errgen: 1
package: shop
# errgen:ignore W-no-doc -- they speak for themselves
sources:
  a: x
  b: text
groups: {g: x} # errgen:ignore W-unused, W-other
doc: |
  # of the shop
  done
help_url: "
  shop.example.org
  "
categories:
  user:
    codes:
      GONE: # errgen:ignore W-unsorted
        message: gone
        groups:
        - g
        when: [
          # errgen:ignore W-inside
          {if: {a: 1}},
        ]
      LOST:
        message: lost.  # errgen:ignore W-full-stop
        # see errgen:ignore W-mentioned only
        doc: x
      # errgen:ignore W-first
      # errgen:ignore W-second

      LAST: {message: last}
# errgen:ignore W-nothing
`
	taxonomy, findings := spec.Parse("t", []byte(src))
	require.Empty(t, findings)
	type ignore struct {
		ids         string
		first, last int
	}
	var got []ignore
	for _, g := range taxonomy.Ignores {
		var ids []string
		for _, id := range g.IDs {
			ids = append(ids, id.V)
		}
		got = append(got, ignore{strings.Join(ids, " "), g.First, g.Last})
	}
	assert.Equal(t, []ignore{
		{"W-no-doc", 4, 6},
		{"W-unused W-other", 7, 7},
		{"W-unsorted", 17, 24},
		{"W-inside", 23, 23},
		{"W-full-stop", 26, 26},
		{"W-first", 32, 32},
		{"W-second", 32, 32},
		{"W-nothing", 34, 34},
	}, got)

	g := taxonomy.Ignores[2]
	warning := diag.Finding{ID: "W-unsorted", Severity: diag.Warning, Span: diag.Span{Line: 18, Col: 9, Len: 1}}
	assert.True(t, g.Covers(warning))
	for name, change := range map[string]func(*diag.Finding){
		"an error":      func(f *diag.Finding) { f.Severity = diag.Error },
		"another id":    func(f *diag.Finding) { f.ID = "W-no-doc" },
		"a line before": func(f *diag.Finding) { f.Span.Line = 16 },
		"a line behind": func(f *diag.Finding) { f.Span.Line = 25 },
	} {
		f := warning
		change(&f)
		assert.False(t, g.Covers(f), name)
	}
	assert.Equal(t, diag.Span{Line: 17, Col: 29, Len: 10}, g.IDs[0].Span)
}

func TestIgnoreFile(t *testing.T) {
	taxonomy, findings := spec.Parse("t", []byte("errgen: 1\npackage: p\n"+
		"categories: {c: {codes: {A: {message: a}}}}\n# errgen:ignore-file W-a, W-b -- imported\n"))
	require.Empty(t, findings)
	require.Len(t, taxonomy.Ignores, 1)
	g := taxonomy.Ignores[0]
	for _, tt := range []struct {
		id      string
		line    int
		covered bool
	}{{"W-a", 1, true}, {"W-b", 4, true}, {"W-c", 2, false}} {
		f := diag.Finding{ID: tt.id, Severity: diag.Warning, Span: diag.Span{Line: tt.line, Col: 1, Len: 1}}
		assert.Equal(t, tt.covered, g.Covers(f), tt.id)
	}
}
