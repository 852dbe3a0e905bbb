package compat

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
)

var update = flag.Bool("update", false, "write the package of the next version")

// TestPackages checks that each minor version of the changelog has a package, and that the one of a
// version that is not released yet is what the generator writes.
func TestPackages(t *testing.T) {
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	headings := regexp.MustCompile(`(?m)^## (v\d+\.\d+)\.(\S+) \((.*)\)$`).FindAllSubmatch(changelog, -1)
	require.NotEmpty(t, headings)
	for _, heading := range headings {
		dir, isNext := string(heading[1]), string(heading[2]) == "0" && string(heading[3]) == "unreleased"
		if isNext {
			compare(t, dir)
		}
		assert.FileExists(t, filepath.Join(dir, "table_gen.go"), "go test ./internal/compat -update writes it")
	}
}

// compare compares the package of a directory with the generator's output, or writes it.
func compare(t *testing.T, dir string) {
	taxonomy, err := os.ReadFile("../spec/testdata/everything.yaml")
	require.NoError(t, err)
	m, findings := check.Load("taxonomy.yaml", taxonomy)
	require.Empty(t, findings)
	files := append(emit.Files(m, emit.Options{Tests: true}), emit.File{Name: "taxonomy.yaml", Content: taxonomy})
	if *update {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		old, err := filepath.Glob(filepath.Join(dir, "*_gen*.go"))
		require.NoError(t, err)
		for _, name := range old {
			require.NoError(t, os.Remove(name))
		}
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, f.Name), f.Content, 0o644))
		}
	}
	for _, f := range files {
		golden, err := os.ReadFile(filepath.Join(dir, f.Name))
		require.NoError(t, err, "make generate writes it")
		assert.Empty(t, string(diff.Diff(f.Name, golden, "generated", f.Content)), "make generate writes it")
	}
}
