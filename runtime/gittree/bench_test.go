package gittree_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/gittree"
)

// bigRepo is a repository of many files, and of ignored ones.
func bigRepo(tb testing.TB, files, ignored int) string {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(tb, os.WriteFile(path, []byte(content), 0o644))
	}
	for i := range files {
		write(fmt.Sprintf("d%d/s%d/f%d.go", i%20, i/20%25, i), strings.Repeat(fmt.Sprintf("package x // %d\n", i), 20))
	}
	for i := range ignored {
		write(fmt.Sprintf("node_modules/m%d/i%d.js", i%100, i), fmt.Sprint(i))
	}
	write(".gitignore", "node_modules/\n.env\n")
	write(".env", "A=1\n")
	cmd := exec.Command("sh", "-ec", "git init -q .; git config gc.auto 0; git add -A; git commit -qm first")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(tb, err, "%s", out)
	return dir
}

type onlyEnv struct{}

func (onlyEnv) Watches(path string) bool { return filepath.Base(path) == ".env" }
func (onlyEnv) WatchesBelow(string) bool { return true }

// BenchmarkQuiet compares an iteration that changes nothing with one git status.
func BenchmarkQuiet(b *testing.B) {
	for _, size := range []struct {
		name           string
		files, ignored int
	}{{"10000 files", 10_000, 0}, {"10000 files, 30000 ignored", 10_000, 30_000}} {
		b.Run(size.name, func(b *testing.B) {
			dir := bigRepo(b, size.files, size.ignored)
			s, err := gittree.Open(b.Context(), dir, "run", gittree.Options{Watch: onlyEnv{}})
			require.NoError(b, err)
			tr := &tree{Space: s, ctx: b.Context()}
			checked, err := tr.begin()
			require.NoError(b, err)
			time.Sleep(1100 * time.Millisecond) // after that git trusts the times of files
			_, err = tr.begin()
			require.NoError(b, err)
			var status, quiet time.Duration
			b.ResetTimer()
			for range b.N {
				began := time.Now()
				cmd := exec.Command("git", "status", "--porcelain")
				cmd.Dir = dir
				require.NoError(b, cmd.Run())
				status += time.Since(began)
				began = time.Now()
				changes, err := tr.detect(checked)
				require.NoError(b, err)
				require.Empty(b, changes)
				quiet += time.Since(began)
			}
			b.ReportMetric(float64(quiet)/float64(status), "×status")
			b.ReportMetric(float64(status.Milliseconds())/float64(b.N), "status-ms")
			require.NoError(b, tr.close())
		})
	}
}

// TestProcesses counts the git commands of iterations.
func TestProcesses(t *testing.T) {
	r := newRepo(t, "mkdir -p node_modules/p; echo x > node_modules/p/.env; echo x > node_modules/p/y")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	_, err = tr.detect(checked)
	require.NoError(t, err)
	n := 0
	gittree.SetBeforeStep(func(step string) {
		if strings.HasPrefix(step, "git ") {
			n++
		}
	})
	defer gittree.SetBeforeStep(func(string) {})
	for _, c := range []struct {
		name, change string
		most         int
	}{{"quiet", "", 3}, {"one change", "echo A > a.txt", 9}, {"quiet after that", "", 6}} {
		n = 0
		r.sh(c.change)
		_, err := tr.detect(checked)
		require.NoError(t, err)
		t.Logf("%s: %d", c.name, n)
		assert.LessOrEqual(t, n, c.most, c.name)
	}
	require.NoError(t, tr.close())
}
