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
		{"alias bomb", bomb, spec.IDAnchor},
		{"100 brackets deep", minimal + "x-deep: " + strings.Repeat("[", 100) + strings.Repeat("]", 100),
			spec.IDTooDeep},
		{"100 mappings deep", nested(100), spec.IDTooDeep},
		{"5000 mappings deep", nested(5000), spec.IDTooDeep},
		{"many brackets", strings.Repeat("[", 300_000), spec.IDUnclosed},
		{"many braces", strings.Repeat("{", 300_000), spec.IDUnclosed},
		{"too many brackets", strings.Repeat("[", 10*mega), spec.IDTooLarge},
		{"dashes on one line", strings.Repeat("- ", 300_000), spec.IDSyntax},
		{"question marks", strings.Repeat("? ", 300_000), spec.IDSyntax},
		{"2 MiB of text on one line", minimal + "doc: " + strings.Repeat("word ", mega/3), ""},
		{"10 MiB of text on many lines", minimal + "doc: |\n" + strings.Repeat("  words words words.\n", mega/2), ""},
		{"2 MiB of quoted text", minimal + "doc: '" + strings.Repeat("it''s é ", mega/4) + "'", ""},
		{"an open quote over 2 MiB", minimal + "doc: \"" + strings.Repeat("wörd\n", mega/3), spec.IDUnclosed},
		{"2 MiB of comments", minimal + strings.Repeat("# comment\n", mega/5), ""},
		{"2 MiB of ignore comments", minimal + strings.Repeat("# errgen:ignore W-x\n", mega/10), ""},
		{"comments between keys", minimal + "sources:\n" + numbered(20_000, "  # c\n  s%d: a\n"), ""},
		{"one long line, not ASCII", minimal + "sources: {" + numbered(50_000, "é%d: ü,") + "}", ""},
		{"a set on one long line", minimal + "x-set: {a: b, " + numbered(50_000, "é%d,") + "}", spec.IDFlowComma},
		{"unknown keys", minimal + numbered(30_000, "k%d: a\n"), spec.IDTooMany},
		{"bad escapes on one line", minimal + "doc: \"" + strings.Repeat(`é\d`, mega/4), spec.IDEscape},
		{"a million bad bytes", strings.Repeat("\xff\x00", mega/2), spec.IDEncoding},
		{"a million tabs", strings.Repeat("\t\n\ta: b\n", mega/8), spec.IDTab},
		{"ignored on one line", minimal + "x-a: 1 # errgen:ignore " + strings.Repeat("a ", mega), spec.IDTooMany},
		{"an ignore behind many quoted #", minimal + "x-a: [" + strings.Repeat("' #',", mega/8) +
			"1] # errgen:ignore W-x", ""},
		{"a million anchors", minimal + "x-a: [" + numbered(mega, "&a%d b,") + "1]", spec.IDTooLarge},
		{"a million keys", minimal + numbered(mega, "k%d: b\n"), spec.IDTooLarge},
		{"a million lines", minimal + strings.Repeat("\n", mega), spec.IDTooLarge},
		{"17 MiB", strings.Repeat("#\n", 17*mega/2), spec.IDTooLarge},
		{"16 MiB of commas", "x-a: [" + strings.Repeat("a,", 5*mega), spec.IDTooLarge},
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
