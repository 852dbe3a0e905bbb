package detect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxObject bounds in bytes the JSON that is decoded.
	maxObject = 128 << 10
	// maxListed bounds how many elements of a list are read.
	maxListed = 16
)

// Body fills what ev lacks from the body of an error response. It reads the forms of Anthropic,
// OpenAI, GitHub, Google, GraphQL, OAuth, RFC 9457 and similar ones: an object, or a list whose
// first element is one, that holds
//
//   - type, code and message, directly, in an object under "error", or in the first object under
//     "errors";
//   - a status as a number, also in a text, under "status", "statusCode" or, if it is from 400 to
//     599, "code"; a status that is a word, such as RESOURCE_EXHAUSTED, is a code;
//   - a text under "message", "detail" or "error_description", or as the value of "error".
//
// Text becomes the message, or the last MiB of the body if it has no message. A body of more than
// 128 KiB, and one that is not complete, gives only its text. The attributes request-id and param
// are filled, too.
func Body(ev *taxonomy.Evidence, body []byte) {
	b, kind, code := builder{ev: ev}, ev.Type, ev.Code
	body = bytes.TrimSpace(body)
	if len(body) <= maxObject {
		o, complete := readObject(body)
		if message := b.object(o); complete {
			set(&ev.Text, message)
		}
	}
	// The status or the exit code of other evidence shows that its code is from a response or a process.
	isOther := ev.Status != 0 || !ev.ExitCode.IsZero() || ev.Signal != "" || ev.Err != nil
	ev.CodeDerived = ev.CodeDerived || !isOther && (ev.Type != kind || ev.Code != code)
	b.text(body)
}

// SetText fills ev from the text of a failed process. It is [Body] for JSON, unless the process
// exited with status 0, and it keeps the white space of other texts. If the text alone has a wait,
// the wait becomes RetryAfter; see [RetryHint].
func SetText(ev *taxonomy.Evidence, text []byte) {
	if code, exited := ev.ExitCode.Get(); exited && code == 0 {
		ev.Text = string(text)
		return
	}
	Body(ev, text)
	if ev.Text == strings.TrimSpace(string(text)) {
		ev.Text = string(text) // the indentation of a line can matter
	}
	SetWait(ev)
}

// object is a decoded JSON object.
type object map[string]any

// messageKeys are the keys of messages, the usual one first.
var messageKeys = []string{"message", "detail", "error_description", "Message", "error_message", "msg"}

// readObject decodes the object that b begins with, or the first one of the list that b begins
// with. complete is false if anything follows. Without an object it returns nil.
func readObject(b []byte) (o object, complete bool) {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return nil, false
	}
	var v any
	complete = json.Unmarshal(b, &v) == nil
	if !complete && json.NewDecoder(bytes.NewReader(b)).Decode(&v) != nil {
		return nil, false
	}
	for _, o := range objects(v) {
		return o, complete
	}
	return nil, complete
}

// objects returns an object, or the objects among the first few elements of a list.
func objects(v any) (all []object) {
	switch x := v.(type) {
	case map[string]any:
		return []object{x}
	case []any:
		for _, e := range x[:min(len(x), maxListed)] {
			if o, ok := e.(map[string]any); ok {
				all = append(all, o)
			}
		}
	}
	return all
}

// object returns the object under a key, or the first one of a list there.
func (o object) object(key string) object {
	for _, first := range objects(o[key]) {
		return first
	}
	return nil
}

// text returns the first text under one of the keys, without white space around it.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		if s, ok := o[key].(string); ok {
			if s = strings.TrimSpace(s); s != "" {
				return s
			}
		}
	}
	return ""
}

// number returns the number under a key in digits, also if it is written as a text.
func (o object) number(key string) string {
	if n, ok := o[key].(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return o.text(key)
}

// message returns the text for people, or "". Inner is the object under "error", listed the first
// one under "errors".
func (o object) message(inner, listed object) string {
	if text := inner.text(messageKeys...); text != "" {
		return text
	}
	if text := o.text("message"); text != "" {
		return text
	}
	if title, detail := o.text("title"), o.text("detail"); title != "" && detail != "" {
		return title + ": " + detail
	}
	return cmp.Or(o.text(messageKeys...), listed.text(messageKeys...), o.text("title", "error"))
}

// object fills everything but the text from an object that describes an error, and returns its text
// for people.
func (b *builder) object(o object) (message string) {
	inner, listed := o.object("error"), o.object("errors")
	if inner != nil {
		b.members(inner)
		b.listed(inner.object("errors"))
		quotas := ""
		for _, detail := range objects(inner["details"]) { // Google's, each of another kind
			setName(&b.ev.Type, detail.text("reason"))
			quotas += detail.object("metadata").text("quota_limit")
			for _, violation := range objects(detail["violations"]) {
				quotas += violation.text("quotaId")
			}
			if d, ok := readDuration(detail.text("retryDelay")); ok {
				b.retryAfter(d)
			}
		}
		b.quota(quotas)
	}
	b.members(o)
	b.listed(listed)
	if word := o.text("error"); inner == nil && (isIdentifier(word) || o.text("error_description") != "") {
		setName(&b.ev.Code, word)
	}
	b.attribute("request-id", o.text("request_id", "requestId"))
	return o.message(inner, listed)
}

// quota sets the attribute quota-period from the identifiers of quotas, such as
// GenerateRequestsPerMinutePerProjectPerModel. A daily quota takes precedence over one per minute.
func (b *builder) quota(ids string) {
	switch ids = strings.ToLower(ids); {
	case strings.Contains(ids, "perday"):
		b.attribute("quota-period", "day")
	case strings.Contains(ids, "perminute"):
		b.attribute("quota-period", "minute")
	}
}

// members fills from the keys of one object.
func (b *builder) members(o object) {
	for _, key := range [...]string{"status", "statusCode", "status_code"} {
		if n, err := strconv.Atoi(o.number(key)); err == nil {
			b.status(n, minStatus)
		}
	}
	setName(&b.ev.Code, o.text("code"))
	if n, err := strconv.Atoi(o.number("code")); err == nil && minFailure <= n && n <= maxStatus {
		b.status(n, minFailure)
	} else if err == nil {
		setNumber(&b.ev.Code, int64(n))
	}
	if kind := o.text("type", "__type"); kind != "error" && kind != "about:blank" {
		setName(&b.ev.Type, kind)
	}
	if status := o.text("status"); isCapitals(status) {
		setName(&b.ev.Code, status)
	}
	b.attribute("param", o.text("param"))
	if d, ok := readNumber(o.number("retry_after"), time.Second); ok {
		b.retryAfter(d)
	}
	for _, key := range [...]string{"resets_in_seconds", "resets_at", "reset_at"} {
		value := o.number(key)
		if at, ok := readInstant(value); ok {
			b.resetAt(at)
			b.attribute("ratelimit-reset", value)
		} else if d, ok := readNumber(value, time.Second); ok {
			b.retryAfter(d)
			b.attribute("ratelimit-reset", value)
		}
	}
}

// listed fills from the first of the errors that an object lists.
func (b *builder) listed(o object) {
	setName(&b.ev.Type, o.text("type"))
	setName(&b.ev.Type, o.text("reason"))
	setName(&b.ev.Code, o.text("code"))
	setName(&b.ev.Code, o.object("extensions").text("code"))
}

// isIdentifier reports whether s is a name of several lower-case words, as codes are, and not
// prose.
func isIdentifier(s string) bool {
	return strings.Contains(s, "_") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// isCapitals reports whether s is a name in capitals.
func isCapitals(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" &&
		strings.Trim(s, "0123456789") != ""
}
