package providertest

import (
	"cmp"
	"fmt"
	"strings"
)

// ToolCall is a call of a tool by a model.
type ToolCall struct {
	// ID identifies the call; generated if empty.
	ID string
	// Name is the tool.
	Name string
	// Arguments are sent unchanged, even if they are not valid JSON.
	Arguments string
}

// AnthropicMessage is a streamed answer of Anthropic's Messages API.
type AnthropicMessage struct {
	// Text is the text of the model. It may be empty.
	Text string
	// Calls are the tools that the model calls after the text.
	Calls []ToolCall
	// StopReason is, by default, "tool_use" with calls and "end_turn" without.
	StopReason string
	// Explanation belongs to the stop reason "refusal".
	Explanation string
	// Input and Output are the tokens used; 25 and 15 by default. CacheRead and CacheWrite count in
	// addition to Input.
	Input, Output, CacheRead, CacheWrite int
}

// AnthropicText returns an answer that consists of a text.
func AnthropicText(text string) Reply { return AnthropicMessage{Text: text}.Reply() }

// AnthropicTool returns an answer that calls a tool.
func AnthropicTool(name, arguments string) Reply {
	return AnthropicMessage{Calls: []ToolCall{{Name: name, Arguments: arguments}}}.Reply()
}

// Reply returns the message as the service streams it.
func (m AnthropicMessage) Reply() Reply {
	var b strings.Builder
	event := func(name string, o object) {
		o["type"] = name
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, o.json())
	}
	index := 0
	block := func(start object, kind, key, text string) {
		event("content_block_start", object{"index": index, "content_block": start})
		for _, half := range halves(text) {
			event("content_block_delta", object{"index": index, "delta": object{"type": kind, key: half}})
		}
		event("content_block_stop", object{"index": index})
		index++
	}
	event("message_start", object{"message": object{
		"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{
			"input_tokens": cmp.Or(m.Input, 25), "cache_creation_input_tokens": m.CacheWrite,
			"cache_read_input_tokens": m.CacheRead, "output_tokens": 1,
		}}})
	event("ping", object{})
	if m.Text != "" {
		block(object{"type": "text", "text": ""}, "text_delta", "text", m.Text)
	}
	reason := "end_turn"
	for i, c := range m.Calls {
		reason = "tool_use"
		id := cmp.Or(c.ID, fmt.Sprintf("toolu_%02d", i+1))
		block(object{"type": "tool_use", "id": id, "name": c.Name, "input": object{}},
			"input_json_delta", "partial_json", c.Arguments)
	}
	delta := object{"stop_reason": cmp.Or(m.StopReason, reason), "stop_sequence": nil}
	if m.Explanation != "" {
		delta["stop_details"] = object{"type": "refusal", "category": nil, "explanation": m.Explanation}
	}
	event("message_delta", object{"delta": delta, "usage": object{"output_tokens": cmp.Or(m.Output, 15)}})
	event("message_stop", object{})
	return Reply{Body: b.String()}.With("Content-Type", "text/event-stream; charset=utf-8").
		With("Request-Id", "req_011CSHoEeqs5C35K2UUqR7Fy")
}

// OpenAIMessage is a streamed answer of OpenAI's chat completions.
type OpenAIMessage struct {
	// Text is the text of the model. It may be empty.
	Text string
	// Refusal is the text of a refusal. It may be empty.
	Refusal string
	// Calls are the tools that the model calls after the texts.
	Calls []ToolCall
	// FinishReason is, by default, "tool_calls" with calls and "stop" without.
	FinishReason string
	// Input and Output are the tokens used; 25 and 15 by default. Cached is the part of Input that
	// was read from the service's cache.
	Input, Output, Cached int
	// NoUsage omits the tokens, like servers that do not support the option.
	NoUsage bool
}

// OpenAIText returns an answer that consists of a text.
func OpenAIText(text string) Reply { return OpenAIMessage{Text: text}.Reply() }

// OpenAITool returns an answer that calls a tool.
func OpenAITool(name, arguments string) Reply {
	return OpenAIMessage{Calls: []ToolCall{{Name: name, Arguments: arguments}}}.Reply()
}

// Reply returns the message as the service streams it.
func (m OpenAIMessage) Reply() Reply {
	var events []string
	chunk := func(choices []any, usage any) {
		events = append(events, object{
			"id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": "chat.completion.chunk",
			"created": 1741569952, "model": "gpt-4.1-2025-04-14", "choices": choices, "usage": usage,
		}.json())
	}
	delta := func(d object, finish any) {
		chunk([]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, half := range halves(m.Text) {
		delta(object{"content": half}, nil)
	}
	for _, half := range halves(m.Refusal) {
		delta(object{"refusal": half}, nil)
	}
	reason := "stop"
	for i, c := range m.Calls {
		reason = "tool_calls"
		id := cmp.Or(c.ID, fmt.Sprintf("call_%02d", i+1))
		delta(object{"tool_calls": []any{object{"index": i, "id": id, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, half := range halves(c.Arguments) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": half}}}}, nil)
		}
	}
	delta(object{}, cmp.Or(m.FinishReason, reason))
	if !m.NoUsage {
		input, output := cmp.Or(m.Input, 25), cmp.Or(m.Output, 15)
		chunk([]any{}, object{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
			"prompt_tokens_details": object{"cached_tokens": m.Cached}})
	}
	return Stream(append(events, "[DONE]")...).With("X-Request-Id", "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b")
}

// halves returns a text in up to two parts. No character is cut.
func halves(text string) []string {
	runes := []rune(text)
	switch len(runes) {
	case 0:
		return nil
	case 1:
		return []string{text}
	}
	middle := len(runes) / 2
	return []string{string(runes[:middle]), string(runes[middle:])}
}
