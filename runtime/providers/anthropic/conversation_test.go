package anthropic_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// sent is a request of the Messages API.
type sent struct {
	Model        string
	Stream       bool
	MaxTokens    int              `json:"max_tokens"`
	CacheControl *json.RawMessage `json:"cache_control"`
	System       []struct{ Text string }
	Tools        []struct {
		Name        string
		Description string
		InputSchema map[string]any `json:"input_schema"`
	}
	Messages []struct {
		Role    string
		Content []struct {
			Type, Text, Thinking, Signature, Data, Name, ID string
			Input                                           json.RawMessage
			ToolUseID                                       string `json:"tool_use_id"`
			IsError                                         bool   `json:"is_error"`
			Content                                         []struct{ Text string }
		}
	}
}

// requests returns what a server was asked.
func requests(t *testing.T, server *providertest.Server) []sent {
	t.Helper()
	var all []sent
	for _, r := range server.Requests() {
		var s sent
		require.NoError(t, json.Unmarshal(r.Body, &s), "%s", r.Body)
		all = append(all, s)
	}
	return all
}

// outline returns the messages of a request on one line each.
func outline(s sent) []string {
	var lines []string
	for _, m := range s.Messages {
		line := m.Role + ":"
		for _, c := range m.Content {
			switch c.Type {
			case "text":
				line += " " + c.Text
			case "tool_use":
				line += " " + c.Name + string(c.Input)
			case "tool_result":
				line += " =" + c.Content[0].Text
				if c.IsError {
					line += "!"
				}
			case "thinking":
				line += " (" + c.Thinking + "/" + c.Signature + ")"
			case "redacted_thinking":
				line += " (" + c.Data + ")"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestThinkingIsSentBack(t *testing.T) {
	message := providertest.AnthropicMessage{Calls: []providertest.ToolCall{{Name: "list_files"}}}.Events()
	block := func(data string) providertest.Event {
		return providertest.Event{Name: "content_block_start", Data: data}
	}
	delta := func(data string) providertest.Event {
		return providertest.Event{Name: "content_block_delta", Data: data}
	}
	events := append(append([]providertest.Event{}, message[:2]...),
		block(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"",`+
			`"signature":""}}`),
		delta(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`),
		delta(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`),
		block(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ZGF0YQ"}}`),
		block(`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`),
		block(`{"type":"content_block_start","index":3,"content_block":{"type":"something_new"}}`),
		block(`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t",`+
			`"name":"list_files","input":{}}}`),
	)
	events = append(events, message[len(message)-2:]...)
	server := serve(t, providertest.Reply{Events: events}, providertest.AnthropicText("done"))
	_, err := provider(t, server.URL).Call(context.Background(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.NoError(t, err)
	assert.Equal(t, []string{"user: do it", "assistant: (hm/c2ln) (ZGF0YQ) list_files{}", "user: =there are no files"},
		outline(requests(t, server)[1]))
}

func TestConversations(t *testing.T) {
	server := serve(t,
		providertest.AnthropicText("one"),
		providertest.AnthropicMessage{Text: "let me see", Calls: []providertest.ToolCall{{Name: "list_files"}}}.Reply(),
		providertest.AnthropicText("two"),
		providertest.AnthropicRateLimit("1"),
		providertest.AnthropicStop("max_tokens", "thr"),
		providertest.AnthropicText("four"),
		providertest.AnthropicText("five"),
		providertest.AnthropicText("six"),
	)
	p := provider(t, server.URL)
	ask := func(prompt, session string, reduced bool) (executor.Answer, error) {
		return p.Call(
			context.Background(),
			executor.Request{Prompt: prompt, Dir: t.TempDir(), Session: session, Reduced: reduced})
	}
	last := func() []string { all := requests(t, server); return outline(all[len(all)-1]) }

	first, err := ask("1", "", false)
	require.NoError(t, err)
	second, err := ask("2", first.Session, false)
	require.NoError(t, err)
	assert.Equal(t, first.Session, second.Session)
	whole := []string{"user: 1", "assistant: one", "user: 2", "assistant: let me see list_files{}",
		"user: =there are no files"}
	assert.Equal(t, whole, last())

	failed, err := ask("limited", first.Session, false)
	require.Error(t, err)
	assert.Equal(t, first.Session, failed.Session, "a call without an answer leaves the conversation as it was")

	cut, err := ask("3", first.Session, false)
	require.Error(t, err)
	assert.Equal(t, "max_tokens", evidence(t, err).Type)
	assert.Equal(t, append(whole, "assistant: two", "user: 3"), last())

	_, err = ask("go on", cut.Session, false)
	require.NoError(t, err)
	assert.Equal(t, append(whole, "assistant: two", "user: 3", "assistant: thr", "user: go on"), last(),
		"a cut answer can be gone on with")

	_, err = ask("5", first.Session, true)
	require.NoError(t, err)
	said := []string{"user: 1", "assistant: one", "user: 2", "assistant: two", "user: 3", "assistant: thr",
		"user: go on", "assistant: four", "user: 5"}
	assert.Equal(t, said, last(), "first the tools go")
	_, err = ask("6", first.Session, true)
	require.NoError(t, err)
	assert.Equal(
		t, []string{"user: 1", "assistant: thr", "user: go on", "assistant: four", "user: 5", "assistant: five",
			"user: 6"}[:1], last()[:1], "then the older half of what was said after the task")
	assert.Less(t, len(last()), len(said))

	unknown, err := ask("7", "none", false)
	require.NoError(t, err)
	assert.Equal(t, executor.Answer{Failure: "the conversation to be continued is not known", Usage: used(0, 0, 0)},
		unknown)
}
