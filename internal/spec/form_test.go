package spec_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// rendered returns what a person sees of the findings.
func rendered(t *testing.T, name string, src []byte) string {
	t.Helper()
	_, findings := spec.Parse(name, src)
	var out bytes.Buffer
	require.NoError(
		t, diag.Print(&out, diag.FormatText, diag.FileFindings{Source: diag.NewSource(name, src), Findings: findings}))
	return out.String()
}

func TestFormFixtures(t *testing.T) {
	var all strings.Builder
	for _, pattern := range []string{"testdata/form/*.yaml", "testdata/comment/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				src, err := os.ReadFile(file)
				require.NoError(t, err)
				got := rendered(t, filepath.Base(file), src)
				require.NotEmpty(t, got, "a fixture of a fault must have a finding")
				golden := strings.TrimSuffix(file, ".yaml") + ".txt"
				if *update {
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
				all.WriteString(got)
			})
		}
	}
	for _, id := range spec.IDs() {
		if id == spec.IDTooLarge || id == spec.IDTooMany {
			continue // too large for a fixture; see TestHostile
		}
		assert.Contains(t, all.String(), "["+id+"]", "a fixture for every finding")
	}
}

func TestValidFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Empty(t, rendered(t, filepath.Base(file), src))
		})
	}
}

func TestIDsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range spec.IDs() {
		assert.False(t, seen[id], id)
		assert.Regexp(t, `^E-[a-z]+(-[a-z]+)*$`, id)
		seen[id] = true
	}
}
