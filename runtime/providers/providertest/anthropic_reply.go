package providertest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// AnthropicReply returns the reply from which a client of Anthropic's API gets the evidence: an
// error response for one with a status, an error event in a stream for one with a type or a text
// alone, a connection that breaks for one of the network, a reply that never comes for a timeout,
// which takes a deadline of the client's, a call of run_command for a command that is blocked,
// which takes the client's policy. It reports false for evidence that no server brings about, such
// as the exit code of a process or a permission of the file system.
func AnthropicReply(ev taxonomy.Evidence) (Reply, bool) {
	if command := ev.Attribute("command"); ev.Type == "command_blocked" && command != "" {
		return AnthropicTool("run_command", object{"command": command}.json()), true
	}
	if !served(&ev) || ev.Code != "" { // errors of this service have no code
		return Reply{}, false
	}
	r, ok := connectionReply(&ev)
	if !ok {
		r, ok = anthropicReply(&ev)
	}
	return hinted(r, &ev), ok
}

// anthropicReply returns the reply for evidence about an answer of the service.
func anthropicReply(ev *taxonomy.Evidence) (Reply, bool) {
	text := ev.Text
	if text == "" {
		text = "the example has no text"
	}
	switch {
	case ev.Err != nil || ev.Errno != "":
		return Reply{}, false
	case ev.Status >= 300:
		return AnthropicError(ev.Status, ev.Type, text), true
	case ev.Status != 0:
		return Reply{}, false
	}
	switch ev.Type {
	case "not_found", "start", "command_blocked", "skip_denied", "exit", "interrupted":
		return Reply{}, false
	case "stream":
		return AnthropicTruncated("I will"), true
	case "tool_arguments":
		return AnthropicTool("read_file", `{"path":"a`), true
	case "":
		return AnthropicStreamError("", ev.Text), ev.Text != ""
	}
	return AnthropicStreamError(ev.Type, text), true
}

// connectionReply returns the reply for evidence about the connection, whatever service is at its
// other end.
func connectionReply(ev *taxonomy.Evidence) (Reply, bool) {
	var op *net.OpError
	var request *url.Error
	switch {
	case ev.Status != 0:
		return Reply{}, false
	case ev.Type == "timeout" || errors.Is(ev.Err, context.DeadlineExceeded):
		return Hang(), ev.Errno == "" && (ev.Err == nil || errors.Is(ev.Err, context.DeadlineExceeded))
	case ev.Errno == "ECONNRESET":
		return Reset(), true
	case ev.Errno != "":
		return Reply{}, false
	case errors.Is(ev.Err, io.ErrUnexpectedEOF):
		return Reply{Events: []Event{{"ping", `{"type":"ping"}`}}, End: EndEarly}, true
	case ev.Type == "network", errors.As(ev.Err, &op), errors.As(ev.Err, &request):
		return Reset(), true
	}
	return Reply{}, false
}

// served reports whether evidence is about the call of a service, and holds nothing that a service
// has no say in.
func served(ev *taxonomy.Evidence) bool {
	for name := range ev.Attributes {
		if attributeHeaders[name] == "" {
			return false
		}
	}
	return (ev.Op == "" || ev.Op == "call") && ev.ExitCode.IsZero() && ev.Signal == "" && ev.Output == "" &&
		len(ev.Files) == 0 && ev.Credential == ""
}

// attributeHeaders are the headers that become attributes.
var attributeHeaders = map[string]string{
	"ratelimit-limit":              "X-Ratelimit-Limit",
	"ratelimit-remaining":          "X-Ratelimit-Remaining",
	"ratelimit-remaining-requests": "X-Ratelimit-Remaining-Requests",
	"ratelimit-remaining-tokens":   "X-Ratelimit-Remaining-Tokens",
	"request-id":                   "Request-Id",
	"should-retry":                 "X-Should-Retry",
}

// hinted adds the headers that say when to try again, and those that become attributes.
func hinted(r Reply, ev *taxonomy.Evidence) Reply {
	for name, value := range ev.Attributes {
		r = r.With(attributeHeaders[name], value)
	}
	if d, ok := ev.RetryAfter.Get(); ok {
		r = r.With("Retry-After-Ms", decimal(d.Milliseconds()))
	}
	if !ev.ResetAt.IsZero() {
		r = r.With("Anthropic-Ratelimit-Requests-Remaining", "0").
			With("Anthropic-Ratelimit-Requests-Reset", ev.ResetAt.UTC().Format(time.RFC3339))
	}
	return r
}
