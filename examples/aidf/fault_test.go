package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/notify"
)

// A run that cannot begin has a code like any other failure: in what is printed, in the result, and
// in the log.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, config, code, said string }{
		{"no YAML", "limits: {", "CONFIG_PARSE_ERROR", "Correct the syntax"},
		{"an unset variable", "anthropic: {api_key: '${AIDF_NO_SUCH_KEY}'}", "CONFIG_ENV_VAR_MISSING",
			"AIDF_NO_SUCH_KEY is not set"},
		{"no number", "limits: {iterations: many}", "CONFIG_INVALID",
			`limits.iterations is "many", expected a whole number`},
		{"less than nothing", "limits: {run: -1s}", "CONFIG_INVALID", `limits.run is "-1s"`},
		{"no such provider", "model: m\nopenai: {}\nanthropic: {base_url: 'ftp://x'}", "CONFIG_INVALID",
			"must begin with https"},
		{"no such delivery", "deliver: mail", "CONFIG_INVALID",
			`deliver is "mail", expected nothing, commits, push or pull_request`},
		{"a pull request by nobody", "deliver: pull_request", "CONFIG_INVALID", "pull_request"},
		{"no such mode", "scope: {mode: lax}", "CONFIG_INVALID", `scope.mode is "lax", expected strict, ask or off`},
		{"no such profile", "profile: loud", "CONFIG_INVALID", `profile is "loud", expected strict or unattended`},
		{"no such channel", "notify: [{channel: smoke}]", "CONFIG_INVALID", "notify[0].channel"},
		{"a webhook to nowhere", "notify: [{channel: webhook, url: '${HOME}'}]", "CONFIG_INVALID", "https://"},
		{"no command", "validation: {pre_commit: [{run: x}]}", "CONFIG_INVALID", "validation.pre_commit[0]"},
		{"an empty command", "validation: {pre_commit: ['']}", "CONFIG_INVALID", "pre_commit[0]"},
		{"an override of nothing", "overrides: {policies: {patience: {max_attempts: 3}}}", "CONFIG_INVALID",
			`"patience"`},
		{"a pattern that is none", "scope: {forbidden: [a, '[']}", "CONFIG_INVALID",
			`scope.forbidden[1] is "[", expected a usable pattern: a bracket or brace is not closed`},
		{"a key twice", "provider: openai", "CONFIG_PARSE_ERROR", `"provider" is duplicated`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := begun(t, c.config+"\n")
			more := []string{"-v"}
			if c.name == "no such provider" {
				more = append(more, "-provider=anthropic")
			}
			got := a.do(more...)
			assert.Equal(t, exitFailed, got.code)
			assert.Contains(t, got.hints, c.code+": ")
			assert.Contains(t, got.hints, c.said)
			assert.Contains(t, got.hints, "What to do: ")
			assert.Contains(t, got.hints, "end_reason=", "the log carries it")
			r := got.result(t)
			assert.Equal(t, c.code, r.ErrorCode)
			assert.NotEqual(t, executor.StatusCompleted, r.Status)
			assert.Zero(t, a.calls())
		})
	}
}

func TestFilesThatAreNotThere(t *testing.T) {
	for _, c := range []struct {
		name, code, said string
		breaks           func(o *options)
	}{
		{"configuration", "CONFIG_MISSING", "configuration file not found: ",
			func(o *options) { o.configFile += ".old" }},
		{"task", "CONFIG_INVALID", `greeting.md.old", expected a Markdown file that is there`,
			func(o *options) { o.taskFile += ".old" }},
		{"repository", "GIT_STATUS_FAILED", "not a git repository", func(o *options) { o.repo = filepath.Dir(o.repo) }},
		{"directory", "CONFIG_INVALID", `shop.old", expected a directory of a git repository`,
			func(o *options) { o.repo += ".old" }},
		{"directory, but a file", "CONFIG_INVALID", `greet.txt", expected a directory of a git repository`,
			func(o *options) { o.repo = filepath.Join(o.repo, "greet.txt") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := begun(t, "")
			c.breaks(&a.options)
			got := a.do()
			assert.Equal(t, exitFailed, got.code)
			assert.Equal(t, c.code, got.result(t).ErrorCode)
			assert.Contains(t, got.result(t).Error, c.said)
			assert.Contains(t, got.hints, c.said)
		})
	}
}

// Who has what a run needs is said: the run and its process.
func TestAnotherRunIsAtWork(t *testing.T) {
	a := begun(t, "", done())
	said := func(words ...string) {
		t.Helper()
		got := a.do("-run=two", "-json=false")
		assert.Equal(t, exitFailed, got.code)
		for _, word := range append(words, strconv.Itoa(os.Getpid()), "what to do") {
			assert.Contains(t, got.out, word, got.hints)
		}
		assert.Zero(t, a.calls())
	}
	git, err := gittree.New(t.Context(), a.dir, gittree.Options{})
	require.NoError(t, err)
	space, err := git.Open(t.Context(), "one")
	require.NoError(t, err)
	said("file access denied: "+a.dir, "(run one)")
	require.NoError(t, space.Close(true))

	j := filestore.New(a.options.journal)
	_, err = j.Open(t.Context(), "two")
	require.NoError(t, err)
	said("two.lock", "run two is held by process")
	require.NoError(t, j.Close())
}

// A damaged state is named, and the run is refused.
func TestDamagedState(t *testing.T) {
	a := begun(t, "", done())
	file := filepath.Join(a.options.journal, "one.json")
	require.NoError(t, errors.Join(os.MkdirAll(a.options.journal, 0o700), os.WriteFile(file, []byte("hello\n"), 0o600)))
	got := a.do("-resume=one")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.result(t).Error, "read run one: invalid character")
	assert.Contains(t, do("-list", "-journal="+a.options.journal).out, "no run is remembered")
	assert.Zero(t, a.calls())
}

// What is wrong with patterns names the file that they are in.
func TestPatternsOfBothFiles(t *testing.T) {
	a := begun(t, "scope: {ask: ['!x']}\n")
	require.NoError(
		t, os.WriteFile(a.options.taskFile, []byte("# T\n## Scope\n### Allowed\n- `ok`\n- `/abs`\n"), 0o600))
	got := a.do()
	assert.Contains(t, got.hints, `scope.allowed[1] is "/abs"`)
	assert.Contains(t, got.hints, `scope.ask[0] is "!x"`)
	r := got.result(t)
	assert.Equal(t, "CONFIG_INVALID", r.ErrorCode)
	assert.Equal(t, "load_config", r.Errors[0].Op)
	assert.Contains(t, string(r.ErrorDetails), "greeting.md")
}

func TestAllThatIsWrongIsSaid(t *testing.T) {
	a := begun(t, "deliver: mail\nlimits: {failures: -1}\n")
	require.NoError(t, os.WriteFile(a.options.taskFile, nil, 0o600))
	got := a.do()
	assert.Contains(t, got.hints, "deliver")
	assert.Contains(t, got.hints, "limits.failures")
	assert.Contains(t, got.hints, "the task is empty")
}

// The channels that are in order are told also of what else is wrong in their file.
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
	for _, c := range []struct{ config, code string }{
		{"limits: {failures: -1}\n", "CONFIG_INVALID"},
		{"overrides: {policies: {patience: {max_attempts: 3}}}\n", "CONFIG_INVALID"},
		{"model: '${AIDF_NO_SUCH}'\n", "CONFIG_ENV_VAR_MISSING"},
	} {
		told = nil
		a := begun(t, hook+c.config)
		assert.Equal(t, exitFailed, a.do().code)
		require.Len(t, told, 1, c.config)
		assert.Equal(t, c.code, told[0].Code)
		assert.Equal(t, "config", told[0].Category)
	}
	told = nil
	a := begun(t, hook+"statuses: []\n", done())
	assert.Equal(t, exitOK, a.do().code)
	require.Len(t, told, 1)
	assert.Equal(t, executor.StatusCompleted, told[0].Status)
}
