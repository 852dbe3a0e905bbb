package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/model"
)

const codes, categories = 1000, 50

// BenchmarkCompile compiles the package that 1 000 codes become, and the same written out
// straight-line: that package alone, without its dependencies, from cold.
func BenchmarkCompile(b *testing.B) {
	for _, form := range []struct {
		name  string
		files []string
	}{
		{"generated", generatedFiles(b)},
		{"straightline", straightFiles(b)},
	} {
		config := importConfig(b, form.files)
		b.Run(form.name, func(b *testing.B) {
			for b.Loop() {
				compile(b, config, form.files)
			}
		})
	}
}

// BenchmarkBinary reports what a code adds to a stripped program: one that can decode and look up
// every code but makes none, and one that also reaches the factory of each.
func BenchmarkBinary(b *testing.B) {
	for _, use := range []struct {
		name      string
		factories bool
	}{{"decoding", false}, {"factories", true}} {
		b.Run(use.name, func(b *testing.B) {
			size := func(n int) int64 { return programSize(b, generate(b, n, n/20), use.factories) }
			for b.Loop() {
				b.ReportMetric(float64(size(1000)-size(100))/900, "B/code")
			}
		})
	}
}

func generate(b *testing.B, n, categories int) *model.Package {
	b.Helper()
	m, findings := check.Load("taxonomy.yaml", manyCodes(n, categories))
	require.Empty(b, findings)
	return m
}

func generatedFiles(b *testing.B) []string {
	b.Helper()
	return writeFiles(b, b.TempDir(), emit.Files(generate(b, codes, categories), emit.Options{}))
}

func straightFiles(b *testing.B) []string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "synth.go")
	require.NoError(b, os.WriteFile(path, straightLine(codes, categories), 0o644))
	return []string{path}
}

func writeFiles(b *testing.B, dir string, files []emit.File) []string {
	b.Helper()
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		require.NoError(b, os.WriteFile(path, f.Content, 0o644))
		paths = append(paths, path)
	}
	return paths
}

// importConfig compiles what the files import and tells the compiler where it is.
func importConfig(b *testing.B, files []string) string {
	b.Helper()
	args := append(
		[]string{"list", "-export", "-deps", "-f", `{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}`},
		files...)
	cmd := exec.Command("go", args...)
	cmd.Dir = moduleRoot
	out, err := cmd.Output()
	require.NoError(b, err)
	path := filepath.Join(b.TempDir(), "importcfg")
	require.NoError(b, os.WriteFile(path, out, 0o644))
	return path
}

const moduleRoot = "../.."

func compile(b *testing.B, config string, files []string) {
	b.Helper()
	args := append([]string{"tool", "compile", "-p", "synth", "-importcfg", config, "-pack", "-o", os.DevNull},
		files...)
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(b, err, string(out))
}

// programSize builds a program of another module on m's package and returns its size.
func programSize(b *testing.B, m *model.Package, factories bool) int64 {
	b.Helper()
	dir := b.TempDir()
	root, err := filepath.Abs(moduleRoot)
	require.NoError(b, err)
	write := func(name, text string) {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod",
		"module example.com/app\n\ngo 1.26.0\n\nrequire github.com/errgen/errgen v0.0.0\n\nreplace "+
			"github.com/errgen/errgen => "+root+"\n")
	write("main.go", program(m, factories))
	require.NoError(b, os.Mkdir(filepath.Join(dir, m.Name), 0o755))
	writeFiles(b, filepath.Join(dir, m.Name), emit.Files(m, emit.Options{}))

	cmd := exec.Command("go", "build", "-mod=mod", "-ldflags=-s -w", "-o", "program", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	info, err := os.Stat(filepath.Join(dir, "program"))
	require.NoError(b, err)
	return info.Size()
}

func program(m *model.Package, factories bool) string {
	var text strings.Builder
	text.WriteString(
		"package main\n\nimport \"example.com/app/synth\"\n\nvar all = []any{\n\tsynth.UnmarshalError, synth.Table,\n")
	if factories {
		for _, c := range m.Codes {
			fmt.Fprintf(&text, "\tsynth.%s,\n", c.Factory)
		}
	}
	text.WriteString("}\n\nfunc main() { println(len(all)) }\n")
	return text.String()
}
