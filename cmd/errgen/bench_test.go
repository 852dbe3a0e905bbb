//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkCommand measures whole processes beside gofmt -l over the same output: generate with
// everything to write (fresh) and with nothing to do (same), and check.
func BenchmarkCommand(b *testing.B) {
	bin := build(b)
	for _, codes := range []int{1000, 10_000} {
		dir := b.TempDir()
		yaml := filepath.Join(dir, "taxonomy.yaml")
		out := filepath.Join(dir, "synth")
		require.NoError(b, os.WriteFile(yaml, manyCodes(codes, codes/20), 0o644))
		n := strconv.Itoa(codes)

		b.Run("fresh/"+n, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				require.NoError(b, os.RemoveAll(out))
				b.StartTimer()
				run(b, bin, "generate", "-o", out, yaml)
			}
		})
		b.Run("same/"+n, func(b *testing.B) {
			for b.Loop() {
				run(b, bin, "generate", "-o", out, yaml)
			}
		})
		b.Run("check/"+n, func(b *testing.B) {
			for b.Loop() {
				run(b, bin, "check", "-o", out, yaml)
			}
		})
		b.Run("gofmt/"+n, func(b *testing.B) {
			for b.Loop() {
				run(b, "gofmt", "-l", out)
			}
		})
	}
}

func build(b *testing.B) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), "errgen")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	return bin
}

// run runs a command and reports the most memory that it held.
func run(b *testing.B, name string, args ...string) {
	b.Helper()
	cmd := exec.Command(name, args...)
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, string(out))
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		b.ReportMetric(float64(usage.Maxrss)/1024, "MB-peak")
	}
}
