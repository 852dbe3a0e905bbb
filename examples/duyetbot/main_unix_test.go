//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

var update = flag.Bool("update", false, "write what the program prints into README.md")

// done is the result of the program.
type done struct {
	code       int
	out, hints string
}

func do(ctx context.Context, args ...string) done {
	var out, hints bytes.Buffer
	code := run(ctx, args, &out, &hints)
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

// TestSteps checks what each skill of the demo prints, in order. D155
func TestSteps(t *testing.T) {
	dir := demo(t)
	tests := []struct {
		row, skill string
		code       int
		steps      []string
	}{
		{"D97 D156", "rate-limit", exitDone, []string{
			"(github_rate_limit)", "recovering (github_wait_for_rate_limit)", "wait_for_rate_limit waits 1s",
			"strategy wait_for_rate_limit succeeded", "| 12 open issues",
		}},
		{"D102", "lint", exitDone, []string{"(lint_error)", "strategy apply_lint_fix succeeded", "| no findings"}},
		{"D99", "dependency", exitDone, []string{
			"(dependency_error)", "strategy install_dependency succeeded", "| built with left-pad",
		}},
		{"D100 B-D17", "refused", exitFailed, []string{
			"(dependency_error)", `Did not install "event-stream": `, "failed (fatal)",
		}},
		{"B-D17", "hostile", exitFailed, []string{
			"(dependency_error)", "strategy install_dependency failed: ", "failed (fatal)",
		}},
		{"D108 D157", "permanent", exitFailed, []string{"(github_not_found)", "stopping (fail)", "failed (fatal)"}},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.skill, func(t *testing.T) {
			got := do(t.Context(), filepath.Join(dir, tt.skill+".yaml"))
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

// TestFlags checks that a profile replaces the settings of skills, and that -stop ends the session.
// D146
func TestFlags(t *testing.T) {
	dir := demo(t)
	first, second := filepath.Join(dir, "permanent.yaml"), filepath.Join(dir, "dependency.yaml")
	got := do(t.Context(), "-profile", "strict", first, second)
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, ": build")
	assert.NotContains(t, got.out, "strategy")
	got = do(t.Context(), "-stop", first, second)
	assert.Equal(t, exitFailed, got.code)
	assert.NotContains(t, got.out, ": build")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got = do(ctx, second)
	assert.Equal(t, exitInterrupted, got.code)
	assert.NotContains(t, got.out, "calling")
	assert.Contains(t, do(t.Context(), "-v", first).hints, "level=DEBUG", "D144")
	quiet := do(t.Context(), "-v", "-profile", "strict", first).hints
	assert.Contains(t, quiet, "level=ERROR")
	assert.NotContains(t, quiet, "level=INFO")
}

// TestReportFiles checks that one report contains all skills. D142 D143
func TestReportFiles(t *testing.T) {
	dir := demo(t)
	write := func(t *testing.T, name string) string {
		path := filepath.Join(t.TempDir(), name)
		got := do(t.Context(), "-report", path, filepath.Join(dir, "permanent.yaml"),
			filepath.Join(dir, "hostile.yaml"), filepath.Join(dir, "refused.yaml"))
		assert.Equal(t, exitFailed, got.code, got.hints)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(b), "ghp_0123", "no secret")
		return string(b)
	}
	records, err := csv.NewReader(strings.NewReader(write(t, "r.csv"))).ReadAll()
	require.NoError(t, err)
	assert.Len(t, records, 4)
	var read struct {
		Metrics struct{ TotalErrors int }
		Errors  []struct {
			Metadata struct{ Execution, GitHub map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(write(t, "r.json")), &read))
	assert.Equal(t, 3, read.Metrics.TotalErrors)
	assert.Equal(t, object{"owner": "acme", "repo": "shop", "entityNumber": 99.0, "entityType": "issue"},
		read.Errors[0].Metadata.GitHub)
	assert.Equal(t, object{"mode": "unknown", "skill": "build-more", "taskId": "build-more"},
		read.Errors[2].Metadata.Execution, "D155")
	_, page, _ := strings.Cut(write(t, "r.html"), `type="application/json">`)
	page, _, _ = strings.Cut(page, "</script>")
	var data struct{ Groups []struct{ Code string } }
	require.NoError(t, json.Unmarshal([]byte(page), &data))
	assert.Len(t, data.Groups, 2, "D131: two of the three failures are alike")
	assert.Contains(t, write(t, "r.txt"), "Recovery Rate: ")
}

func TestUsage(t *testing.T) {
	good := written(t, "name: ok\ncommand: ['true']\n")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no skill", nil, exitUsage, "no skill"},
		{"unknown profile", []string{"-profile", "careful", good}, exitUsage, "Profile not found: careful"},
		{"unknown flag", []string{"-colour"}, exitUsage, "flag provided but not defined"},
		{"another report", []string{"-report", "r.pdf", good}, exitUsage,
			"its name must end in .csv, .html, .json or .txt"},
		{"no file", []string{"none.yaml"}, exitUsage, "none.yaml"},
		{"a faulty skill beside a good one", []string{good, written(t, "nmae: x")}, exitUsage, "nmae"},
		{"a report that cannot be written", []string{"-report", "none/r.csv", good}, exitFailed, "write report"},
		{"help", []string{"-h"}, exitDone, "-report file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t.Context(), tt.args...)
			assert.Equal(t, tt.code, got.code)
			assert.Contains(t, got.hints, tt.want)
		})
	}
}

// TestCommands checks that the end of a command is evidence, even if the command printed nothing.
func TestCommands(t *testing.T) {
	for script, want := range map[string]string{
		"kill -SEGV $$":                  "(tool_execution) it said nothing and was ended by SIGSEGV",
		"exit 3":                         "(tool_execution) it said nothing and exited with code 3",
		"echo broken >&2; exit 3":        "(tool_execution) broken",
		"echo broken; kill -ABRT $$":     "(tool_execution) broken",
		"sleep 600 & sleep 600":          "(tool_timeout)",
		`echo "[${GH:-none}]"; exit 127`: "(tool_not_found) [none]", // no other variable is passed on
	} {
		t.Setenv("GH", "hunter2hunter2")
		code, text, _ := strings.Cut(want, " ")
		timeout := "1h" // on a busy machine even a short command can take a second
		if code == "(tool_timeout)" {
			timeout = "1s"
		}
		got := do(t.Context(), written(t, "name: s\nsource: tool\ntimeout: "+timeout+"\n"+
			"command:\n  - sh\n  - -c\n  - |\n    "+script+"\nerror-handling: {profile: strict}\n"))
		assert.Equal(t, exitFailed, got.code, got.hints)
		assert.Contains(t, got.out, code)
		assert.Contains(t, got.out, text)
	}
}

// TestVariablesAreMasked checks that the values of a command's variables are shown nowhere.
func TestVariablesAreMasked(t *testing.T) {
	const value = "plain words-17"
	t.Setenv("PASSPHRASE", value+"\n")
	for name, script := range map[string]string{
		"output":         `echo "$PASSPHRASE"`,
		"error":          `echo "error: $PASSPHRASE is wrong" >&2; exit 1`,
		"code":           `echo '{"error":{"code":"plain words-17","message":"it is plain words-17"}}' >&2; exit 1`,
		"escaped":        `echo '{"error":{"code":"x","message":"it is plain \u0077ords-17"}}' >&2; exit 1`,
		"cut in the way": `printf '%16377s' x >&2; echo "$PASSPHRASE" >&2; printf '%16380s' x >&2; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, "name: s\nsource: tool\nenv: [PASSPHRASE]\ncommand:\n  - sh\n  - -c\n  - |\n    "+script+
				"\nerror-handling: {profile: strict}\n")
			report := filepath.Join(t.TempDir(), "r.json")
			got := do(t.Context(), "-v", "-report", report, path)
			b, err := os.ReadFile(report)
			require.NoError(t, err)
			assert.NotContains(t, got.out+got.hints+string(b), "words-17")
		})
	}
}

// TestExtentOfFailures checks that a reaction that ends everything prevents the following skills.
func TestExtentOfFailures(t *testing.T) {
	for extent, follows := range map[taxonomy.Extent]bool{taxonomy.ExtentTask: true, taxonomy.ExtentRun: false} {
		table, err := errs.Table.Profile(errs.ProfileStrict)
		require.NoError(t, err)
		profile, reaction := *table.Overlay, taxonomy.Reaction{Agent: taxonomy.AgentReaction{Extent: extent}}
		profile.Rows = nil
		for row := range table.Taxonomy.Rows() {
			traits := table.Row(row)
			traits.Reaction = &reaction
			profile.Rows = append(profile.Rows, taxonomy.RowOverride{Row: row, Traits: traits})
		}
		table.Overlay = &profile
		var out bytes.Buffer
		s := newRunning(t, &out)
		first, second := s.skill("tool", balanced), s.skill("tool", balanced)
		first.skill.Command, second.skill.Command = []string{"false"}, []string{"echo", "second"}
		first.handler, err = recovery.NewHandler(recovery.Config{
			Table: table, Classify: detect.Classifier(errs.Explain),
		})
		require.NoError(t, err)
		assert.False(t, s.run(t.Context(), []*job{first, second}))
		assert.Equal(t, follows, strings.Contains(out.String(), "| second"), extent)
	}
}

// varying are the parts of the output that differ between runs.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`took [\d.hm]+s`), "took 0.1s"},
	{regexp.MustCompile(`(after \d+ iterations?)(, [\d.hm]+s)?`), "$1"},
}

// TestReadmeShows checks that the output in README.md is the program's.
func TestReadmeShows(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	origin, err := filepath.Abs("README.md")
	require.NoError(t, err)
	t.Chdir(filepath.Dir(demo(t)))
	console := regexp.MustCompile("(?s)\n```console\n\\$ go run \\. ([^\n]*)\n(.*?)```\n")
	shows := console.ReplaceAllStringFunc(string(readme), func(block string) string {
		args := console.FindStringSubmatch(block)[1]
		got := do(t.Context(), strings.Fields(args)...)
		for _, v := range varying {
			got.out = v.what.ReplaceAllString(got.out, v.with)
		}
		runs := 0
		got.out = regexp.MustCompile(`run [A-Z2-7]{26}`).ReplaceAllStringFunc(got.out, func(string) string {
			runs++
			return fmt.Sprintf("run 4Q2H6VXN3YK5TBWM7DRC2FJZP%c", 'A'+runs-1)
		})
		return "\n```console\n$ go run . " + args + "\n" + got.out + "```\n"
	})
	if *update {
		require.NoError(t, os.WriteFile(origin, []byte(shows), 0o644))
		return
	}
	assert.Equal(t, string(readme), shows)
}

// TestReadmeHasEveryKey checks that the skill of README.md is valid and complete.
func TestReadmeHasEveryKey(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(b), "\n```yaml\n")
	text, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found)
	s, err := loadSkill(written(t, text+"\n"))
	require.NoError(t, err)
	_, err = s.table("")
	require.NoError(t, err)
	encoded, err := json.Marshal(s)
	require.NoError(t, err)
	assert.NotContains(t, string(encoded), "null", "a key is missing")
}
