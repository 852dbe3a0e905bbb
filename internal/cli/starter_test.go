package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// serviceFile is the taxonomy of errgen init -service.
const serviceFile = "starter_service.yaml"

// starterAnswers returns the problem documents that a service with the starter sends: of each code,
// and of internal ones.
func starterAnswers(t *testing.T) []string {
	t.Helper()
	src, err := os.ReadFile(serviceFile)
	require.NoError(t, err)
	m, findings := check.Load("taxonomy.yaml", src)
	require.NotNil(t, m, findings)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name string, content []byte) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	for _, f := range emit.Files(m, emit.Options{}) {
		file("errs/"+f.Name, f.Content)
	}
	for _, name := range []string{"go.mod", "go.sum", "internal/cli/testdata/starter/main.go"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if name == "go.mod" {
			_, rest, _ := strings.Cut(string(content), "\n")
			content = []byte("module example.org/starter\n" + rest +
				"\nrequire github.com/errgen/errgen v0.0.0\n\nreplace github.com/errgen/errgen => " + root + "\n")
		}
		file(filepath.Base(name), content)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err)
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, answers, len(m.Codes))
	return answers
}

// TestStarterOpenAPI validates the answers of a service with the starter against the schemas of its
// codes.
func TestStarterOpenAPI(t *testing.T) {
	dir := t.TempDir()
	writeOutput(t, dir, "api.json", "openapi", "-format", "json", serviceFile)
	text, err := os.ReadFile(filepath.Join(dir, "api.json"))
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("https://x.org/api.json", document))
	valid := func(name string, document any) error {
		s, err := compiler.Compile("https://x.org/api.json#/components/schemas/" + name)
		require.NoError(t, err)
		return s.Validate(document)
	}
	schemas := []string{"NotFoundProblem", "ConflictProblem", "InvalidProblem", "InvalidTextProblem", "InternalProblem",
		"UnavailableProblem", "InternalProblem", "InternalProblem"} // the last two are internal codes
	for i, answer := range starterAnswers(t) {
		assert.NotContains(t, answer, "secret")
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
		require.NoError(t, err)
		for _, name := range slices.Compact(slices.Sorted(slices.Values(schemas))) {
			if name == schemas[i] {
				assert.NoError(t, valid(name, document), answer)
			} else {
				assert.Error(t, valid(name, document), "%s as %s", answer, name)
			}
		}
		assert.NoError(t, valid("Problems", document), answer)
		if schemas[i] == "InvalidProblem" {
			context := document.(map[string]any)["context"].(map[string]any)
			context["violations"] = context["violations"].([]any)[0]
			assert.Error(t, valid("InvalidProblem", document), "one violation in place of a list")
		}
	}
}

// TestStarterTypeScript compiles the module of the starter strictly, and decodes the answers of a
// service with it.
func TestStarterTypeScript(t *testing.T) {
	tsc, dir := nodeTool(t, "tsc"), t.TempDir()
	writeOutput(t, dir, "errs.ts", "typescript", serviceFile)
	for name, text := range map[string]string{
		"package.json": `{"type": "module"}`,
		"read.ts": `import { parseError, type Violation } from "./errs.js";
declare const process: { argv: string[] };
for (const text of JSON.parse(process.argv[2] ?? "[]") as unknown[]) {
  const error = parseError(text);
  const wrong: readonly Violation[] = error.code === "INVALID" ? error.context.violations ?? [] : [];
  const wait = error.code === "UNAVAILABLE" ? error.context.retryAfter : undefined;
  console.log(JSON.stringify({ code: error.code, wrong, wait, request: error.code && error.context.requestId }));
}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	run(t, dir, tsc, append(slices.Clone(strict), "read.ts")...)
	var inputs []any
	for _, answer := range starterAnswers(t) {
		inputs = append(inputs, answer)
	}
	none := []any{}
	assert.Equal(t, []map[string]any{
		{"code": "NOT_FOUND", "wrong": none}, {"code": "CONFLICT", "wrong": none, "request": "r-1"},
		{"code": "INVALID", "wrong": []any{
			map[string]any{"field": "items[0].count", "description": "below 1", "code": "MIN"},
			map[string]any{"field": "name", "description": "empty", "code": ""},
		}}, {"code": "INVALID_TEXT", "wrong": none},
		{"code": "INTERNAL", "wrong": none}, {"code": "UNAVAILABLE", "wrong": none, "wait": 1500.0},
		{"code": "INTERNAL", "wrong": none}, {"code": "INTERNAL", "wrong": none},
	}, decoded(t, dir, "read.js", inputs...))
}

// TestAgentStarter compares the code of each failure that docs/executor.md lists. The agent's name is
// not in the taxonomy.
func TestAgentStarter(t *testing.T) {
	m, findings := check.Load("taxonomy.yaml", agentStarter)
	require.Empty(t, findings)
	judge := detection.NewJudge(m)
	page, err := os.ReadFile("../../docs/executor.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "\n| class | operation | source | types |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	word := regexp.MustCompile("`([a-z_-]+)`")
	words := func(cell string) (found []string) {
		for _, m := range word.FindAllStringSubmatch(cell, -1) {
			found = append(found, m[1])
		}
		return found
	}
	got := map[string]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if strings.HasPrefix(line, "|---") {
			continue
		}
		require.Len(t, cells, 6, line)
		ops, sources, types := words(cells[2]), words(cells[3]), words(strings.ReplaceAll(cells[4], "of `resume`", ""))
		if len(sources) == 0 {
			sources = []string{"my-agent"}
		}
		for i, op := range ops {
			source := sources[0]
			if len(sources) == len(ops) {
				source = sources[i]
			}
			for _, typ := range append(types, "") {
				if op != "resume" && (typ == "interrupted" || typ == "refused") {
					continue
				}
				v := judge.Of(&taxonomy.Evidence{Source: source, Op: op, Type: typ})
				code := v.Code.Value
				if v.Rule == nil {
					code = "fallback " + code
				}
				got[strings.TrimSpace(op+" "+typ)] = code
			}
		}
	}
	want := map[string]string{
		"resume interrupted": "AGENT_CRASHED", "resume refused": "CANNOT_RUN", "resume": "CANNOT_RUN",
		"available": "AGENT_UNUSABLE", "available not_found": "AGENT_UNUSABLE", "available start": "AGENT_UNUSABLE",
		"scope": "CANNOT_RUN", "scope forbidden": "FILES_NOT_ALLOWED", "scope outside_allowed": "FILES_NOT_ALLOWED",
		"ask": "FILES_DENIED", "ask denied": "FILES_DENIED", "ask unattended": "FILES_DENIED",
		"budget": "BUDGET_SPENT", "budget exceeded": "BUDGET_SPENT", "budget unknown_cost": "BUDGET_SPENT",
		"call": "fallback AGENT_CRASHED", "call timeout": "AGENT_TIMED_OUT", "call not_found": "AGENT_UNUSABLE",
		"call start": "AGENT_CRASHED", "call network": "AGENT_UNREACHABLE", "call stream": "AGENT_CRASHED",
		"call tool_arguments": "AGENT_CRASHED",
	}
	for _, typ := range []string{"", " missing", " parse", " unset_variable", " invalid"} {
		want["load_config"+typ] = "CANNOT_RUN"
	}
	for _, op := range strings.Fields("prepare lock detect_changes save revert file_task notify state_write") {
		want[op] = "CANNOT_RUN"
	}
	for _, op := range strings.Fields("commit deliver push pr") {
		want[op] = "DELIVERY_FAILED"
	}
	for _, phase := range []string{"commit", "push", "pr"} {
		for _, typ := range []string{"", " exit", " timeout"} {
			want["validate_pre_"+phase+typ] = "CHECK_FAILED"
		}
	}
	assert.Equal(t, want, got)
}
