package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sent is a request as far as the tests look at it.
type sent struct {
	Model         string
	Stream        bool
	MaxTokens     int             `json:"max_completion_tokens"`
	StreamOptions map[string]bool `json:"stream_options"`
	Messages      []struct {
		Role       string
		Content    string
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Type     string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Tools []struct {
		Type     string
		Function struct {
			Name       string
			Parameters map[string]any
		}
	}
}

func sentTo(t *testing.T, s *pt.Server, n int) sent {
	t.Helper()
	requests := s.Requests()
	require.Greater(t, len(requests), n)
	var out sent
	require.NoError(t, json.Unmarshal(requests[n].Body, &out))
	return out
}

func (s sent) roles() string {
	var roles []string
	for _, m := range s.Messages {
		roles = append(roles, m.Role)
	}
	return strings.Join(roles, " ")
}

func TestCallThatAnswersWithText(t *testing.T) {
	server, p := served(t, func(o *Options) { o.MaxTokens = 1000; o.Prices = &Prices{Input: 1, Output: 2} },
		pt.OpenAIMessage{Text: "It is written.\nTASK COMPLETE", Input: 1_000_000, Output: 500_000}.Reply())
	req := request(t)
	var progress heard
	req.Progress = progress.add
	answer, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "It is written.\nTASK COMPLETE", answer.Text)
	assert.Empty(t, answer.Failure)
	assert.Equal(t, executor.SignalNone, answer.Signal)
	assert.NotEmpty(t, answer.Session)
	assert.Equal(
		t, executor.Usage{InputTokens: taxonomy.Some[int64](1_000_000), OutputTokens: taxonomy.Some[int64](500_000),
			CostUSD: taxonomy.Some(2.0)}, answer.Usage)
	assert.Equal(t, "It is written.\nTASK COMPLETE", progress.all())

	require.Equal(t, 1, server.Count())
	assert.Equal(t, "/v1/chat/completions", server.Requests()[0].Path)
	assert.Equal(t, "***", server.Requests()[0].Header.Get("Authorization"))
	got := sentTo(t, server, 0)
	assert.Equal(t, "gpt-4.1", got.Model)
	assert.True(t, got.Stream)
	assert.Equal(t, map[string]bool{"include_usage": true}, got.StreamOptions)
	assert.Equal(t, 1000, got.MaxTokens)
	assert.Equal(t, "system user", got.roles())
	assert.Equal(t, "Write a.txt.", got.Messages[1].Content)
	require.NotEmpty(t, got.Tools)
	assert.Equal(t, "object", got.Tools[0].Function.Parameters["type"])
	assert.NotContains(t, string(server.Requests()[0].Body), testKey)
}

func TestCallThatUsesTools(t *testing.T) {
	two := pt.OpenAIMessage{Text: "Both at once.", Calls: []pt.ToolCall{
		{ID: "call_a", Name: "write_file", Arguments: `{"path":"a.txt","content":"hello"}`},
		{ID: "call_b", Name: "read_file", Arguments: `{"path":"missing.txt"}`},
	}}.Reply()
	server, p := served(t, nil, two, pt.OpenAITool("read_file", `{"path":"a.txt"}`), pt.OpenAIText("done"))
	req := request(t)
	var progress heard
	req.Progress = progress.add
	answer, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "done", answer.Text)
	assert.Equal(t, taxonomy.Some[int64](75), answer.Usage.InputTokens, "every request counts")
	assert.True(t, answer.Usage.CostUSD.IsZero(), "without prices the cost is not known")
	written, err := os.ReadFile(filepath.Join(req.Dir, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, "hello", string(written))
	assert.Equal(t, "Both at once.\nwrite_file a.txt\nread_file missing.txt\nread_file a.txt\ndone", progress.all())

	got := sentTo(t, server, 2)
	assert.Equal(t, "system user assistant tool tool assistant tool", got.roles())
	said := got.Messages[2]
	assert.Equal(t, "Both at once.", said.Content)
	require.Len(t, said.ToolCalls, 2)
	assert.Equal(t, "function", said.ToolCalls[0].Type)
	assert.Equal(t, "write_file", said.ToolCalls[0].Function.Name)
	assert.Equal(t, `{"path":"a.txt","content":"hello"}`, said.ToolCalls[0].Function.Arguments)
	assert.Equal(t, "call_a", got.Messages[3].ToolCallID)
	assert.Equal(t, "call_b", got.Messages[4].ToolCallID)
	assert.Contains(t, got.Messages[4].Content, "error: ", "a failure in the ordinary course goes back to the model")
	assert.Contains(t, got.Messages[6].Content, "hello")
}

func TestCallsThatServersNameOddly(t *testing.T) {
	delta := func(calls string) pt.Event {
		return pt.Event{Data: `{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[` + calls +
			`]},"finish_reason":null}]}`}
	}
	end := func(reason string) pt.Event {
		return pt.Event{Data: `{"id":"y","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`}
	}
	write := func(name string) string {
		return `"function":{"name":"write_file","arguments":"{\"path\":\"` + name + `\",\"content\":\"x\"}"}`
	}
	for name, events := range map[string][]pt.Event{
		"all with one index": {delta(`{"index":0,"id":"1",` + write("a") + `},{"index":0,"id":"2",` + write("b") +
			`}`), end("tool_calls"), {Data: "[DONE]"}},
		"without ids": {delta(`{"index":0,` + write("a") + `},{"index":1,` + write("b") + `}`),
			end("tool_calls"), {Data: "[DONE]"}},
		"with an index of -1": {delta(`{"index":-1,"id":"1",` + write("a") + `}`),
			delta(`{"index":-1,"id":"2",` + write("b") + `}`), end("stop")},
		"with another choice": {{Data: `{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}`},
			delta(`{"index":0,"id":"1",` + write("a") + `},{"index":1,"id":"2",` + write("b") + `}`),
			end("tool_calls")},
		"with words between": {{Data: `{"choices":[]}`}, delta(
			`{"index":0,"id":"1",` + write("a") + `},{"index":1,"id":"2",` + write("b") + `}`), end("function_call")},
		"in a word of its own": {delta(`{"index":0,"id":"1",` + write("a") + `},{"index":1,"id":"2",` + write("b") +
			`}`), end("eos")},
	} {
		t.Run(name, func(t *testing.T) {
			server, p := served(t, nil, pt.Reply{Events: events}, pt.OpenAIText("done"))
			req := request(t)
			_, err := p.Call(t.Context(), req)
			require.NoError(t, err)
			assert.FileExists(t, filepath.Join(req.Dir, "a"))
			assert.FileExists(t, filepath.Join(req.Dir, "b"))
			got := sentTo(t, server, 1)
			require.Equal(t, "system user assistant tool tool", got.roles())
			for i := range 2 {
				assert.NotEmpty(t, got.Messages[3+i].ToolCallID)
				assert.Equal(t, got.Messages[2].ToolCalls[i].ID, got.Messages[3+i].ToolCallID)
			}
		})
	}
}

func TestSignals(t *testing.T) {
	after := pt.ToolCall{Name: "write_file", Arguments: `{"path":"late.txt","content":"x"}`}
	for _, c := range []struct {
		what  string
		reply pt.OpenAIMessage
		want  executor.Answer
	}{
		{"done",
			pt.OpenAIMessage{Text: "All is there.",
				Calls: []pt.ToolCall{{Name: "task_done", Arguments: `{"summary":"wrote it"}`}, after}},
			executor.Answer{Text: "All is there.", Signal: executor.SignalDone}},
		{"done without a text",
			pt.OpenAIMessage{Calls: []pt.ToolCall{{Name: "task_done", Arguments: `{"summary":"wrote it"}`}}},
			executor.Answer{Text: "wrote it", Signal: executor.SignalDone}},
		{"done without arguments", pt.OpenAIMessage{Calls: []pt.ToolCall{{Name: "task_done"}}},
			executor.Answer{Text: "done", Signal: executor.SignalDone}},
		{"blocked",
			pt.OpenAIMessage{Calls: []pt.ToolCall{{Name: "task_blocked", Arguments: `{"question":"Which one?"}`},
				after}},
			executor.Answer{Text: "Which one?", Signal: executor.SignalBlocked, Question: "Which one?"}},
		{"a refusal is an answer", pt.OpenAIMessage{Refusal: "I will not."}, executor.Answer{Text: "I will not."}},
		{"an empty answer", pt.OpenAIMessage{}, executor.Answer{}},
	} {
		t.Run(c.what, func(t *testing.T) {
			server, p := served(t, nil, c.reply.Reply(), pt.OpenAIText("go on"))
			req := request(t)
			answer, err := p.Call(t.Context(), req)
			require.NoError(t, err)
			session := answer.Session
			answer.Session, answer.Usage = "", executor.Usage{}
			assert.Equal(t, c.want, answer)
			assert.Equal(t, 1, server.Count())
			assert.NoFileExists(t, filepath.Join(req.Dir, "late.txt"), "nothing is done after the end")

			req.Session = session
			_, err = p.Call(t.Context(), req)
			require.NoError(t, err)
			got := sentTo(t, server, 1)
			answered := 0
			for _, m := range got.Messages {
				if m.Role == "tool" {
					answered++
				}
			}
			assert.Equal(
				t, len(c.reply.Calls), answered, "each call has a result, or the service refuses the conversation")
		})
	}
}

func TestTurnsAreBounded(t *testing.T) {
	server, p := served(t, func(o *Options) { o.Turns = 3 },
		pt.OpenAIMessage{Text: "Looking.", Calls: []pt.ToolCall{{Name: "list_files"}}}.Reply().Always())
	answer, err := p.Call(t.Context(), request(t))
	require.NoError(t, err, "there is more to do")
	assert.Equal(t, executor.SignalNone, answer.Signal)
	assert.Equal(t, "Looking.", answer.Text)
	assert.NotEmpty(t, answer.Session)
	assert.Equal(t, 3, server.Count())
}

func TestNothingIsReadFromTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
	t.Setenv("OPENAI_API_KEY", "sk-of-the-environment")
	t.Setenv("OPENAI_ORG_ID", "org-environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Environment: yes")
	server, p := served(t, func(o *Options) { o.Key = "" }, pt.OpenAIText("done"))
	_, err := p.Call(t.Context(), request(t))
	require.NoError(t, err)
	header := server.Requests()[0].Header
	assert.Empty(t, header.Get("Authorization"))
	assert.Empty(t, header.Get("Openai-Organization"))
	assert.Empty(t, header.Get("X-Environment"))
}

func TestCallsAtOnce(t *testing.T) {
	_, p := served(t, nil, pt.OpenAIMessage{Calls: []pt.ToolCall{{Name: "task_done"}}}.Reply().Always())
	first, err := p.Call(t.Context(), request(t))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		req := request(t)
		if i%2 == 0 {
			req.Session = first.Session
		}
		wg.Go(func() {
			answer, err := p.Call(t.Context(), req)
			assert.NoError(t, err)
			assert.Equal(t, executor.SignalDone, answer.Signal)
		})
	}
	wg.Wait()
}

func TestAvailable(t *testing.T) {
	p, err := New(Options{Model: "gpt-4.1"})
	require.NoError(t, err)
	ev := evidenceOf(t, p.Available(t.Context()))
	assert.Equal(t, "available", ev.Op)
	assert.Equal(t, "no key is configured", ev.Text)

	server, p := served(t, nil)
	assert.NoError(t, p.Available(t.Context()))
	assert.Zero(t, server.Count(), "no network unless it is asked for")

	known := pt.Reply{Body: `{"id":"gpt-4.1","object":"model","created":1,"owned_by":"openai"}`}
	server, p = served(t, func(o *Options) { o.Probe = true }, known, pt.OpenAINotFound(), pt.OpenAIAuth())
	assert.NoError(t, p.Available(t.Context()))
	assert.Equal(t, "/v1/models/gpt-4.1", server.Requests()[0].Path)
	for _, status := range []int{404, 401} {
		ev = evidenceOf(t, p.Available(t.Context()))
		assert.Equal(t, "available", ev.Op)
		assert.Equal(t, status, ev.Status)
	}
	assert.Equal(t, 3, server.Count())
}

func TestDirectoryThatIsMissing(t *testing.T) {
	server, p := served(t, nil)
	req := request(t)
	req.Dir = filepath.Join(req.Dir, "missing")
	_, err := p.Call(t.Context(), req)
	ev := evidenceOf(t, err)
	assert.Equal(t, "ENOENT", ev.Errno)
	assert.Zero(t, server.Count())
}

func ExampleNew() {
	server := pt.NewServer(pt.OpenAIText("Nothing is left to do.\nTASK COMPLETE"))
	defer server.Close()
	p, err := New(Options{BaseURL: server.URL + "/v1", Key: "any", Model: "gpt-4.1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := p.Call(context.Background(), executor.Request{Prompt: "Look around.", Dir: "."})
	fmt.Println(answer.Text, err)
	// Output:
	// Nothing is left to do.
	// TASK COMPLETE <nil>
}

// Without a directory there are no files, and the call is a conversation.
func TestNoDirectory(t *testing.T) {
	server, p := served(t, nil, pt.OpenAITool("task_done", `{"summary":"It is 4."}`))
	answer, err := p.Call(t.Context(), executor.Request{Prompt: "What is 2+2?"})
	require.NoError(t, err)
	assert.Equal(t, executor.SignalDone, answer.Signal)
	got := sentTo(t, server, 0)
	var tools []string
	for _, tool := range got.Tools {
		tools = append(tools, tool.Function.Name)
	}
	assert.Equal(t, []string{"task_done", "task_blocked"}, tools)
	assert.NotContains(t, got.Messages[0].Content, "files")
}
