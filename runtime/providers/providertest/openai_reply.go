package providertest

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// OpenAIReply returns the reply from which a client of OpenAI's chat completions gets the evidence:
// an error response for one with a status, an error in a stream for one with a type or a code
// alone, a connection that breaks for one of the network, a reply that never comes for a timeout,
// which takes a deadline of the client's, a call of run_command for a command that is blocked,
// which takes the client's policy. It reports false for evidence that no server brings about, such
// as the exit code of a process or a permission of the file system.
func OpenAIReply(ev taxonomy.Evidence) (Reply, bool) {
	if command := ev.Attribute("command"); ev.Type == "command_blocked" && command != "" {
		return OpenAITool("run_command", object{"command": command}.json()), true
	}
	if ev.Op != "" && ev.Op != "call" || !ev.ExitCode.IsZero() || ev.Signal != "" || ev.Output != "" ||
		len(ev.Files) > 0 {
		return Reply{}, false
	}
	if ev.Type == "timeout" {
		// Which limit was met is the client's knowledge.
		ev.Attributes = nil
	}
	r, ok := connectionReply(&ev)
	if !ok {
		r, ok = openAIReply(&ev)
	}
	if !ok {
		return Reply{}, false
	}
	return openAIHeaders(r, &ev)
}

// openAIReply returns the reply for evidence about an answer of the service.
func openAIReply(ev *taxonomy.Evidence) (Reply, bool) {
	switch {
	case ev.Err != nil || ev.Errno != "":
		return Reply{}, false
	case ev.Status >= http.StatusMultipleChoices && !ev.StatusDerived:
		text := ev.Text
		if text == "" {
			text = http.StatusText(ev.Status)
		}
		body := openAIError(ev.Type, ev.Code, ev.Attribute("param"), text)
		return Reply{Status: ev.Status, Body: body}.With("X-Request-Id", openAIRequestID), true
	case ev.Status != 0 && !ev.StatusDerived:
		return Reply{}, false
	}
	switch ev.Type {
	case "not_found", "start", "command_blocked", "skip_denied", "exit", "interrupted":
		return Reply{}, false
	case "tool_arguments":
		return OpenAITool("write_file", `{"path":"a.txt","content":"hel`), true
	case "length", "content_filter":
		return OpenAIFinish(ev.Type, "I will"), true
	case "stream":
		return OpenAITruncated("I will"), true
	case "":
		if ev.Code == "" {
			return plainReply(ev.Text)
		}
	}
	return OpenAIStreamError(ev.Type, ev.Code, ev.Text), true
}

var statusText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?:HTTP[/\d. ]{0,5})?([45]\d\d)\b[: ]*(.*)$`)
})

// plainReply returns the reply for a text that begins with a status, as a proxy sends it: the words
// behind the status without any form.
func plainReply(text string) (Reply, bool) {
	m := statusText().FindStringSubmatch(text)
	if m == nil {
		return Reply{}, false
	}
	status, _ := strconv.Atoi(m[1]) // three digits
	return Reply{Status: status, Body: m[2]}, true
}

// openAIHeaders adds the headers that say when to try again, and those that become attributes. It
// reports false for attributes in which a service has no say.
func openAIHeaders(r Reply, ev *taxonomy.Evidence) (Reply, bool) {
	for name, value := range ev.Attributes {
		switch {
		case name == "request-id" || name == "should-retry" || strings.HasPrefix(name, "ratelimit-"):
			r = r.With("X-"+name, value)
		case name == "param" || name == "host" || name == "provider":
		default:
			return Reply{}, false
		}
	}
	if d, ok := ev.RetryAfter.Get(); ok {
		r = r.With("Retry-After", strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
	}
	if !ev.ResetAt.IsZero() {
		r = r.With("X-Ratelimit-Reset", ev.ResetAt.UTC().Format(time.RFC3339))
	}
	return r, true
}
