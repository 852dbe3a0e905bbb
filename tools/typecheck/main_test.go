package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A module whose parts for Windows are wrong in several ways: only there, each at its place.
func TestSystems(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.26\n",
		"a/a.go":         "package a\n\nimport \"example.org/m/b\"\n\nvar A = b.B()\n",
		"a/a_windows.go": "package a\n\nimport \"syscall\"\n\nvar _ = syscall.Kill\n",
		"a/a_test.go":    "package a\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { t.Log(A, only) }\n",
		"a/only_unix.go": "//go:build unix\n\npackage a\n\nconst only = 1\n",
		"a/outside_test.go": "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m/a\"\n)\n\nfunc " +
			"TestA(t *testing.T) { t.Log(a.A) }\n",
		"b/b.go":             "package b\n\nfunc B() string { return text() }\n",
		"b/text.go":          "//go:build !windows\n\npackage b\n\nfunc text() string { return \"\" }\n",
		"b/text_windows.go":  "package b\n\nfunc text() int { return 0 }\n",
		"c/broken_darwin.go": "package c\n\nfunc (\n",
		"c/c.go":             "package c\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, tt := range []struct {
		system string
		status int
		want   []string
	}{
		{"linux", 0, nil},
		{"windows", 1, []string{
			"b/b.go:3:26: cannot use text() (value of type int) as string value in return statement",
			"a/a_windows.go:5:17: undefined: syscall.Kill",
			"a/a_test.go:5:36: undefined: only",
		}},
		{"darwin", 1,
			[]string{"c/broken_darwin.go:3:8: expected ')'", "c/broken_darwin.go:3:6: method has no receiver"}},
	} {
		t.Run(tt.system, func(t *testing.T) {
			var out, errs bytes.Buffer
			assert.Equal(t, tt.status, run([]string{"-os", tt.system, "-C", dir, "-C", dir}, &out, &errs))
			assert.Empty(t, errs.String())
			for _, want := range tt.want {
				assert.Contains(t, out.String(), want)
			}
			assert.Equal(t, len(tt.want), strings.Count(out.String(), "\n"), "each once")
			for line := range strings.Lines(out.String()) {
				assert.Contains(t, line, dir, "says where")
			}
		})
	}
}

func TestNoModule(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, 2, run([]string{"-C", filepath.Join(t.TempDir(), "none")}, &out, &errs))
	assert.Contains(t, errs.String(), "typecheck: ")
	assert.Equal(t, 2, run([]string{"-x"}, &out, &errs))
}
