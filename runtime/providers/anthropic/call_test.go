package anthropic_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestAnswer(t *testing.T) {
	server := serve(t, providertest.AnthropicText("All is well.\nTASK COMPLETE"))
	p := provider(t, server.URL)
	require.NoError(t, p.Available(context.Background()))
	assert.Equal(t, 0, server.Count(), "asking whether it is there uses no network")
	assert.Equal(t, "anthropic-api", p.Name())
	assert.Regexp(t, `^anthropic-api:[0-9a-f]{12}$`, p.Credential())

	answer, err := p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.NoError(t, err)
	assert.NotEmpty(t, answer.Session)
	answer.Session = ""
	assert.Equal(t, executor.Answer{
		Text:  "All is well.\nTASK COMPLETE",
		Usage: executor.Usage{InputTokens: taxonomy.Some(int64(25)), OutputTokens: taxonomy.Some(int64(15))},
	}, answer)

	r := requests(t, server)[0]
	assert.Equal(t, "/v1/messages", server.Requests()[0].Path)
	assert.Equal(t, "***", server.Requests()[0].Header.Get("X-Api-Key"))
	assert.Empty(t, server.Requests()[0].Header.Get("Authorization"))
	assert.Equal(t, "claude-sonnet-4-5", r.Model)
	assert.True(t, r.Stream)
	assert.Equal(t, anthropic.DefaultMaxTokens, r.MaxTokens)
	assert.Equal(t, anthropic.DefaultSystem, r.System[0].Text)
	assert.Nil(t, r.CacheControl)
	assert.Equal(t, []string{"user: do it"}, outline(r))
	require.NotEmpty(t, r.Tools)
	assert.Equal(t, "read_file", r.Tools[0].Name)
	assert.Equal(t, "object", r.Tools[0].InputSchema["type"])
	assert.Equal(t, []any{"path"}, r.Tools[0].InputSchema["required"])
}

func TestNothingIsReadFromTheEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "of-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "of-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", providertest.Refused())
	server := serve(t, providertest.AnthropicText("hello"))
	_, err := provider(t, server.URL).Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.NoError(t, err)
	assert.Empty(t, server.Requests()[0].Header.Get("Authorization"))

	p, err := anthropic.New(anthropic.Options{Model: "m"})
	require.NoError(t, err)
	ev := evidence(t, p.Available(context.Background()))
	assert.Equal(t, "available", ev.Op)
	assert.ErrorIs(t, errs.Classify(ev), errs.CodeProviderNotAvailable)
}

func TestProbe(t *testing.T) {
	model := providertest.Reply{Body: `{"type":"model","id":"claude-sonnet-4-5","display_name":"Sonnet",` +
		`"created_at":"2025-09-29T00:00:00Z"}`}
	for _, c := range []struct {
		reply providertest.Reply
		code  error
	}{
		{model, nil},
		{providertest.AnthropicAuth(), errs.CodePermissionAPIAuth},
		{providertest.AnthropicNotFound(), errs.CodeProviderAPIError},
		{providertest.Reset(), errs.CodeProviderAPIError},
	} {
		server := serve(t, c.reply)
		err := provider(t, server.URL, func(o *anthropic.Options) { o.Probe = true }).Available(context.Background())
		assert.Equal(t, "/v1/models/claude-sonnet-4-5", server.Requests()[0].Path)
		if c.code == nil {
			assert.NoError(t, err)
			continue
		}
		assert.Equal(t, "available", evidence(t, err).Op)
		assert.ErrorIs(t, errs.Classify(err), c.code)
	}
}

func TestTools(t *testing.T) {
	dir := t.TempDir()
	server := serve(t,
		providertest.AnthropicMessage{Text: "First I look.",
			Calls: []providertest.ToolCall{{Name: "list_files"},
				{ID: "second", Name: "read_file", Arguments: `{"path":"none"}`}}}.Reply(),
		providertest.AnthropicTool("write_file", `{"path":"a.txt","content":"hällo"}`),
		providertest.AnthropicStop("pause_turn", "Just a moment."),
		providertest.AnthropicMessage{Text: "Now it is done.",
			Calls: []providertest.ToolCall{{Name: "task_done", Arguments: `{"summary":"wrote a.txt"}`},
				{ID: "late", Name: "delete_file", Arguments: `{"path":"a.txt"}`}}}.Reply(),
		providertest.AnthropicText("You are welcome."),
	)
	var told []string
	p := provider(
		t, server.URL,
		func(o *anthropic.Options) { o.Cache = true; o.Prices = &anthropic.Prices{Input: 3, Output: 15} })
	answer, err := p.Call(
		context.Background(),
		executor.Request{Prompt: "do it", Dir: dir, Progress: func(text string) { told = append(told, text) }})
	require.NoError(t, err)
	assert.Equal(t, executor.SignalDone, answer.Signal)
	assert.Equal(t, "Now it is done.", answer.Text)
	assert.Equal(t, executor.Usage{
		InputTokens: taxonomy.Some(int64(100)), OutputTokens: taxonomy.Some(int64(60)),
		CostUSD: taxonomy.Some((100*3 + 60*15.0) / 1e6),
	}, answer.Usage)
	b, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, "hällo", string(b), "what was asked for behind the end is not done")
	assert.Equal(
		t, []string{"First I look.", "list_files", "read_file none", "write_file a.txt", "Just a moment.",
			"Now it is done.", "task_done"}, told)

	_, err = p.Call(context.Background(), executor.Request{Prompt: "thanks", Dir: dir, Session: answer.Session})
	require.NoError(t, err)
	all := requests(t, server)
	assert.NotNil(t, all[0].CacheControl)
	assert.Equal(t, []string{
		"user: do it",
		"assistant: First I look. list_files{} read_file" + `{"path":"none"}`,
		"user: =there are no files =none: no such file or directory!",
		"assistant: write_file" + `{"path":"a.txt","content":"hällo"}`,
		"user: =wrote 6 bytes to a.txt",
		"assistant: Just a moment.",
		"assistant: Now it is done. task_done" + `{"summary":"wrote a.txt"} delete_file{"path":"a.txt"}`,
		"user: =wrote a.txt =not done: the call was over!",
		"user: thanks",
	}, outline(all[4]))
	assert.Equal(
		t, []string{"toolu_01", "second"},
		[]string{all[1].Messages[2].Content[0].ToolUseID, all[1].Messages[2].Content[1].ToolUseID})
}

func TestBlockedByTheModel(t *testing.T) {
	answer, err := call(t, providertest.AnthropicTool("task_blocked", `{"question":"Which port?"}`))
	require.NoError(t, err)
	assert.Equal(t, executor.SignalBlocked, answer.Signal)
	assert.Equal(t, "Which port?", answer.Question)
	assert.Equal(t, "Which port?", answer.Text)
}

func TestRefusedToolEndsTheCall(t *testing.T) {
	dir := t.TempDir()
	server := serve(t,
		providertest.AnthropicMessage{Calls: []providertest.ToolCall{
			{ID: "a", Name: "write_file", Arguments: `{"path":"a","content":"x"}`},
			{ID: "b", Name: "run_command", Arguments: `{"command":"rm -rf /"}`},
			{ID: "c", Name: "write_file", Arguments: `{"path":"c","content":"x"}`},
		}}.Reply(),
		providertest.AnthropicText("I see."),
	)
	p := provider(t, server.URL, func(o *anthropic.Options) {
		o.Toolbox.Commands = toolbox.Policy{Name: "strict", Allow: []string{"make test"}}
	})
	answer, err := p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: dir})
	require.ErrorIs(t, errs.Classify(err), errs.CodePermissionCommandBlocked)
	assert.Equal(t, "anthropic-api", evidence(t, err).Source)
	assert.Equal(t, "rm -rf /", evidence(t, err).Attribute("command"))
	assert.FileExists(t, filepath.Join(dir, "a"))
	assert.NoFileExists(t, filepath.Join(dir, "c"))
	assert.Equal(t, taxonomy.Some(int64(25)), answer.Usage.InputTokens, "the call counts, also when it fails")

	_, err = p.Call(context.Background(), executor.Request{Prompt: "not that", Dir: dir, Session: answer.Session})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"user: do it",
		`assistant: write_file{"path":"a","content":"x"} run_command{"command":"rm -rf /"} write_file{"path":"c",` +
			`"content":"x"}`,
		"user: =wrote 1 bytes to a =refused! =not done: the call was over!",
		"user: not that",
	}, outline(requests(t, server)[1]))
}

func TestScope(t *testing.T) {
	server := serve(t, providertest.AnthropicTool("write_file", `{"path":".env","content":"x"}`))
	p := provider(t, server.URL, func(o *anthropic.Options) {
		o.Toolbox.Write = func(_ context.Context, path string) error {
			return &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Files: []string{path}}
		}
	})
	_, err := p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
	assert.ErrorIs(t, errs.Classify(err), errs.CodeScopeForbidden)
}

func TestTurnsUsedUp(t *testing.T) {
	server := serve(
		t, providertest.AnthropicMessage{Text: "Looking.",
			Calls: []providertest.ToolCall{{Name: "list_files"}}}.Reply().Always())
	p := provider(t, server.URL, func(o *anthropic.Options) { o.Turns = 3 })
	answer, err := p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.NoError(t, err)
	assert.Equal(t, 3, server.Count())
	assert.Equal(t, "Looking.", answer.Text)
	assert.Equal(t, executor.SignalNone, answer.Signal)
	assert.NotEmpty(t, answer.Session)
}

func TestTheDirectoryIsMissing(t *testing.T) {
	server := serve(t)
	_, err := provider(t, server.URL).Call(context.Background(),
		executor.Request{Prompt: "do it", Dir: filepath.Join(t.TempDir(), "none")})
	ev := evidence(t, err)
	assert.Equal(t, "ENOENT", ev.Errno)
	assert.Equal(t, "anthropic-api", ev.Source)
	assert.Equal(t, 0, server.Count())
}

func TestManyCallsAtOnce(t *testing.T) {
	server := serve(t, providertest.AnthropicText("hello").Always())
	p := provider(t, server.URL)
	var wg sync.WaitGroup
	for range 16 {
		dir := t.TempDir()
		wg.Go(func() {
			answer, err := p.Call(context.Background(), executor.Request{Prompt: "do it", Dir: dir})
			assert.NoError(t, err)
			_, err = p.Call(context.Background(), executor.Request{Prompt: "again", Dir: dir, Session: answer.Session})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, 32, server.Count())
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, o := range map[string]anthropic.Options{
		"no model is named":                  {},
		"must begin with https://":           {Model: "m", BaseURL: "ftp://x"},
		"cannot be read":                     {Model: "m", BaseURL: "http://\x7f"},
		"neither user, query nor fragment":   {Model: "m", BaseURL: "https://u:p@x"},
		"a limit of -1 tokens":               {Model: "m", MaxTokens: -1},
		"the key has characters that no key": {Model: "m", Key: "a\nb"},
		`command policy: "'": a quote is not`: {Model: "m",
			Toolbox: toolbox.Options{Commands: toolbox.Policy{Allow: []string{"'"}}}},
	} {
		_, err := anthropic.New(o)
		assert.ErrorContains(t, err, want)
		if o.Key != "" {
			assert.NotContains(t, err.Error(), o.Key)
		}
	}
}

// A gigabyte takes no more memory than the bounds allow, and is said to be too much.
func TestEndlessAnswers(t *testing.T) {
	for name, reply := range map[string]providertest.Reply{
		"page":   {Status: 502, Body: "<html><title>502 Bad Gateway</title>", Filler: 1 << 30},
		"stream": {Events: providertest.AnthropicMessage{Text: "x"}.Events()[:3], Filler: 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, reply)
			require.Error(t, err)
			assert.ErrorIs(t, errs.Classify(err), errs.CodeProviderAPIError)
			assert.LessOrEqual(t, len(evidence(t, err).Text), 4096)
		})
	}
	many := providertest.AnthropicMessage{Text: strings.Repeat("x", 1<<20)}.Events()
	events := many[:3]
	for range 20 {
		events = append(events, many[3])
	}
	_, err := call(t, providertest.Reply{Events: events})
	assert.Equal(t, "the answer is longer than 8 MiB", evidence(t, err).Text)
	assert.False(t, errors.Is(err, context.Canceled))
}

// Without a directory there are no files, and the call is a conversation.
func TestNoDirectory(t *testing.T) {
	server := serve(t, providertest.AnthropicTool("task_done", `{"summary":"It is 4."}`))
	answer, err := provider(t, server.URL).Call(t.Context(), executor.Request{Prompt: "What is 2+2?"})
	require.NoError(t, err)
	assert.Equal(t, executor.SignalDone, answer.Signal)
	r := requests(t, server)[0]
	var tools []string
	for _, tool := range r.Tools {
		tools = append(tools, tool.Name)
	}
	assert.Equal(t, []string{"task_done", "task_blocked"}, tools)
	assert.NotContains(t, r.System[0].Text, "files")
}
