package check_test

import (
	"os"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
)

// FuzzLoad holds that loading never panics, that every finding says what and where, and that a
// model comes out exactly when nothing is wrong.
func FuzzLoad(f *testing.F) {
	everything, err := os.ReadFile("../spec/testdata/everything.yaml")
	require.NoError(f, err)
	f.Add(everything)
	for _, seed := range []string{
		"", "errgen: 1\npackage: errs\ncategories: {io: {codes: {EOF: {message: '{x[}'}}}}\n",
		"errgen: 1\npackage: go\nreactions: {a: {then: a}, b: {then: {then: b}}}\ncategories: {a: {codes: {A: " +
			"{reaction: a}}}}\n",
		"fields: {a: {type: object, fields: {b: {type: object}}, default: {b: 1}}}\ncategories: {a: {fields: {a: " +
			"{enum: []}}, codes: {A: {when: [{if: {a: {}}}]}}}}\n",
		"profiles: {p: {codes: {'*': {reaction: {retryable: x}}}, reactions: {a: {}}, policies: {q: {}}}}\n",
		"categories: {a: {codes: {A: {message: \"\\0\", detect: [{text: '(', attributes: {x: 1}, is: x}], " +
			"examples: [{attributes: {x: [1]}}]}}}}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, findings := check.Load("taxonomy.yaml", src)
		require.Equal(t, diag.HasErrors(findings), m == nil)
		source := diag.NewSource("taxonomy.yaml", src)
		for _, finding := range findings {
			require.NotEmpty(t, finding.ID)
			require.NotEmpty(t, finding.Message)
			requireInside(t, source, finding.Span)
			for _, related := range finding.Related {
				require.NotEmpty(t, related.Message)
				requireInside(t, source, related.Span)
			}
		}
	})
}

func requireInside(t *testing.T, source *diag.Source, s diag.Span) {
	t.Helper()
	require.GreaterOrEqual(t, s.Line, 1)
	require.LessOrEqual(t, s.Line, source.Lines())
	require.GreaterOrEqual(t, s.Col, 1)
	width := utf8.RuneCountInString(source.Line(s.Line))
	require.LessOrEqual(t, s.Col, width+1)
	require.LessOrEqual(t, s.Col+s.Len-1, max(width, s.Col))
}
