//go:build unix

package verify_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
	}
	return dir
}

func open(t *testing.T, dir string, env ...string) *verify.Facts {
	t.Helper()
	return verify.New(dir, env...)
}

func sh(script string) plan.Command { return plan.Command{Run: []string{"sh", "-c", script}} }

// O51 to O55.
func TestCriteria(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.md": "# One\n\ntext\n\n```\n# No\n```\n\n## Two\n", "b.json": "{} {}",
		"c.csv": "a,b\n1\n", "d/e.go": "x\nx\n", "d/.git/f.go": "", "ok.xml": "<a/>",
		"text.xml": "a", "open.xml": "<a>", "bad": "\xff",
	})
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "out")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	f := open(t, dir)
	lines := func(least, most int64) *plan.Count { return &plan.Count{Matching: "^x$", Min: least, Max: most} }
	command := func(script string) plan.Criterion { return plan.Criterion{Command: sh(script)} }
	for _, tt := range []struct {
		name     string
		k        plan.Criterion
		kind     string
		expected string
		actual   string
	}{
		{"a file", plan.Criterion{Path: "a.md"}, "", "", ""},
		{"a directory", plan.Criterion{Path: "d/"}, "", "", ""},
		{"a pipe exists", plan.Criterion{Path: "pipe"}, "", "", ""},
		{"nothing", plan.Criterion{Path: "no"}, "content", "a file or directory", "nothing"},
		{"a link out of the tree", plan.Criterion{Path: "out"}, "content", "a file or directory",
			"statat out: path escapes from parent"},
		{"a pipe is not read", plan.Criterion{Path: "pipe", Matches: "a"}, "content", "a file", "a pipe"},
		{"a directory is not read", plan.Criterion{Path: "d", Matches: "a"}, "content", "a file", "a directory"},
		{"O52 sections", plan.Criterion{Path: "a.md", Sections: []string{"one", "Two"}}, "", "", ""},
		{"O52 missing sections", plan.Criterion{Path: "a.md", Sections: []string{"No", "One"}}, "missing_sections",
			"the headings No, One", "no No"},
		{"O51 JSON", plan.Criterion{Path: "b.json", Format: "json"}, "format", "json", "invalid JSON"},
		{"O51 CSV", plan.Criterion{Path: "c.csv", Format: "csv"}, "format", "csv",
			"record on line 2: wrong number of fields"},
		{"O51 XML", plan.Criterion{Path: "ok.xml", Format: "xml"}, "", "", ""},
		{"O51 text is not XML", plan.Criterion{Path: "text.xml", Format: "xml"}, "format", "xml", "no element"},
		{"O51 open XML", plan.Criterion{Path: "open.xml", Format: "xml"}, "format", "xml",
			"XML syntax error on line 1: unexpected EOF"},
		{"O55 UTF-8", plan.Criterion{Path: "bad", Format: "utf-8"}, "format", "utf-8", "invalid UTF-8"},
		{"O53 lines", plan.Criterion{Path: "d/e.go", Lines: lines(2, 2)}, "", "", ""},
		{"O53 too few lines", plan.Criterion{Path: "d/e.go", Lines: lines(5, 0)}, "count",
			"at least 5 lines matching /^x$/", "2"},
		{"O53 files", plan.Criterion{Files: "**/*.go", Min: 1, Max: 1}, "", "", ""},
		{"O53 too few files", plan.Criterion{Files: "*.go", Min: 1}, "count", "at least 1 files", "0"},
		{"O54 size", plan.Criterion{Path: "d/e.go", Bytes: &plan.Count{Min: 1, Max: 3}}, "size", "1 to 3 bytes", "4"},
		{"O55 content", plan.Criterion{Path: "a.md", Matches: "te.t"}, "", "", ""},
		{"O55 other content", plan.Criterion{Path: "a.md", Matches: "none"}, "content", "a match of /none/", "none"},
		{"a command", command("test -e a.md"), "", "", ""},
		{"a command that fails", command("exit 3"), "content", "exit code 0", "exit code 3"},
		{"a command that a signal ends", command("kill -TERM $$"), "content", "exit code 0", "SIGTERM"},
		{"a command that takes too long", plan.Criterion{Command: plan.Command{Run: []string{"sleep", "600"},
			Within: taxonomy.Duration(50 * time.Millisecond)}}, "timeout", "exit code 0", "not run"},
		{"a command that does not exist", plan.Criterion{Command: plan.Command{Run: []string{"./none"}}}, "not_found",
			"exit code 0", "not run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := f.Criteria(t.Context(), []plan.Criterion{tt.k})
			if tt.kind == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			ev := found[0]
			assert.Equal(t, [5]string{"check", "criteria", tt.kind, tt.expected, tt.actual},
				[5]string{ev.Source, ev.Op, ev.Type, ev.Attribute("expected"), ev.Attribute("actual")})
			assert.True(t, ev.ExitCode.IsZero() && ev.Signal == "", "an unmet criterion is not a failed execution")
		})
	}
}

// O22, O23, O39 to O44.
func TestNeeds(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "", "d/x": "", "run.sh": "", "plain": ""})
	require.NoError(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	t.Setenv("VERIFY_SECRET", "sk-live-0123456789abcdefghijklmnop")
	t.Setenv("VERIFY_EMPTY", "")
	service, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer service.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	f := open(t, dir)
	for _, tt := range []struct {
		name  string
		need  plan.Need
		kind  string
		errno string
	}{
		{"a file", plan.Need{File: "a.md"}, "", ""},
		{"a directory", plan.Need{Directory: "d/"}, "", ""},
		{"a program", plan.Need{Program: "sh"}, "", ""},
		{"a program of the tree", plan.Need{Program: "./run.sh"}, "", ""},
		{"a variable", plan.Need{Env: "VERIFY_SECRET"}, "", ""},
		{"an address", plan.Need{Address: service.Addr().String()}, "", ""},
		{"O39 no file", plan.Need{File: "b.md"}, "not_found", "ENOENT"},
		{"O39 a directory in place of a file", plan.Need{File: "d"}, "not_found", ""},
		{"O39 a file in place of a directory", plan.Need{Directory: "a.md"}, "not_found", ""},
		{"O39 a pipe in place of a file", plan.Need{File: "pipe"}, "not_found", ""},
		{"O39 out of the tree", plan.Need{File: "etc/passwd"}, "not_found", ""},
		{"O40 not executable", plan.Need{Program: "./plain"}, "denied", ""},
		{"O41 refused", plan.Need{Address: gone.Addr().String()}, "network", "ECONNREFUSED"},
		{"O43 no program", plan.Need{Program: "no-such-program"}, "not_found", ""},
		{"O44 no variable", plan.Need{Env: "VERIFY_NONE"}, "unset_variable", ""},
		{"O44 an empty variable", plan.Need{Env: "VERIFY_EMPTY"}, "unset_variable", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := f.Needs(t.Context(), "prepare", []plan.Need{tt.need})
			if tt.kind == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			kind, name := tt.need.Kind()
			assert.Equal(t, [6]string{"plan", "prepare", tt.kind, tt.errno, kind, name}, [6]string{found[0].Source,
				found[0].Op, found[0].Type, found[0].Errno, found[0].Attribute("kind"), found[0].Attribute("name")})
		})
	}
	assert.Len(t, f.Needs(t.Context(), "verify", []plan.Need{{File: "x"}, {File: "a.md"}, {Env: "VERIFY_NONE"}}), 2,
		"everything that is missing is reported together")
}

// O45 to O47, O50: the evidence of a gate is how its commands ended.
func TestGate(t *testing.T) {
	dir := tree(t, map[string]string{"plain": "x"})
	f := open(t, dir, "VERIFY_NAME")
	t.Setenv("VERIFY_NAME", "value")
	t.Setenv("VERIFY_API_KEY", "sk-live-0123456789abcdefghijklmnop")
	for _, tt := range []struct {
		name    string
		command plan.Command
		kind    string
		exit    int
		signal  string
		text    string
	}{
		{"passes", sh("exit 0"), "", 0, "", ""},
		{"runs in the tree", sh("test -f plain"), "", 0, "", ""},
		{"warns and passes", sh("echo warning >&2"), "", 0, "", ""},
		{"has no shell", plan.Command{Run: []string{"test", "$(id)", "=", "$(id)"}}, "", 0, "", ""},
		{"fails", sh("echo out; echo '--- FAIL: TestSum' >&2; exit 3"), "exit", 3, "", "out\n--- FAIL: TestSum"},
		{"is ended by a signal", sh("kill -KILL $$"), "exit", 0, "SIGKILL", ""},
		{"does not exist", plan.Command{Run: []string{"nosuchtool"}}, "not_found", 0, "", ""},
		{"is not executable", plan.Command{Run: []string{"./plain"}}, "start", 0, "", ""},
		{"has no key in its environment", sh("env | grep VERIFY_; exit 1"), "exit", 1, "", "VERIFY_NAME=value"},
		{"prints a secret", sh("echo password=hunter2hunter2; exit 1"), "exit", 1, "", "password=[REDACTED]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := f.Gate(t.Context(), []plan.Command{tt.command})
			if tt.kind == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			ev := found[0]
			assert.Equal(t, [5]any{"check", "gate", tt.kind, tt.exit, tt.signal},
				[5]any{ev.Source, ev.Op, ev.Type, ev.ExitCode.Or(0), ev.Signal})
			if tt.text != "" {
				assert.Equal(t, tt.text, ev.Text)
			}
		})
	}
	all := f.Gate(t.Context(), []plan.Command{sh("exit 1"), sh("true"), sh("exit 2 # password=hunter2hunter2")})
	require.Len(t, all, 2, "all commands are run")
	b, err := json.Marshal(all)
	require.NoError(t, err)
	assert.NotContains(t, string(b), "hunter2")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.NotEmpty(t, f.Gate(ctx, []plan.Command{sh("touch ran"), sh("touch ran")}),
		"a command that did not run has not passed")
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
}

// The processes that a command started end with it.
func TestGateEndsProcesses(t *testing.T) {
	dir := t.TempDir()
	command := sh("sleep 600 & echo $! >pid; wait")
	var pid []byte
	for within := 300 * time.Millisecond; len(pid) == 0; within *= 4 { // until it gets so far in its time
		require.Less(t, within, 2*time.Minute)
		command.Within = taxonomy.Duration(within)
		found := open(t, dir).Gate(t.Context(), []plan.Command{command})
		require.Len(t, found, 1)
		assert.Equal(t, "timeout", found[0].Type)
		assert.True(t, found[0].ExitCode.IsZero() && found[0].Signal == "")
		pid, _ = os.ReadFile(filepath.Join(dir, "pid"))
	}
	stat, _ := os.ReadFile("/proc/" + string(pid[:len(pid)-1]) + "/stat")
	assert.NotContains(t, string(stat), ") S ")
}
