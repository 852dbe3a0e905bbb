package output

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A directory that holds two packages cannot be built.
func TestFilesOfAnotherPackage(t *testing.T) {
	ending := ", and what is generated is of package errs: a directory holds one package, so choose another " +
		"directory, or name the taxonomy's package "
	for name, tt := range map[string]struct{ file, content, refused string }{
		"by hand": {"a.go", "// Mine.\n\npackage mix\n",
			"errs/a.go: is of package mix" + ending + "mix"},
		"of a system": {"a_linux.go", "//go:build linux && go1.20\n\npackage mix\n",
			"errs/a_linux.go: is of package mix" + ending + "mix"},
		"a test of another": {"a_test.go", "package mix_test\n",
			"errs/a_test.go: is of package mix_test" + ending + "mix"},
		"no test, but its name": {"a.go", "package errs_test\n",
			"errs/a.go: is of package errs_test" + ending + "errs"},
		"made by errgen": {"z_gen.go", madeFrom("taxonomy.yaml", "other", "x"),
			"errs/z_gen.go: is of package other" + ending + "other"},
		"of the package":         {"a.go", "package errs\n", ""},
		"its tests from outside": {"a_test.go", "package errs_test\n", ""},
		"for go run":             {"gen.go", "//go:build ignore\n\npackage main\n", ""},
		"of tools":               {"tools.go", "// Tools.\n\n//go:build tools\n\npackage tools\n", ""},
		"documentation":          {"doc.go", "package documentation\n", ""},
		"passed over by go":      {"_a.go", "package mix\n", ""},
		"not Go":                 {"a.txt", "package mix\n", ""},
		"no package clause":      {"a.go", "pakcage mix\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tree{tt.file: tt.content}.write(t, dir)
			p, err := NewPlan(target(dir), files(newTree))
			if tt.refused == "" {
				require.NoError(t, err)
				require.NoError(t, p.Write(t.Context()))
				return
			}
			assert.EqualError(t, err, tt.refused)
			assert.Equal(t, tree{tt.file: tt.content}, readTree(t, dir), "nothing is written")
		})
	}
}
