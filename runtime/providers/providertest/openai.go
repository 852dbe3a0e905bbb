package providertest

import "fmt"

// The response that the replies are, and the request that they name as theirs.
const (
	openAIRequestID = "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b"
	openAIChatID    = "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT"
)

// OpenAIMessage is an answer of OpenAI's chat completions, streamed.
type OpenAIMessage struct {
	// Text is what the model says; empty is no text.
	Text string
	// Refusal is what it says in place of an answer; empty is no refusal.
	Refusal string
	// Calls are the tools that it calls after that.
	Calls []ToolCall
	// FinishReason is why it stopped: "tool_calls" with calls and "stop" without, unless set.
	FinishReason string
	// Input and Output are the tokens that are counted; 25 and 15 unless set. Cached are those of
	// the input that the service had read before.
	Input, Output, Cached int
	// NoUsage leaves out how many tokens there were, as servers do that do not know what asks for
	// it.
	NoUsage bool
}

// OpenAIText is an answer that says something and ends.
func OpenAIText(text string) Reply { return OpenAIMessage{Text: text}.Reply() }

// OpenAITool is an answer that calls a tool.
func OpenAITool(name, arguments string) Reply {
	return OpenAIMessage{Calls: []ToolCall{{Name: name, Arguments: arguments}}}.Reply()
}

// OpenAIFinish is an answer that ends for a reason of its own: "length", "content_filter".
func OpenAIFinish(reason, text string) Reply {
	return OpenAIMessage{Text: text, FinishReason: reason}.Reply()
}

// Reply returns the message as the service streams it.
func (m OpenAIMessage) Reply() Reply { return openAIStream(m.Events()) }

// Events returns the message as events.
func (m OpenAIMessage) Events() []Event {
	if m.FinishReason == "" {
		m.FinishReason = "stop"
		if len(m.Calls) > 0 {
			m.FinishReason = "tool_calls"
		}
	}
	events := m.begin()
	events = append(events, openAIDeltas("content", m.Text)...)
	events = append(events, openAIDeltas("refusal", m.Refusal)...)
	for i, call := range m.Calls {
		events = append(events, openAICall(i, call)...)
	}
	return append(events, m.end()...)
}

// begin returns the event before the first text.
func (m OpenAIMessage) begin() []Event {
	return []Event{openAIDelta(object{"role": "assistant", "content": "", "refusal": nil}, nil)}
}

// end returns the events after the last text.
func (m OpenAIMessage) end() []Event {
	events := []Event{openAIDelta(object{}, m.FinishReason)}
	if !m.NoUsage {
		input, output := orNumber(m.Input, 25), orNumber(m.Output, 15)
		events = append(events, openAIChunk([]any{}, object{
			"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
			"prompt_tokens_details": object{"cached_tokens": m.Cached, "audio_tokens": 0},
			"completion_tokens_details": object{"reasoning_tokens": 0, "audio_tokens": 0,
				"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
		}))
	}
	return append(events, Event{Data: "[DONE]"})
}

// openAICall returns the events of a tool call: its name, and its arguments in pieces.
func openAICall(index int, call ToolCall) []Event {
	if call.ID == "" {
		call.ID = fmt.Sprintf("call_%02d", index+1)
	}
	part := func(o object) Event { return openAIDelta(object{"tool_calls": []any{o}}, nil) }
	events := []Event{part(
		object{"index": index, "id": call.ID, "type": "function",
			"function": object{"name": call.Name, "arguments": ""}})}
	for _, half := range halves("", "arguments", call.Arguments) {
		delete(half, "type")
		events = append(events, part(object{"index": index, "function": half}))
	}
	return events
}

// openAIDeltas returns a text in two events, or in none if there is no text.
func openAIDeltas(key, text string) []Event {
	if text == "" {
		return nil
	}
	var events []Event
	for _, half := range halves("", key, text) {
		delete(half, "type")
		events = append(events, openAIDelta(half, nil))
	}
	return events
}

func openAIDelta(delta object, finish any) Event {
	return openAIChunk([]any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}, nil)
}

func openAIChunk(choices []any, usage any) Event {
	return Event{Data: object{
		"id": openAIChatID, "object": "chat.completion.chunk", "created": 1741569952, "model": "gpt-4.1-2025-04-14",
		"service_tier": "default", "system_fingerprint": "fp_b376dfbbd5", "choices": choices, "usage": usage,
	}.json()}
}

// openAIStream is a reply with the headers that the service sends with every answer.
func openAIStream(events []Event) Reply {
	return Reply{Events: events}.With("X-Request-Id", openAIRequestID).With("Openai-Version", "2020-10-01").
		With("X-Ratelimit-Limit-Requests", "10000").With("X-Ratelimit-Remaining-Requests", "9999").
		With("X-Ratelimit-Reset-Requests", "6ms")
}

// OpenAIStreamError is an answer of status 200 that begins, and fails with an error in the stream.
// An empty kind or code is null.
func OpenAIStreamError(kind, code, message string) Reply {
	events := append(OpenAIMessage{}.begin(), openAIDeltas("content", "I will")...)
	return openAIStream(append(events, Event{Data: openAIError(kind, code, "", message)}))
}

// OpenAITruncated is an answer of status 200 that ends in good order before the message does.
func OpenAITruncated(text string) Reply {
	return openAIStream(append(OpenAIMessage{}.begin(), openAIDeltas("content", text)...))
}

// OpenAIMalformed is an answer of status 200 with an event that is no JSON.
func OpenAIMalformed() Reply {
	return openAIStream(
		append(OpenAIMessage{}.begin(), Event{Data: `{"id":"` + openAIChatID + `","choices":[{"index":0,`}))
}

// openAIError returns the body of an error. What is empty is null, as the service has it.
func openAIError(kind, code, param, message string) string {
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return object{"error": object{"message": message, "type": orNull(kind), "param": orNull(param),
		"code": orNull(code)}}.json()
}
