//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// play runs the program and returns its exit code and output, without times and waits.
func play(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), args, &out, &out)
	return code, clean(out.String())
}

var (
	times = regexp.MustCompile(`(?m)^ *\d+\.\ds`)
	waits = regexp.MustCompile(`(?m)^.* waits \d.*\n`) // a slow machine has nothing to wait for
)

func clean(s string) string { return times.ReplaceAllString(waits.ReplaceAllString(s, ""), "TIME") }

// TestReadme runs the commands of README.md in a directory of their own, and compares the output.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shop := filepath.Join(t.TempDir(), "shop")
	console := regexp.MustCompile("(?s)```console\n\\$ go run \\. ([^\n]*)\n(.*?)```\n")
	blocks := console.FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 4)
	for _, b := range blocks {
		var args []string
		for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(b[1], -1) {
			args = append(args, strings.ReplaceAll(strings.Trim(word, "'"), "/tmp/shop", shop))
		}
		_, out := play(t, args...)
		assert.Equal(t, clean(b[2]), strings.ReplaceAll(out, shop, "/tmp/shop"), b[1])
	}
}

// TestMain runs the program itself if the variable is set.
func TestMain(m *testing.M) {
	if args := os.Getenv("ORCHESTRATOR_ARGS"); args != "" {
		os.Exit(run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
	home, err := os.MkdirTemp("", "orchestrator-test-")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", home) // the clones are there
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// TestKilled kills the program with SIGKILL after some line of its output, and runs it again until
// the plan is completed. The result is that of an undisturbed run.
func TestKilled(t *testing.T) {
	var lines []int
	for n := 1; n < 26; n += map[bool]int{true: 8, false: 3}[testing.Short()] {
		lines = append(lines, n)
	}
	for _, n := range lines {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "shop")
			program(t, dir, n)
			code := program(t, dir, -1)
			assert.Equal(t, exitCompleted, code)
			log, err := git(t.Context(), dir, "log", "--reverse", "--format=%s:", "--name-only")
			require.NoError(t, err)
			assert.Equal(t, "Begin: AGENTS.md go.mod go.work order.go order_test.go "+
				"List what the shop can do: docs/operations.md "+
				"Describe how agents work here: reports/2.3.md Test an order without items: order_test.go",
				strings.Join(strings.Fields(log), " "))
			changes, err := git(t.Context(), dir, "status", "--porcelain")
			require.NoError(t, err)
			assert.Empty(t, changes)
		})
	}
}

// program carries out the demo in a process, which is killed after n lines, and returns its exit
// code.
func program(t *testing.T, dir string, n int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ORCHESTRATOR_ARGS=-dir\n"+dir+"\ndemo/plan.md")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for read := bufio.NewScanner(out); read.Scan(); {
		if n--; n == 0 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// O16, O17: the profiles of the subsystems.
func TestProfiles(t *testing.T) {
	for profile, want := range map[string]int{"chains": exitFailed, "tasks": exitBlocked} {
		code, out := play(t, "-profile", profile, "demo/plan.md")
		assert.Equal(t, want, code, out)
		assert.NotContains(t, out, "sonnet", "no other tier is asked")
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	faulty := filepath.Join(dir, "faulty.md")
	require.NoError(t, os.WriteFile(faulty, []byte("# T\n\n## 1: A\n\nTODO\n"), 0o600))
	tiers := filepath.Join(dir, "tiers.yaml")
	require.NoError(t, os.WriteFile(tiers, []byte("haiku: {provider: none}\n"), 0o600))
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no plan", nil, "one plan"},
		{"two plans", []string{"a.md", "b.md"}, "one plan"},
		{"no file", []string{"none.md"}, "none.md"},
		{"an unknown flag", []string{"-none", "demo/plan.md"}, "-none"},
		{"an answer to no step", []string{"-answer", "yes", "demo/plan.md"}, "-step"},
		{"an answer to an unknown step", []string{"-step", "9", "-answer", "yes", "demo/plan.md"}, `"9"`},
		{"an unknown profile", []string{"-profile", "none", "demo/plan.md"}, "none"},
		{"a faulty plan", []string{faulty}, "[unclear_criteria]"},
		{"an unknown provider", []string{"-tiers", tiers, "demo/plan.md"}, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out := play(t, tt.args...)
			assert.Equal(t, exitUsage, code)
			assert.Contains(t, out, tt.want)
		})
	}
}

// A tier changes neither a forbidden file nor the plan. The person's uncommitted files are not part of
// a plan.
func TestTreeOfOnesOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	_, _, err := openDir(t.Context(), dir, "demo/project")
	require.NoError(t, err)
	planFile := onePlan(t, dir)
	for _, tt := range []struct{ path, forbid string }{{"docs/operations.md", "docs/**"}, {"plan.md", "none"}} {
		before, _ := os.ReadFile(filepath.Join(dir, tt.path))
		code, out := play(t, "-dir", dir, "-run", "run-"+filepath.Base(tt.path), "-tiers", tiersOf(t, "haiku", tt.path),
			"-forbid", tt.forbid, planFile)
		assert.Equal(t, exitBlocked, code)
		assert.Contains(t, out, "UNEXPECTED_RESULT")
		after, _ := os.ReadFile(filepath.Join(dir, tt.path))
		assert.Equal(t, string(before), string(after), tt.path)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "order.go"), []byte("package shop\n"), 0o600))
	code, out := play(t, "-dir", dir, "-run", "new", "-tiers", tiersOf(t, "haiku", "docs/x.md"), "demo/plan.md")
	assert.Equal(t, exitBlocked, code)
	assert.Contains(t, out, "without your 1 uncommitted file")
	content, err := os.ReadFile(filepath.Join(dir, "order.go"))
	require.NoError(t, err)
	assert.Equal(t, "package shop\n", string(content))
}

// tiersOf writes the configuration of a tier that writes a file.
func tiersOf(t *testing.T, tier, path string) string {
	dir := t.TempDir()
	script := "turns:\n- step: '1'\n  writes: {" + path + ": x}\n  says: Done.\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "script.yaml"), []byte(script), 0o600))
	tiers := filepath.Join(dir, "tiers.yaml")
	require.NoError(t, os.WriteFile(tiers, []byte(tier+": {provider: scripted, script: script.yaml}\n"), 0o600))
	return tiers
}

// onePlan commits a plan of one step to a repository.
func onePlan(t *testing.T, dir string) string {
	path := filepath.Join(dir, "plan.md")
	plan := "# T\n\n## 1: A\n\nWrite it.\n\n```yaml step\ncriteria:\n  - {path: docs/operations.md}\n```\n"
	require.NoError(t, os.WriteFile(path, []byte(plan), 0o600))
	for _, args := range [][]string{{"add", "."}, {"commit", "-q", "-m", "plan"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		require.NoError(t, cmd.Run())
	}
	return path
}
