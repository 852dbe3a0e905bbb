package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
)

// BenchmarkClassify makes the error of a status and a source by the package that 1 000 rules
// become. It reports what a benchmark in that package measures; its own time is that of compiling
// it.
func BenchmarkClassify(b *testing.B) {
	m, findings := check.Load("taxonomy.yaml", manyRules(1000))
	require.Empty(b, findings)
	dir := b.TempDir()
	root, err := filepath.Abs(moduleRoot)
	require.NoError(b, err)
	write := func(name, text string) {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod",
		"module example.com/app\n\ngo 1.26.0\n\nrequire github.com/errgen/errgen v0.0.0\n\nreplace "+
			"github.com/errgen/errgen => "+root+"\n")
	writeFiles(b, dir, emit.Files(m, emit.Options{}))
	write("classify_test.go", classifyBenchmark)

	for b.Loop() {
		cmd := exec.Command("go", "test", "-mod=mod", "-run=^$", "-bench=.", "-benchmem", "-benchtime=0.5s", ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, string(out))
		for _, result := range benchmarkResult.FindAllStringSubmatch(string(out), -1) {
			for i, unit := range []string{"ns", "B", "allocs"} {
				value, err := strconv.ParseFloat(result[i+2], 64)
				require.NoError(b, err)
				b.ReportMetric(value, result[1]+"-"+unit+"/op")
			}
		}
	}
}

var benchmarkResult = regexp.MustCompile(
	`(?m)^Benchmark(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op\s+([\d.]+) B/op\s+([\d.]+) allocs/op`)

const classifyBenchmark = `package synth

import (
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var sink error

func BenchmarkFirst(b *testing.B)     { classify(b, "service0", 400) }
func BenchmarkLast(b *testing.B)      { classify(b, "service49", 419) }
func BenchmarkUnmatched(b *testing.B) { classify(b, "service49", 500) }

func classify(b *testing.B, source string, status int) {
	for b.Loop() {
		ev := taxonomy.Evidence{Source: source, Status: status}
		sink = ClassifyEvidence(&ev)
	}
}
`
