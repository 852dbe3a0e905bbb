package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// The exit statuses that the taxonomy declares for faults of the configuration and for a locked run.
const (
	exitConfig = 78
	exitLocked = 77
)

// A run that cannot begin has a code like any other failure.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, config, code, said string }{
		{"no YAML", "limits: {", "CONFIG_PARSE_ERROR", "did not find expected node content"},
		{"an unset variable", "anthropic: {key: '${AIDF_NO_SUCH_KEY}'}", "CONFIG_ENV_VAR_MISSING",
			"AIDF_NO_SUCH_KEY is not set"},
		{"no number", "limits: {iterations: many}", "CONFIG_INVALID",
			`limits.iterations is "many", expected a whole number`},
		{"less than nothing", "limits: {run: -1s}", "CONFIG_INVALID", `limits.run is "-1s"`},
		{"no address", "provider: anthropic\nmodel: m\nanthropic: {base_url: 'ftp://x'}", "CONFIG_INVALID", "https"},
		{"no model", "provider: openai", "CONFIG_INVALID", "model, expected the name of a model of openai"},
		{"no such delivery", "deliver: mail", "CONFIG_INVALID",
			`deliver is "mail", expected nothing, commits, push or pull_request`},
		{"no command for a pull request", "deliver: pull_request", "CONFIG_INVALID", "pull_request"},
		{"no such mode", "scope: {mode: lax}", "CONFIG_INVALID", `scope.mode is "lax", expected strict, ask or off`},
		{"no such profile", "profile: loud", "CONFIG_INVALID", `profile is "loud", expected strict or unattended`},
		{"no such channel", "notify: [{channel: smoke}]", "CONFIG_INVALID", "notify[0].channel"},
		{"no webhook", "notify: [{channel: webhook, url: '${HOME}'}]", "CONFIG_INVALID", "notify[0].url"},
		{"no MCP server", "provider: openai\nmodel: m\nmcp: [{name: docs}]", "CONFIG_INVALID", "docs"},
		{"no command", "validation: {pre_commit: [{run: x}]}", "CONFIG_INVALID", "validation.pre_commit[0]"},
		{"an empty command", "validation: {pre_commit: ['']}", "CONFIG_INVALID", "pre_commit[0]"},
		{"no such policy", "overrides: {policies: {patience: {max_attempts: 3}}}", "CONFIG_INVALID", `"patience"`},
		{"no pattern", "scope: {forbidden: [a, '[']}", "CONFIG_INVALID", `scope.forbidden[1] is "["`},
		{"forbidden in mode off", "scope: {mode: off, forbidden: [a]}", "CONFIG_INVALID", "scope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := begin(t, "")
			config := c.config
			if !strings.Contains(config, "provider:") {
				config = cliConfig + config
			}
			a.write(filepath.Join(a.dir, "aidf.yml"), config+"\n")
			got := a.do("-json -v")
			r := got.result(t)
			assert.Equal(t, exitConfig, got.code)
			assert.Equal(t, c.code, r.ErrorCode)
			assert.Equal(t, executor.StatusFailed, r.Status)
			assert.Contains(t, got.hints, "end_reason=", "it is logged")
			assert.Contains(t, a.do("").out, c.said)
			assert.Empty(t, a.prompts())
		})
	}
}

func TestMissingFiles(t *testing.T) {
	for _, c := range []struct{ name, args, code, said string }{
		{"configuration", "-config ../old.yml", "CONFIG_MISSING", "configuration file not found: "},
		{"task", "-task ../old.md", "CONFIG_INVALID", `old.md", expected an existing Markdown file`},
		{"repository", "-repo ../", "GIT_STATUS_FAILED", "not a git repository"},
		{"directory", "-repo ../old", "CONFIG_INVALID", `old", expected a directory of a git repository`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := begin(t, "").do(c.args + " -json").result(t)
			assert.Equal(t, c.code, r.ErrorCode)
			assert.Contains(t, r.Error, c.said)
		})
	}
}

// Each problem, of all files, is a failure with its own context.
func TestAllProblems(t *testing.T) {
	a := begin(t, "deliver: mail\nlimits: {failures: -1}\nmodel: $AIDF_MODEL\n")
	a.write(filepath.Join(a.dir, "greeting.md"), "")
	r := a.do("-json").result(t)
	require.Len(t, r.Errors, 3)
	var details []string
	for _, e := range r.Errors {
		assert.Equal(t, "load_config", e.Op)
		details = append(details, string(e.Details))
	}
	all := strings.Join(details, "\n")
	for _, want := range []string{`"deliver"`, `"limits.failures"`, "aidf.yml", "greeting.md"} {
		assert.Contains(t, all, want)
	}
	require.NotEmpty(t, r.Warnings)
	assert.Contains(t, r.Warnings[0], "$AIDF_MODEL")
}

// Problems with patterns name the file that contains them.
func TestPatternsOfBothFiles(t *testing.T) {
	a := begin(t, "scope: {ask: ['!x']}\n")
	a.write(filepath.Join(a.dir, "greeting.md"), "# T\n## Scope\n### Allowed\n- `ok`\n- `/abs`\n")
	r := a.do("-json").result(t)
	require.Len(t, r.Errors, 2)
	for _, e := range r.Errors {
		want, file := `scope.allowed[1] is "/abs"`, "greeting.md"
		if strings.Contains(string(e.Details), "aidf.yml") {
			want, file = `scope.ask[0] is "!x"`, "aidf.yml"
		}
		assert.Contains(t, e.Message, want)
		assert.Contains(t, string(e.Details), file)
	}
}

// Channels without problems report the problems of the rest of their file.
func TestFaultsAreNotified(t *testing.T) {
	var told []notify.Message
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m notify.Message
		if assert.NoError(t, json.NewDecoder(r.Body).Decode(&m)) {
			told = append(told, m)
		}
	}))
	defer server.Close()
	t.Setenv("AIDF_TEST_HOOK", server.URL)
	const hook = "notify: [{channel: webhook, url: '${AIDF_TEST_HOOK}', header: {X-Team: '${HOME}'}}]\n"
	for _, c := range []struct {
		config, code string
		status       executor.Status
	}{
		{"limits: {failures: -1}\n", "CONFIG_INVALID", executor.StatusFailed},
		{"overrides: {policies: {patience: {max_attempts: 3}}}\n", "CONFIG_INVALID", executor.StatusFailed},
		{"model: '${AIDF_NO_SUCH}'\n", "CONFIG_ENV_VAR_MISSING", executor.StatusFailed},
		{"", "", executor.StatusCompleted},
	} {
		told = nil
		begin(t, hook+c.config, done()).do("")
		require.Len(t, told, 1, c.config)
		assert.Equal(t, c.code, told[0].Code)
		assert.Equal(t, c.status, told[0].Status)
	}
}

// The error names the run and the process that hold the clone.
func TestRunIsAlive(t *testing.T) {
	a := begin(t, "", done())
	tree, err := workspace.New(t.Context(), a.path("."), "one", workspace.Options{})
	require.NoError(t, err)
	space, err := tree.Open(t.Context(), "one")
	require.NoError(t, err)
	assert.Regexp(t, `one +alive`, a.do("runs").out)
	assert.Contains(t, a.do("remove one").hints, strconv.Itoa(os.Getpid()))
	got := a.do("-run one")
	require.NoError(t, space.Close(true))
	assert.Equal(t, exitLocked, got.code)
	for _, word := range []string{"run one", strconv.Itoa(os.Getpid()), "what to do"} {
		assert.Contains(t, got.out, word)
	}
	assert.Empty(t, a.prompts())
}

func TestProvidersOverHTTP(t *testing.T) {
	const arguments = `{"path":"greet.txt","content":"Good day!\n"}`
	for _, c := range []struct {
		name, path string // path of the server
		replies    []providertest.Reply
	}{
		{"anthropic", "", []providertest.Reply{
			providertest.AnthropicTool("words__greeting", `{}`),
			providertest.AnthropicTool("write_file", arguments), providertest.AnthropicTool("task_done", `{}`),
		}},
		{"openai", "/v1", []providertest.Reply{
			providertest.OpenAITool("words__greeting", `{}`),
			providertest.OpenAITool("write_file", arguments), providertest.OpenAITool("task_done", `{}`),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := providertest.NewServer(c.replies...)
			defer server.Close()
			self, err := os.Executable()
			require.NoError(t, err)
			t.Setenv("AIDF_TEST_KEY", "sk-made-up-0123456789abcdef")
			t.Setenv("AIDF_TEST_MCP", "mcp")
			a := begin(t, c.name+": {base_url: '"+server.URL+c.path+
				"', key: '${AIDF_TEST_KEY}', prices: {input: 1, output: 2}}\n"+
				"mcp: [{name: words, command: ['"+self+"'], tools: ['*'],\n"+
				"       env: ['"+asMain+"=${AIDF_TEST_MCP}', 'AIDF_TEST_NAME=${AIDF_TEST_KEY}']}]\n")
			got := a.do("-json -model m -provider " + c.name)
			assert.Equal(t, exitOK, got.code, got.hints)
			r := got.result(t)
			assert.Equal(t, []string{"greet.txt"}, r.CommittedFiles)
			assert.False(t, r.Usage.CostUSD.IsZero())
			assert.NotContains(t, got.out+got.hints, "made-up")
			require.Len(t, server.Requests(), 3)
			assert.Contains(t, string(server.Requests()[1].Body), "Greetings, ", "the MCP server answered")
		})
	}
}

func TestProviderIsNotAvailable(t *testing.T) {
	a := begin(t, "")
	require.NoError(t, os.Remove(a.cli.Path))
	r := a.do("-json").result(t)
	assert.Equal(t, "PROVIDER_NOT_AVAILABLE", r.ErrorCode)
	assert.True(t, r.EndsRun)
	r = a.do("-provider anthropic -model m -json").result(t)
	assert.Equal(t, "PROVIDER_NOT_AVAILABLE", r.ErrorCode, "there is no key")
}
