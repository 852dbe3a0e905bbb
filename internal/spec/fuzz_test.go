package spec_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(src)
	}
	f.Add([]byte(minimal + "# errgen:ignore W-a\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		taxonomy, findings := spec.Parse("taxonomy.yaml", src)
		require.NotNil(t, taxonomy)
		inRange(t, src, findings)
		for _, c := range taxonomy.Categories {
			for _, code := range c.Codes {
				for i := range code.Message.V {
					inRange(t, src, []diag.Finding{{Span: taxonomy.Locate(code.Message, i, 1)}})
				}
			}
		}
		source := diag.FileFindings{Source: diag.NewSource("taxonomy.yaml", src), Findings: findings}
		for _, format := range []diag.Format{diag.FormatText, diag.FormatJSON, diag.FormatGitHub} {
			require.NoError(t, diag.Print(io.Discard, format, source))
		}
	})
}
