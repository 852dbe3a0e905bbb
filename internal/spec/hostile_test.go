package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

const minimal = "errgen: 1\npackage: shop\ncategories: {user: {codes: {GONE: {message: gone}}}}\n"

// TestHostile gives inputs that make a careless reader hang, run out of memory or overflow its
// stack.
func TestHostile(t *testing.T) {
	const mega = 1 << 20
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		bomb += fmt.Sprintf(
			"%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	nested := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "k:\n")
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, src string
		want      string // an id among the findings
	}{
		{"alias bomb", bomb, spec.IDYAML},
		{"100 brackets deep", minimal + "x-deep: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), ""},
		{"5000 mappings deep", nested(5000), spec.IDUnknownKey},
		{"many brackets", strings.Repeat("[", 300_000), spec.IDYAML},
		{"dashes on one line", strings.Repeat("- ", 300_000), spec.IDYAML},
		{"2 MiB of text on one line", minimal + "doc: " + strings.Repeat("word ", mega/3), ""},
		{"2 MiB of quoted text", minimal + "doc: '" + strings.Repeat("it''s é ", mega/4) + "'", ""},
		{"an open quote over 2 MiB", minimal + "doc: \"" + strings.Repeat("wörd\n", mega/3), spec.IDYAML},
		{"comments between keys", minimal + "sources:\n" + numbered(20_000, "  # c\n  s%d: a\n"), ""},
		{"one long line, not ASCII", minimal + "sources: {" + numbered(50_000, "é%d: ü,") + "}", ""},
		{"a long list on one line", minimal + "reserved: {codes: [" + numbered(100_000, "A%d, ") + "B]}", ""},
		{"unknown keys", minimal + numbered(3000, "k%d: a\n"), spec.IDUnknownKey},
		{"bad escapes on one line", minimal + "doc: \"" + strings.Repeat(`é\d`, mega/4), spec.IDYAML},
		{"17 MiB", strings.Repeat("#\n", 17*mega/2), spec.IDYAML},
	} {
		t.Run(tt.name, func(t *testing.T) {
			taxonomy, findings := spec.Parse("taxonomy.yaml", []byte(tt.src))
			require.NotNil(t, taxonomy)
			inRange(t, []byte(tt.src), findings)
			if tt.want == "" {
				assert.Empty(t, findings)
				return
			}
			var ids []string
			for _, f := range findings {
				ids = append(ids, f.ID)
			}
			assert.Contains(t, ids, tt.want)
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// inRange asserts that every finding points into the file.
func inRange(t *testing.T, src []byte, findings []diag.Finding) {
	t.Helper()
	source := diag.NewSource("taxonomy.yaml", src)
	widths := map[int]int{}
	in := func(s diag.Span) bool {
		if _, ok := widths[s.Line]; !ok {
			widths[s.Line] = len([]rune(source.Line(s.Line)))
		}
		w := widths[s.Line]
		return s.Line >= 1 && s.Line <= source.Lines() && s.Col >= 1 && s.Len >= 1 && s.Col <= w+1 &&
			s.Col+s.Len-1 <= max(w, s.Col)
	}
	for _, f := range findings {
		require.True(t, in(f.Span), "%+v", f)
		for _, r := range f.Related {
			require.True(t, in(r.Span), "%+v", f)
		}
	}
}
