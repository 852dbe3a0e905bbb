//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// done is what the program came to.
type done struct {
	code       int
	out, hints string
}

func do(ctx context.Context, args ...string) done {
	var out, hints bytes.Buffer
	code := run(ctx, args, strings.NewReader(""), &out, &hints)
	return done{code, out.String(), hints.String()}
}

// demo returns a copy of the demo, ready to be run.
func demo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	require.NoError(t, os.CopyFS(dir, os.DirFS("demo")))
	out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "setup.sh")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// TestSteps checks the printed steps of each skill of the demo, in order. D155
func TestSteps(t *testing.T) {
	dir := demo(t)
	tests := []struct {
		row, skill string
		code       int
		steps      []string
	}{
		{"D97 D156", "rate-limit", exitDone, []string{
			"detected   github_rate_limit, high, retryable: ",
			"enriched   octokit of github, mode agent, task t-1, step fetch, acme/shop, code 429",
			"reported   as ", "decided    recover by wait_for_rate_limit, 1 of 2 ",
			"recovered  wait_for_rate_limit: Waited 10", "called     call 2",
			"output     12 open issues", "done       succeeded after 2 calls",
		}},
		{"D102", "lint", exitDone, []string{
			"detected   lint_error, low, recoverable: ", "decided    recover by apply_lint_fix, 1 of 1 ",
			"recovered  apply_lint_fix: Applied lint fixes",
			"output     no findings", "done       succeeded after 2 calls",
		}},
		{"D99", "dependency", exitDone, []string{
			"detected   dependency_error, high, recoverable: ",
			"recovered  install_dependency: Installed dependency: left-pad",
			"output     built with left-pad", "done       succeeded after 2 calls",
		}},
		{"D100 B-D17", "refused", exitFailed, []string{
			"detected   dependency_error", `failed     install_dependency: Did not install "event-stream": `,
			"done       failed (fatal) after 1 call: ",
		}},
		{"B-D17", "hostile", exitFailed, []string{
			"detected   dependency_error", "failed     install_dependency: Did not install ",
			"done       failed (fatal) after 1 call: ",
		}},
		{"D108 D157", "permanent", exitFailed, []string{
			"(profile thorough)", "detected   github_not_found, high, permanent: ", "acme/shop, issue 99, code 404",
			"decided    abort (fail)", "done       failed (fatal) after 1 call: ",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.skill, func(t *testing.T) {
			got := do(t.Context(), "-skill", filepath.Join(dir, tt.skill+".yaml"))
			assert.Equal(t, tt.code, got.code, got.hints)
			rest := got.out
			for _, step := range tt.steps {
				_, after, found := strings.Cut(rest, step)
				require.True(t, found, "%q is not in what is left: %s", step, rest)
				rest = after
			}
			assert.NotContains(t, got.out, "\x1b", "nothing that a terminal obeys")
			assert.NotContains(t, got.out, "ghp_0123", "no secret")
		})
	}
	entries, err := os.ReadDir(filepath.Join(dir, "work", "shop", "node_modules"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing but what is allowed is installed")
	assert.Equal(t, "left-pad", entries[0].Name())
}

func TestProfileOfCommandLine(t *testing.T) {
	dir := demo(t)
	got := do(t.Context(), "-profile", "strict", filepath.Join(dir, "permanent.yaml"),
		filepath.Join(dir, "dependency.yaml"))
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "build (profile strict)")
	assert.NotContains(t, got.out, "recovered", "D146")
	got = do(t.Context(), "-stop", filepath.Join(dir, "permanent.yaml"), filepath.Join(dir, "dependency.yaml"))
	assert.Equal(t, exitFailed, got.code)
	assert.NotContains(t, got.out, "build (profile")
}

// TestReportFiles: all skills are in one report. D142 D143
func TestReportFiles(t *testing.T) {
	dir := demo(t)
	skills := []string{filepath.Join(dir, "permanent.yaml"), filepath.Join(dir, "hostile.yaml"),
		filepath.Join(dir, "dependency.yaml")}
	write := func(t *testing.T, name string) string {
		path := filepath.Join(t.TempDir(), name)
		got := do(t.Context(), append([]string{"-report", path}, skills...)...)
		assert.Equal(t, exitFailed, got.code, got.hints)
		assert.Contains(t, got.out, "Total Errors: ")
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(b), "ghp_0123", "no secret")
		return string(b)
	}
	t.Run("csv", func(t *testing.T) {
		records, err := csv.NewReader(strings.NewReader(write(t, "r.csv"))).ReadAll()
		require.NoError(t, err)
		assert.Len(t, records, 4)
	})
	t.Run("json", func(t *testing.T) {
		var read struct {
			Metrics struct {
				TotalErrors int `json:"totalErrors"`
			} `json:"metrics"`
		}
		require.NoError(t, json.Unmarshal([]byte(write(t, "r.json")), &read))
		assert.Positive(t, read.Metrics.TotalErrors)
	})
	t.Run("html", func(t *testing.T) {
		page := write(t, "R.HTML")
		assert.NotContains(t, page, "<script src")
		_, found, _ := strings.Cut(page, `type="application/json">`)
		found, _, _ = strings.Cut(found, "</script>")
		var data struct{ Groups []struct{ Code string } }
		require.NoError(t, json.Unmarshal([]byte(found), &data))
		require.Len(t, data.Groups, 2, "D131: two of the three failures are alike")
		assert.Contains(t, []string{data.Groups[0].Code, data.Groups[1].Code}, "github_not_found")
	})
	t.Run("txt", func(t *testing.T) { assert.Contains(t, write(t, "r.txt"), "Recovery Rate: ") })
}

func TestExitCodes(t *testing.T) {
	dir := demo(t)
	good := filepath.Join(dir, "dependency.yaml")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no skill", nil, exitUsage, "no skill"},
		{"unknown profile", []string{"-profile", "careful", good}, exitUsage,
			"Profile not found: careful; there are default, strict, lenient, fast and thorough"},
		{"unknown flag", []string{"-colour"}, exitUsage, "flag provided but not defined"},
		{"another report", []string{"-report", "r.pdf", good}, exitUsage,
			`-report is "r.pdf"; its name must end in .csv, .html, .json or .txt`},
		{"no file", []string{"none.yaml"}, exitUsage, "none.yaml"},
		{"a faulty skill beside a good one", []string{good, written(t, "nmae: x")}, exitUsage, "nmae"},
		{"a directory that is not there", []string{written(t, "name: x\ncommand: ['true']\ndir: nowhere")}, exitUsage,
			"nowhere"},
		{"a report that cannot be written", []string{"-report", filepath.Join(dir, "none", "r.csv"), good}, exitBroken,
			"write report"},
		{"help", []string{"-h"}, exitDone, ""},
		{"help of classify", []string{"-classify", "-h"}, exitDone, "-exit-code number"},
		{"classify", []string{"-classify", "-status", "many"}, exitUsage, "invalid value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t.Context(), tt.args...)
			assert.Equal(t, tt.code, got.code)
			assert.Contains(t, got.hints, tt.want)
		})
	}
	assert.Contains(t, do(t.Context(), "-h").out, "-skill file")
	assert.Contains(t, do(t.Context(), "-classify", "-source", "github", "-status", "404").out, "github_not_found")
}

func TestDry(t *testing.T) {
	dir := demo(t)
	got := do(t.Context(), "-dry", filepath.Join(dir, "rate-limit.yaml"), filepath.Join(dir, "permanent.yaml"))
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.Contains(t, got.out, "recovery   on, at most 2 times: wait_for_rate_limit\n")
	assert.Contains(t, got.out, "retry      on: 10 calls, 1s to 2m0s apart, times 2\n             llm: ")
	assert.NoFileExists(t, filepath.Join(dir, "work", "met-the-limit"))
}

// TestTimeout: a command that takes too long is ended, with all that it has started.
func TestTimeout(t *testing.T) {
	path := written(
		t, "name: slow\ncommand: [sh, -c, 'sleep 600 & sleep 600']\ntimeout: 50ms\nerror-handling: {profile: strict}\n")
	got := do(t.Context(), path)
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "detected   skill_timeout, high, retryable: ")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := do(ctx, filepath.Join(demo(t), "dependency.yaml"))
	assert.Equal(t, exitCut, got.code)
	assert.NotContains(t, got.out, "called")
}

// TestLog: the profile sets the level of the log. D144
func TestLog(t *testing.T) {
	dir := demo(t)
	assert.Empty(t, do(t.Context(), filepath.Join(dir, "permanent.yaml")).hints)
	assert.Contains(t, do(t.Context(), "-v", filepath.Join(dir, "permanent.yaml")).hints, "level=DEBUG")
	quiet := do(t.Context(), "-v", "-profile", "strict", filepath.Join(dir, "permanent.yaml")).hints
	assert.Contains(t, quiet, "level=ERROR")
	assert.NotContains(t, quiet, "level=INFO")
}
