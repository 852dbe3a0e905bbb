package providers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The key is in no error, answer, progress, log or prompt, whatever the service repeats.
func TestKeyIsNotRevealed(t *testing.T) {
	echo := "invalid key " + key
	body, _ := json.Marshal(map[string]any{"type": "error", "message": echo,
		"error": map[string]any{"message": echo, "type": key, "code": key, "param": key}})
	for _, provider := range apis {
		scripts := map[string]script{
			"a header": http200(pt.Reply{Status: 401, Body: string(body)}.With("X-Request-Id", key).
				With("Set-Cookie", key)),
			"a page":      http200(pt.Reply{Status: 502, Body: "<html><title>" + echo + "</title></html>"}),
			"text":        http200(pt.Reply{Status: 401, Body: echo}),
			"a long text": http200(pt.Reply{Status: 401, Body: strings.Repeat("x", 1<<20-len(key)/2) + key}),
			"no stream":   http200(pt.Reply{Body: echo}),
			"the stream":  http200(pt.Stream(string(body))),
			"an error event": http200(pt.Reply{Body: "event: error\ndata: " + string(body) + "\n\n"}.
				With("Content-Type", "text/event-stream")),
			"malformed":  http200(pt.Stream(echo)),
			"arguments":  tool(provider, "write_file", `{"path":"`+key),
			"a command":  tool(provider, "run_command", `{"command":"`+key+`"}`),
			"a path":     tool(provider, "write_file", `{"path":"../`+key+`","content":""}`),
			"a file":     tool(provider, "read_file", `{"path":".env"}`).then(text(provider, "x")),
			"a redirect": http200(pt.Reply{Status: 302, Body: echo}.With("Location", "/"+key)),
			"a reset":    http200(pt.Reset()),
			"an answer":  text(provider, "I found "+key+" in .env."),
			"a question": tool(provider, "task_blocked", `{"question":"Is `+key+` right?"}`),
		}
		if provider == anthropicAPI {
			scripts["a refusal"] = http200(pt.AnthropicMessage{StopReason: "refusal", Explanation: echo}.Reply())
			scripts["a stop reason"] = http200(pt.AnthropicMessage{StopReason: key}.Reply())
		}
		for what, script := range scripts {
			t.Run(provider+" "+what, func(t *testing.T) {
				s := open(t, provider, options{tools: strict}, script)
				var told []string
				req := request(t)
				req.Prompt = "the key is " + key
				require.NoError(t, os.WriteFile(filepath.Join(req.Dir, ".env"), []byte(key), 0o600))
				req.Progress = func(text string) { told = append(told, text) }
				answer, err := s.Call(t.Context(), req)
				shown := fmt.Sprintf("%#v %q %q", answer, told, s.Provider)
				if err != nil {
					shown += everything(err) + everything(errs.Classify(err))
				}
				assert.NotContains(t, shown, key)
				for _, r := range s.server.Requests() {
					assert.NotContains(t, string(r.Body), key)
				}
			})
		}
	}
}

// everything returns all that an error shows in any form.
func everything(err error) string {
	var b strings.Builder
	logger := slog.New(slog.NewJSONHandler(&b, nil))
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%s %v %+v %#v %q\n", err, err, err, err, err)
		wire, _ := json.Marshal(err)
		b.Write(wire)
		logger.Error("failed", "err", err)
		if ev, ok := err.(*taxonomy.Evidence); ok {
			fmt.Fprintf(&b, "%q %q %q %q %q %q", ev.Type, ev.Code, ev.Text, ev.Output, ev.Credential, ev.Attributes)
		}
	}
	return b.String()
}

func TestKeyIsNotPrinted(t *testing.T) {
	a := anthropic.Options{Model: "m", Key: key}
	o := openai.Options{Model: "m", Key: key}
	pa, err := anthropic.New(a)
	require.NoError(t, err)
	po, err := openai.New(o)
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "a", a, "o", o, "pa", pa, "po", po)
	for _, v := range []any{a, o, pa, po} {
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", v, v, v, v), key)
	}
	assert.NotContains(t, log.String(), key)
}

// No variable of the environment configures a provider over HTTP, and no key is in the environment
// of a command.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ORG_ID"} {
		t.Setenv(name, "of-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", pt.Refused())
	t.Setenv("OPENAI_BASE_URL", pt.Refused())
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Environment: of-the-environment")
	for _, provider := range apis {
		s := open(t, provider, options{tools: toolbox.Options{Commands: toolbox.Policy{Allow: []string{"env"}}}},
			tool(provider, "run_command", `{"command":"env"}`).then(text(provider, "x")))
		_, err := s.Call(t.Context(), request(t))
		require.NoError(t, err)
		sent := strings.Join(sentTo(t, s)[1].outline(), "\n")
		assert.Contains(t, sent, "PATH=")
		assert.NotContains(t, sent, "of-the-environment")
		assert.NotContains(t, fmt.Sprint(s.server.Requests()[0].Header), "of-the-environment")
	}
	s := open(t, openaiAPI, options{noKey: true}, text(openaiAPI, "x"))
	_, err := s.Call(t.Context(), request(t))
	require.NoError(t, err)
	assert.Empty(t, s.server.Requests()[0].Header.Get("Authorization"))
}

func TestClaudeEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-inherited")
	t.Setenv("OPENAI_API_KEY", "sk-other")
	t.Setenv("HTTPS_PROXY", "http://user:password@proxy")
	s := open(t, claudeCLI, options{claude: claudecli.Options{
		Env: []string{"HTTPS_PROXY", "CLAUDE_CODE_MAX_RETRIES=10", "MINE=1"}}}, process(pt.CLIAnswer("ok")))
	_, err := s.Call(t.Context(), request(t))
	require.NoError(t, err)
	calls, err := s.cli.Calls()
	require.NoError(t, err)
	assert.Subset(t, calls[0].Env, []string{"PATH", "HOME", "HTTPS_PROXY", "MINE"})
	assert.NotContains(t, calls[0].Env, "ANTHROPIC_API_KEY")
	assert.NotContains(t, calls[0].Env, "OPENAI_API_KEY")
	assert.Equal(t, "0", calls[0].Retries, "the program's own retries are off")
}

func TestClaudeArguments(t *testing.T) {
	step := pt.CLIAnswer("ok").Say("I begin").Write("a/b.txt", "hello")
	step.Script = `session=s-1; event assistant '"message":{"content":[{"type":"tool_use","name":"Write",` +
		`"input":{"file_path":"a/b.txt"}}]}'`
	s := open(t, claudeCLI, options{claude: claudecli.Options{Model: "opus", MaxTurns: 7,
		AllowedTools: []string{"Edit", "Bash(go test *)"}, DisallowedTools: []string{"WebFetch"},
		Args: []string{"--append-system-prompt=be brief"}}},
		process(step))
	req := request(t)
	req.Prompt = "--not-a-flag \"$(rm -rf /)\"\n"
	var told []string
	req.Progress = func(text string) { told = append(told, text) }
	var started executor.Process
	req.Started = func(p executor.Process) error { started = p; return nil }
	answer, err := s.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "s-1", answer.Session)
	assert.Equal(t, []string{"I begin", "Write a/b.txt"}, told)
	calls, err := s.cli.Calls()
	require.NoError(t, err)
	assert.Equal(t, []string{"-p", "--output-format=stream-json", "--verbose", "--permission-mode=acceptEdits",
		"--model=opus", "--max-turns=7", "--allowedTools=Edit,Bash(go test *)", "--disallowedTools=WebFetch",
		"--append-system-prompt=be brief"}, calls[0].Args)
	assert.Equal(t, req.Prompt, calls[0].Prompt, "the prompt is no argument")
	assert.Equal(t, calls[0].PID, started.PID)
	assert.NotEmpty(t, started.Start)
	dir, err := filepath.EvalSymlinks(req.Dir)
	require.NoError(t, err)
	assert.Equal(t, dir, calls[0].Dir)
	assert.FileExists(t, filepath.Join(dir, "a/b.txt"))
}

func TestClaudeSkippedPermissions(t *testing.T) {
	for _, o := range []claudecli.Options{
		{SkipPermissions: true},
		{PermissionMode: "bypassPermissions"},
		{Args: []string{"--dangerously-skip-permissions"}},
		{Args: []string{"--permission-mode", "bypassPermissions"}},
		{Args: []string{`--settings={"permissions":{"defaultMode":"bypassPermissions"}}`}},
	} {
		s := open(t, claudeCLI, options{claude: o}, process(pt.CLIAnswer("ok")))
		assert.Equal(t, "PERMISSION_SKIP_DENIED", code(t, s.Available(t.Context())))
		answer, err := s.Call(t.Context(), request(t))
		assert.Equal(t, []string{"skip_denied", "claude-cli"},
			[]string{evidence(t, err).Type, evidence(t, err).Attribute("resource")})
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Zero(t, s.count(t))

		o.AllowSkipPermissions = true
		_, err = open(t, claudeCLI, options{claude: o}, process(pt.CLIAnswer("ok"))).Call(t.Context(), request(t))
		require.NoError(t, err)
	}
}

func TestClaudeDeniedCommands(t *testing.T) {
	step := pt.CLIAnswer("ok").With("permission_denials", denied("rm -rf /"))
	_, err := open(t, claudeCLI, options{}, process(step)).Call(t.Context(), request(t))
	require.NoError(t, err, "without a policy only the model is told")
	_, err = open(t, claudeCLI, options{claude: claudecli.Options{Policy: "strict"}}, process(step)).
		Call(t.Context(), request(t))
	assert.Equal(t, attributes{"command": "rm -rf /", "policy": "strict"}, evidence(t, err).Attributes)
	assert.Equal(t, "PERMISSION_COMMAND_BLOCKED", code(t, err))
}

// denied are the denials of commands in a result.
func denied(command string) any {
	return []any{map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": command}}}
}

func TestStartedRefuses(t *testing.T) {
	refusal := errors.New("the journal is full")
	req := request(t)
	req.Started = func(executor.Process) error { return refusal }
	_, err := open(t, claudeCLI, options{}, process(pt.CLIHang())).Call(t.Context(), req)
	require.ErrorIs(t, err, refusal)
}

// End ends the group of a process, which may be that of an earlier run, and what left the group.
func TestEnd(t *testing.T) {
	s := open(t, claudeCLI, options{}, process(pt.CLIHang().IgnoringTerm().WithChild(true)))
	var started executor.Process
	req := request(t)
	req.Started = func(p executor.Process) error { started = p; return nil }
	begun := make(chan struct{})
	req.Progress = func(string) { close(begun) }
	done := make(chan error, 1)
	go func() {
		_, err := s.Call(t.Context(), req)
		done <- err
	}()
	<-begun
	ender := s.Provider.(executor.Ender)
	require.NoError(t, ender.End(t.Context(), started))
	assert.Equal(t, "SIGKILL", evidence(t, <-done).Signal)
	assertEnded(t, s.cli)
	require.NoError(t, ender.End(t.Context(), started), "a process that is gone is no error")
}

// A command of a tool is a process that the run records, and that its successor can end.
func TestEndOfACommand(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{tools: toolbox.Options{Commands: toolbox.Policy{Allow: []string{"sleep *"}}}},
			tool(provider, "run_command", `{"command":"sleep 300"}`).then(text(provider, "It was ended.")))
		req := request(t)
		ended := make(chan error, 1)
		req.Started = func(p executor.Process) error {
			go func() { ended <- s.Provider.(executor.Ender).End(t.Context(), p) }()
			return nil
		}
		answer, err := s.Call(t.Context(), req)
		require.NoError(t, err)
		require.NoError(t, <-ended)
		assert.Equal(t, "It was ended.", answer.Text)
		assert.Contains(t, strings.Join(sentTo(t, s)[1].outline(), "\n"), "ended by SIGTERM")
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	servers := toolbox.Options{Servers: []toolbox.Server{{Name: "docs", Command: []string{"no-such-program"},
		Tools: []string{"*"}}}}
	for _, provider := range apis {
		s := open(t, provider, options{tools: servers}, text(provider, "x"))
		answer, err := s.Call(t.Context(), request(t))
		assert.Equal(t, []string{provider, "call", "not_found", "docs"}, []string{evidence(t, err).Source,
			evidence(t, err).Op, evidence(t, err).Type, evidence(t, err).Attribute("mcp_server")})
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Zero(t, s.count(t))
	}
}

func TestClaudeSecrets(t *testing.T) {
	const given = "opaque-0123456789"
	s := open(t, claudeCLI, options{claude: claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=" + given}}},
		process(pt.CLIExit(1, "bad key "+given), pt.CLIFails("bad key "+given),
			pt.CLIStep{Script: "echo " + given, Exit: 1}, pt.CLICrash("KILL").Say("my key is "+given),
			exiting(0, pt.CLIAnswer("my key is "+given)),
			pt.CLIExit(1, "x "+strings.Repeat("y", 70<<10)+" "+given+strings.Repeat(" z", 32<<10-8))))
	for range 6 {
		var told []string
		req := request(t)
		req.Progress = func(text string) { told = append(told, text) }
		answer, err := s.Call(t.Context(), req)
		shown := everything(err) + fmt.Sprint(told) + answer.Text
		assert.NotContains(t, shown, given)
		assert.NotContains(t, shown, given[len(given)-8:])
	}
	assert.NotContains(t, s.Provider.(executor.Credentialed).Credential(), given)
}

func TestCredentials(t *testing.T) {
	t.Setenv("HOME", "/home/a")
	credential := func(c executor.Credentialed, err error) string {
		require.NoError(t, err)
		return c.Credential()
	}
	claude := func(o claudecli.Options) string {
		p, err := claudecli.New(o)
		return credential(p, err)
	}
	login, one := claude(claudecli.Options{}), claude(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=one"}})
	assert.NotEqual(t, one, login)
	assert.NotEqual(t, one, claude(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=two"}}))
	assert.Equal(t, "team", claude(claudecli.Options{Credential: "team"}))
	t.Setenv("HOME", "/home/b")
	assert.NotEqual(t, login, claude(claudecli.Options{}))
	assert.Equal(t, one, claude(claudecli.Options{Env: []string{"ANTHROPIC_API_KEY=one"}}))

	a := func(o anthropic.Options) string {
		o.Model = "m"
		p, err := anthropic.New(o)
		return credential(p, err)
	}
	first := a(anthropic.Options{Key: key})
	assert.NotContains(t, first, key)
	assert.Equal(t, first, a(anthropic.Options{Key: key}))
	assert.NotEqual(t, first, a(anthropic.Options{Key: key + "2"}))
	assert.NotEqual(t, first, a(anthropic.Options{Key: key, BaseURL: "https://example.com"}))
	assert.Equal(t, "team", a(anthropic.Options{Key: key, Credential: "team"}))
}

func TestInvalidOptions(t *testing.T) {
	policy := toolbox.Options{Commands: toolbox.Policy{Allow: []string{"'"}}}
	for what, o := range map[string]anthropic.Options{
		"model": {}, "scheme": {Model: "m", BaseURL: "ftp://x"}, "address": {Model: "m", BaseURL: "http://\x7f"},
		"user": {Model: "m", BaseURL: "https://u:" + key + "@x"}, "query": {Model: "m", BaseURL: "https://x?k=" + key},
		"tokens": {Model: "m", MaxTokens: -1}, "key": {Model: "m", Key: key + "\nb"},
		"policy": {Model: "m", Toolbox: policy},
	} {
		_, err := anthropic.New(o)
		require.Error(t, err, what)
		assert.NotContains(t, err.Error(), key)
		_, err = openai.New(o)
		require.Error(t, err, what)
		assert.NotContains(t, err.Error(), key)
	}
	_, err := claudecli.New(claudecli.Options{MaxTurns: -1, AllowedTools: []string{"A,B", ""}, Env: []string{"=x"}})
	for _, want := range []string{"-1", `"A,B"`, `""`} {
		assert.ErrorContains(t, err, want, "all are reported")
	}
}

// TestFloods reads more than may be kept: a gigabyte, or with -short 64 MiB, in each form.
func TestFloods(t *testing.T) {
	size, bound := int64(1<<30), uint64(64<<20)
	if testing.Short() {
		size = 64 << 20
	}
	flood := func(shell string) script {
		return process(pt.CLIStep{Script: "text=$(head -c 32768 /dev/zero | tr '\\0' x)\n" +
			fmt.Sprintf(shell, size), Result: pt.CLIAnswer("ok").Result})
	}
	for what, c := range map[string]struct {
		provider string
		script   script
		fails    bool
	}{
		"anthropic page": {anthropicAPI,
			http200(pt.Reply{Status: 502, Body: "<html><title>x</title>", Filler: size}), true},
		"openai text":    {openaiAPI, http200(pt.Reply{Status: 429, Body: "slow", Filler: size}), true},
		"anthropic line": {anthropicAPI, http200(endless(fixture(anthropicAPI, "truncated").replies[0], size)), true},
		"openai line":    {openaiAPI, http200(endless(fixture(openaiAPI, "truncated").replies[0], size)), true},
		"anthropic deltas": {anthropicAPI,
			http200(repeated(pt.AnthropicMessage{Text: strings.Repeat("x", 2<<20)}.Reply(),
				"event: content_block_delta", 12)), true},
		"openai deltas": {openaiAPI, http200(repeated(pt.OpenAIMessage{Text: strings.Repeat("x", 2<<20)}.Reply(),
			`data: {"choices":[{"delta":{"content":"x`, 12)), true},
		"claude line": {claudeCLI, flood(`head -c %d /dev/zero | tr '\0' x; echo`), false},
		"claude tools": {claudeCLI, flood(
			`yes '{"type":"user","message":{"content":"'$text'"}}' | head -c %d; echo`), false},
		"claude messages": {claudeCLI, flood(
			`yes '{"type":"assistant","message":{"content":[{"type":"text","text":"'$text'"}]}}' |
				head -c $((%d / 16)); echo`),
			false},
		"claude standard error": {claudeCLI, flood(`yes $text | head -c %d >&2`), false},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, c.provider, options{}, c.script)
			peak, stop := watchHeap()
			answer, err := s.Call(t.Context(), request(t))
			stop()
			assert.Less(t, *peak, bound)
			assert.Equal(t, c.fails, err != nil)
			if !c.fails {
				assert.Equal(t, "ok", answer.Text)
				return
			}
			assert.LessOrEqual(t, len(evidence(t, err).Text), 1<<20)
			assert.Contains(t, []string{"PROVIDER_API_ERROR", "PROVIDER_RATE_LIMIT"}, code(t, err))
		})
	}
}

func endless(r pt.Reply, size int64) pt.Reply {
	r.Filler = size
	return r
}

// repeated repeats the first event that begins so.
func repeated(r pt.Reply, begin string, times int) pt.Reply {
	events := strings.SplitAfter(r.Body, "\n\n")
	for i, e := range events {
		if strings.HasPrefix(e, begin) {
			events[i] = strings.Repeat(e, times)
			break
		}
	}
	r.Body = strings.Join(events, "")
	return r
}

// watchHeap measures how much the heap grows until it is stopped.
func watchHeap() (*uint64, func()) {
	var peak uint64
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var wg sync.WaitGroup
	end := make(chan struct{})
	ticker := time.NewTicker(5 * time.Millisecond)
	wg.Go(func() {
		defer ticker.Stop()
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc-min(before, m.HeapAlloc))
			select {
			case <-end:
				return
			case <-ticker.C:
			}
		}
	})
	return &peak, func() { close(end); wg.Wait() }
}

// TestHostileNames writes files whose names are options, commands and links.
func TestHostileNames(t *testing.T) {
	names := []string{"-rf", "a\nb", `quo"te'`, "sp ace", "ü/€", "$(touch x)"}
	step := pt.CLIAnswer("ok").Command("git", "init", "-q").Command("ln", "-s", "/etc", "out").Command("rm", "old")
	for _, name := range names {
		step = step.Write(name, name)
	}
	s := open(t, claudeCLI, options{}, process(step))
	req := request(t)
	require.NoError(t, os.WriteFile(filepath.Join(req.Dir, "old"), nil, 0o600))
	_, err := s.Call(t.Context(), req)
	require.NoError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(req.Dir, name))
		require.NoError(t, err)
		assert.Equal(t, name, string(content))
	}
	assert.NoFileExists(t, filepath.Join(req.Dir, "old"))
	target, err := os.Readlink(filepath.Join(req.Dir, "out"))
	require.NoError(t, err)
	assert.Equal(t, "/etc", target)
}
