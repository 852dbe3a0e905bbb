package workspace_test

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

	"github.com/errgen/errgen/runtime/executor/workspace"
)

// bigRepo is a packed repository of many files, and of ignored ones.
func bigRepo(tb testing.TB, files, ignored int) *repo {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	dir := filepath.Join(base, "repo")
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
	r := &repo{tb, dir}
	r.sh("git init -q .; git config gc.auto 0; git add -A; git commit -qm first; git gc -q")
	return r
}

type onlyEnv struct{}

func (onlyEnv) Watches(path string) bool { return filepath.Base(path) == ".env" }
func (onlyEnv) WatchesBelow(string) bool { return true }

// BenchmarkRun compares the operations of a run with one git clone, and with one git status in the
// run's clone.
func BenchmarkRun(b *testing.B) {
	for _, size := range []struct {
		name           string
		files, ignored int
	}{{"10000 files", 10_000, 0}, {"10000 files, 30000 ignored", 10_000, 30_000}, {"50000 files", 50_000, 0}} {
		b.Run(size.name, func(b *testing.B) {
			r := bigRepo(b, size.files, size.ignored)
			status, plain, clone, quiet, deliver := time.Hour, time.Hour, time.Hour, time.Hour, time.Hour // the least
			timed := func(least *time.Duration, f func()) {
				began := time.Now()
				f()
				*least = min(*least, time.Since(began))
			}
			for n := range b.N {
				var tr *tree
				timed(&plain, func() { r.sh(fmt.Sprint("git clone -q --local . ../plain", n)) })
				timed(&clone, func() {
					tr = r.open(fmt.Sprint("run", n), func(o *workspace.Options) {
						o.Watch, o.Share = onlyEnv{}, []string{"node_modules", ".env"}
					})
				})
				checked := tr.snapshot()
				time.Sleep(1100 * time.Millisecond) // after that git trusts the times of files
				tr.snapshot()
				for range 10 {
					timed(&status, func() {
						cmd := exec.Command("git", "status", "--porcelain")
						cmd.Dir = tr.Dir()
						require.NoError(b, cmd.Run())
					})
					timed(&quiet, func() { require.Empty(b, tr.detect(checked)) })
				}
				tr.work(1, fmt.Sprintf("echo x >> d1/s1/f21.go; echo n > d2/new%d.go", n))
				timed(&deliver, func() { require.Empty(b, tr.deliver().why) })
				require.NoError(b, tr.Close(true))
			}
			b.ReportMetric(float64(status.Milliseconds()), "status-ms")
			b.ReportMetric(float64(quiet)/float64(status), "quiet/status")
			b.ReportMetric(float64(clone.Milliseconds()), "clone-ms")
			b.ReportMetric(float64(clone)/float64(plain), "clone/git-clone")
			b.ReportMetric(float64(deliver.Milliseconds()), "deliver-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestProcesses counts the git commands of iterations.
func TestProcesses(t *testing.T) {
	r := newRepo(t, "mkdir -p node_modules/p; echo x > node_modules/p/.env; echo x > node_modules/p/y")
	tr := r.open("run")
	checked := tr.snapshot()
	tr.detect(checked)
	n := 0
	workspace.SetBeforeStep(func(step string) {
		if strings.HasPrefix(step, "git ") {
			n++
		}
	})
	defer workspace.SetBeforeStep(func(string) {})
	for _, c := range []struct {
		name, change string
		most         int
	}{{"quiet", "", 1}, {"one change", "echo A > a.txt", 8}, {"quiet after that", "", 6}} {
		n = 0
		tr.sh(c.change)
		tr.detect(checked)
		assert.LessOrEqual(t, n, c.most, c.name)
	}
	require.NoError(t, tr.Close(false))
}
