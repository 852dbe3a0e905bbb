package providers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestConversation(t *testing.T) {
	for _, provider := range apis {
		t.Run(provider, func(t *testing.T) {
			stop := http200(pt.AnthropicMessage{Text: "thr", StopReason: "max_tokens"}.Reply())
			if provider == openaiAPI {
				stop = http200(pt.OpenAIMessage{Text: "thr", FinishReason: "length"}.Reply())
			}
			s := open(t, provider, options{}, text(provider, "one").then(
				tools(provider, "let me see", pt.ToolCall{ID: "t", Name: "list_files"}), text(provider, "two"),
				fixture(provider, "rate_limit"), stop, text(provider, "four"), text(provider, "five"),
				text(provider, "six")))
			session := ""
			ask := func(prompt string, reduced bool) error {
				req := request(t)
				req.Prompt, req.Session, req.Reduced = prompt, session, reduced
				answer, err := s.Call(t.Context(), req)
				if session != "" {
					assert.Equal(t, session, answer.Session)
				}
				session = answer.Session
				return err
			}
			last := func() []string { all := sentTo(t, s); return all[len(all)-1].outline() }
			require.NoError(t, ask("1", false))
			require.NoError(t, ask("2", false))
			all := last()
			assert.Equal(t, []string{"user: 1", "assistant: one", "user: 2", "assistant: let me see list_files{}"},
				all[:4])
			assert.Contains(t, all[4], "t=there are no files")

			require.Error(t, ask("limited", false))
			assert.Equal(t, "max_tokens length"[:6], evidenceType(t, ask("3", false)))
			assert.Equal(t, []string{"assistant: two", "user: 3"}, last()[5:], "a failed call adds nothing")
			require.NoError(t, ask("continue", false))
			assert.Equal(t, []string{"user: 3", "assistant: thr", "user: continue"}, last()[6:],
				"an answer that was cut can be continued")

			require.NoError(t, ask("5", true))
			assert.Equal(t, []string{"user: 1", "assistant: one", "user: 2", "assistant: two", "user: 3",
				"assistant: thr", "user: continue", "assistant: four", "user: 5"}, last(), "first, tools are left out")
			require.NoError(t, ask("6", true))
			all = last()
			assert.Equal(t, "user: 1", all[0], "the task stays")
			assert.Equal(t, []string{"user: 5", "assistant: five", "user: 6"}, all[len(all)-3:])
			assert.Less(t, len(all), 9, "then the older half is left out")
		})
	}
}

// evidenceType returns the first six letters of the type, which differs between the APIs.
func evidenceType(t *testing.T, err error) string {
	kind := evidence(t, err).Type
	if kind == "length" {
		return "max_to"
	}
	return kind[:6]
}

func TestUnknownConversation(t *testing.T) {
	for _, provider := range apis {
		s := open(t, provider, options{}, text(provider, "x"))
		req := request(t)
		req.Session = "of another process"
		answer, err := s.Call(t.Context(), req)
		require.NoError(t, err)
		assert.NotEmpty(t, answer.Failure)
		assert.Empty(t, answer.Session)
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Zero(t, s.count(t))
	}
}

func TestClaudeSessions(t *testing.T) {
	const fresh = "00000000-0000-4000-8000-000000000001"
	for _, c := range []struct {
		what, session string
		reduced       bool
		resumed, got  string
	}{
		{"begun", "", false, "", fresh},
		{"continued", "0a-b", false, "0a-b", "0a-b"},
		{"reduced", "0a-b", true, "", fresh},
		{"an option", "--dangerously-skip-permissions", false, "", fresh},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := open(t, claudeCLI, options{}, process(pt.CLIAnswer("ok")))
			req := request(t)
			req.Session, req.Reduced = c.session, c.reduced
			answer, err := s.Call(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, c.got, answer.Session)
			calls, err := s.cli.Calls()
			require.NoError(t, err)
			assert.Equal(t, c.resumed, calls[0].Resumed())
			assert.NotContains(t, calls[0].Args, "--dangerously-skip-permissions")
		})
	}
}

// Thinking must be sent back unchanged while a tool is used.
func TestThinking(t *testing.T) {
	block := func(json string) string { return "event: x\ndata: " + json + "\n\n" }
	message := tools(anthropicAPI, "", pt.ToolCall{ID: "t", Name: "list_files"}).replies[0]
	before, after, ok := strings.Cut(message.Body, "event: content_block_start")
	require.True(t, ok)
	message.Body = before +
		block(`{"type":"content_block_start","index":0,`+
			`"content_block":{"type":"thinking","thinking":"","signature":""}}`) +
		block(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`) +
		block(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`) +
		block(`{"type":"content_block_stop","index":0}`) +
		block(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ZGF0YQ"}}`) +
		block(`{"type":"content_block_stop","index":1}`) +
		block(`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`) +
		block(`{"type":"content_block_stop","index":2}`) +
		strings.ReplaceAll("event: content_block_start"+after, `"index":0`, `"index":3`)
	s := open(t, anthropicAPI, options{}, http200(message).then(text(anthropicAPI, "done")))
	_, err := s.Call(t.Context(), request(t))
	require.NoError(t, err)
	assert.Equal(t, []string{"user: do it", "assistant: (hm/c2ln) (ZGF0YQ) list_files{}", "user: t=there are no files"},
		sentTo(t, s)[1].outline())
}

func TestPause(t *testing.T) {
	s := open(t, anthropicAPI, options{}, http200(pt.AnthropicMessage{Text: "Just a moment.",
		StopReason: "pause_turn"}.Reply()).then(text(anthropicAPI, "done")))
	answer, err := s.Call(t.Context(), request(t))
	require.NoError(t, err)
	assert.Equal(t, "done", answer.Text)
}

// Gateways and local servers number and name tool calls in several ways.
func TestOddToolCalls(t *testing.T) {
	delta := func(calls string) string {
		return `{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[` + calls + `]},"finish_reason":null}]}`
	}
	end := func(reason string) string {
		return `{"id":"y","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
	}
	write := func(name string) string {
		return `"function":{"name":"write_file","arguments":"{\"path\":\"` + name + `\",\"content\":\"x\"}"}`
	}
	for what, data := range map[string][]string{
		"one index": {delta(`{"index":0,"id":"1",` + write("a") + `},{"index":0,"id":"2",` + write("b") + `}`),
			end("tool_calls"), "[DONE]"},
		"no ids": {delta(`{"index":0,` + write("a") + `},{"index":1,` + write("b") + `}`), end("tool_calls"), "[DONE]"},
		"an index of -1": {delta(`{"index":-1,"id":"1",` + write("a") + `}`),
			delta(`{"index":-1,"id":"2",` + write("b") + `}`), end("stop")},
		"another choice": {`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}`,
			delta(`{"index":0,"id":"1",` + write("a") + `},{"index":1,"id":"2",` + write("b") + `}`),
			end("tool_calls")},
		"other events": {`{"choices":[]}`,
			delta(`{"index":0,"id":"1","function":{"name":"write_file","arguments":"{"}}`),
			delta(`{"index":0,"function":{"arguments":"\"path\":\"a\",\"content\":\"x\"}"}}`),
			delta(`{"index":1,"id":"2",` + write("b") + `}`), end("tool_calls")},
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, openaiAPI, options{}, http200(pt.Stream(data...)).then(text(openaiAPI, "done")))
			req := request(t)
			_, err := s.Call(t.Context(), req)
			require.NoError(t, err)
			for _, name := range []string{"a", "b"} {
				assert.FileExists(t, req.Dir+"/"+name)
			}
			last := sentTo(t, s)[1]
			ids := map[string]bool{}
			for _, m := range last.Messages {
				for _, c := range m.ToolCalls {
					assert.NotEmpty(t, c.ID)
					ids[c.ID] = true
				}
			}
			assert.Len(t, ids, 2, "each result has the id of its call")
			for _, m := range last.Messages {
				assert.True(t, m.ToolCallID == "" || ids[m.ToolCallID])
			}
		})
	}
}

func TestRefusal(t *testing.T) {
	s := open(t, openaiAPI, options{}, http200(pt.OpenAIMessage{Refusal: "I will not."}.Reply()))
	answer, err := s.Call(t.Context(), request(t))
	require.NoError(t, err)
	assert.Equal(t, "I will not.", answer.Text)
}

func used(in, out int64, usd ...float64) executor.Usage {
	u := executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out)}
	if len(usd) > 0 {
		u.CostUSD = taxonomy.Some(usd[0])
	}
	return u
}
