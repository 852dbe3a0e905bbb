package providertest

import (
	"fmt"
	"net/http"
)

// The request that the replies name as theirs.
const anthropicRequestID = "req_011CSHoEeqs5C35K2UUqR7Fy"

// AnthropicMessage is an answer of Anthropic's Messages API, streamed.
type AnthropicMessage struct {
	// Text is what the model says; empty is no text.
	Text string
	// Calls are the tools that it calls after that.
	Calls []ToolCall
	// StopReason is why it stopped: "tool_use" with calls and "end_turn" without, unless set.
	StopReason string
	// Explanation comes with the stop reason "refusal".
	Explanation string
	// Input and Output are the tokens that are counted; 25 and 15 unless set. CacheRead and
	// CacheWrite count beside Input.
	Input, Output, CacheRead, CacheWrite int
}

// AnthropicText is an answer that says something and ends.
func AnthropicText(text string) Reply { return AnthropicMessage{Text: text}.Reply() }

// AnthropicTool is an answer that calls a tool.
func AnthropicTool(name, arguments string) Reply {
	return AnthropicMessage{Calls: []ToolCall{{Name: name, Arguments: arguments}}}.Reply()
}

// AnthropicStop is an answer that stops for a reason of its own: "max_tokens", "refusal",
// "pause_turn".
func AnthropicStop(reason, text string) Reply {
	return AnthropicMessage{Text: text, StopReason: reason}.Reply()
}

// Reply returns the message as the service streams it.
func (m AnthropicMessage) Reply() Reply {
	return Reply{Events: m.Events()}.With("Request-Id", anthropicRequestID)
}

// Events returns the message as events.
func (m AnthropicMessage) Events() []Event {
	if m.StopReason == "" {
		m.StopReason = "end_turn"
		if len(m.Calls) > 0 {
			m.StopReason = "tool_use"
		}
	}
	events := m.begin()
	index := 0
	if m.Text != "" {
		events = append(
			events, anthropicBlock(index, object{"type": "text", "text": ""}, halves("text_delta", "text", m.Text))...)
		index++
	}
	for i, call := range m.Calls {
		if call.ID == "" {
			call.ID = fmt.Sprintf("toolu_%02d", i+1)
		}
		block := object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}}
		events = append(
			events, anthropicBlock(index, block, halves("input_json_delta", "partial_json", call.Arguments))...)
		index++
	}
	return append(events, m.end()...)
}

// begin returns the events before the first block.
func (m AnthropicMessage) begin() []Event {
	return []Event{
		anthropicEvent("message_start", object{"message": object{
			"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
			"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
			"usage": object{
				"input_tokens": orNumber(m.Input, 25), "cache_creation_input_tokens": m.CacheWrite,
				"cache_read_input_tokens": m.CacheRead, "output_tokens": 1,
			},
		}}),
		anthropicEvent("ping", object{}),
	}
}

// end returns the events after the last block.
func (m AnthropicMessage) end() []Event {
	delta := object{"stop_reason": m.StopReason, "stop_sequence": nil}
	if m.Explanation != "" {
		delta["stop_details"] = object{"type": "refusal", "category": nil, "explanation": m.Explanation}
	}
	return []Event{
		anthropicEvent(
			"message_delta", object{"delta": delta, "usage": object{"output_tokens": orNumber(m.Output, 15)}}),
		anthropicEvent("message_stop", object{}),
	}
}

// AnthropicError is an error response of the service.
func AnthropicError(status int, kind, message string) Reply {
	return Reply{Status: status, Body: anthropicError(kind, message)}.With("Request-Id", anthropicRequestID)
}

// AnthropicRateLimit is 429 with a Retry-After header, which is left out when it is "". It may be
// seconds, also with a fraction, or a date.
func AnthropicRateLimit(retryAfter string) Reply {
	r := AnthropicError(http.StatusTooManyRequests, "rate_limit_error",
		"This request would exceed your organization's rate limit.")
	if retryAfter != "" {
		r = r.With("Retry-After", retryAfter)
	}
	return r.With("Anthropic-Ratelimit-Requests-Limit", "50")
}

// AnthropicOverloaded is 529: the service has too much to do for everybody.
func AnthropicOverloaded() Reply { return AnthropicError(529, "overloaded_error", "Overloaded") }

// AnthropicAuth is 401: the key is wrong.
func AnthropicAuth() Reply {
	return AnthropicError(http.StatusUnauthorized, "authentication_error", "invalid x-api-key")
}

// AnthropicPermission is 403: the key may not do that.
func AnthropicPermission() Reply {
	return AnthropicError(http.StatusForbidden, "permission_error",
		"Your API key does not have permission to use the specified resource.")
}

// AnthropicNotFound is 404: there is no such model.
func AnthropicNotFound() Reply {
	return AnthropicError(http.StatusNotFound, "not_found_error", "model: claude-9")
}

// AnthropicTooLarge is 413: the request has too many bytes.
func AnthropicTooLarge() Reply {
	return AnthropicError(http.StatusRequestEntityTooLarge, "request_too_large", "Request exceeds the maximum size")
}

// AnthropicContextLength is 400: the prompt has too many tokens.
func AnthropicContextLength() Reply {
	return AnthropicError(http.StatusBadRequest, "invalid_request_error",
		"prompt is too long: 208310 tokens > 200000 maximum")
}

// AnthropicCredit is 400: the account has no credit left.
func AnthropicCredit() Reply {
	return AnthropicError(http.StatusBadRequest, "invalid_request_error",
		"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "+
			"purchase credits.")
}

// AnthropicSpendLimit is 400: what the organisation allowed itself to spend is spent.
func AnthropicSpendLimit() Reply {
	return AnthropicError(http.StatusBadRequest, "invalid_request_error",
		"You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.")
}

// AnthropicBilling is 402: something is wrong with how the account is paid.
func AnthropicBilling() Reply {
	return AnthropicError(http.StatusPaymentRequired, "billing_error",
		"There is an issue with your billing or payment information.")
}

// AnthropicServerError is 500.
func AnthropicServerError() Reply {
	return AnthropicError(http.StatusInternalServerError, "api_error", "Internal server error")
}

// AnthropicStreamError is an answer of status 200 that begins, and fails with an error event.
func AnthropicStreamError(kind, message string) Reply {
	events := append(
		AnthropicMessage{}.begin(),
		anthropicBlock(0, object{"type": "text", "text": ""}, halves("text_delta", "text", "I will"))...)
	events = append(events, Event{"error", anthropicError(kind, message)})
	return Reply{Events: events}.With("Request-Id", anthropicRequestID)
}

// AnthropicTruncated is an answer of status 200 that ends in good order before the message does.
func AnthropicTruncated(text string) Reply {
	events := AnthropicMessage{Text: text}.Events()
	return Reply{Events: events[:len(events)-2]}.With("Request-Id", anthropicRequestID)
}

// AnthropicMalformed is an answer of status 200 with an event that is no JSON.
func AnthropicMalformed() Reply {
	events := append(
		AnthropicMessage{}.begin(), Event{"content_block_start", `{"type":"content_block_start","index":0,`})
	return Reply{Events: events}.With("Request-Id", anthropicRequestID)
}

func anthropicEvent(name string, o object) Event {
	o["type"] = name
	return Event{name, o.json()}
}

// anthropicBlock returns the events of a block of content, with its deltas.
func anthropicBlock(index int, block object, deltas []object) []Event {
	events := []Event{anthropicEvent("content_block_start", object{"index": index, "content_block": block})}
	for _, delta := range deltas {
		events = append(events, anthropicEvent("content_block_delta", object{"index": index, "delta": delta}))
	}
	return append(events, anthropicEvent("content_block_stop", object{"index": index}))
}

// halves returns a text in two deltas, as a text comes in several. No character is cut.
func halves(kind, key, text string) []object {
	runes := []rune(text)
	if len(runes) < 2 {
		return []object{{"type": kind, key: text}}
	}
	middle := len(runes) / 2
	return []object{{"type": kind, key: string(runes[:middle])}, {"type": kind, key: string(runes[middle:])}}
}

// anthropicError returns the body of an error. Without a type it has none.
func anthropicError(kind, message string) string {
	inner := object{"message": message}
	if kind != "" {
		inner["type"] = kind
	}
	return object{"type": "error", "error": inner, "request_id": anthropicRequestID}.json()
}
