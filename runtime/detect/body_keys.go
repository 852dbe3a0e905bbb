package detect

import (
	"encoding/json"
	"strings"
)

// keys fills everything but the text from an object that describes an error.
func (f *filler) keys(o object) {
	if o == nil {
		return
	}
	inner, listed := o.object("error"), o.object("errors")
	if inner != nil {
		f.own(inner)
		f.listed(inner.object("errors"))
		f.details(inner["details"])
	}
	f.own(o)
	f.listed(listed)
	if inner == nil {
		if word := o.text("error"); isIdentifier(word) || o.text("error_description") != "" {
			name(&f.ev.Code, word)
		}
	}
	f.attribute("request-id", o.text("request_id", "requestId"))
}

// own fills from the keys of an object itself.
func (f *filler) own(o object) {
	for _, key := range []string{"status", "statusCode", "status_code"} {
		if n, ok := o.number(key); ok {
			f.status(n, leastStatus)
		}
	}
	name(&f.ev.Code, o.text("code"))
	if n, ok := o.number("code"); ok && leastFailure <= n && n <= 599 {
		f.status(n, leastFailure)
	} else if ok {
		number(&f.ev.Code, int64(n))
	}
	if kind := o.text("type", "__type"); kind != "error" && kind != "about:blank" {
		name(&f.ev.Type, kind)
	}
	if status := o.text("status"); isCapitals(status) {
		name(&f.ev.Code, status)
	}
	f.attribute("param", o.text("param"))
	if d, ok := readSeconds(strings.Trim(string(o["retry_after"]), `"`)); ok {
		f.retryAfter(d)
	}
}

// listed fills from the first of several errors that an object lists, or of the details of one.
func (f *filler) listed(o object) {
	if o == nil {
		return
	}
	if kind := o.text("type"); kind != "" {
		name(&f.ev.Type, kind)
	}
	name(&f.ev.Type, o.text("reason"))
	name(&f.ev.Code, o.text("code"))
	name(&f.ev.Code, o.object("extensions").text("code"))
}

// details fills from the details of an error of Google's, of which each is of another kind.
func (f *filler) details(list json.RawMessage) {
	for _, detail := range objects(list) {
		name(&f.ev.Type, detail.text("reason"))
		if d, ok := readDuration(detail.text("retryDelay")); ok {
			f.retryAfter(d)
		}
	}
}

// message returns what an object says to people, or "".
func (o object) message() string {
	inner := o.object("error")
	if text := inner.text(messageKeys...); text != "" {
		return text
	}
	if text := o.text("message"); text != "" {
		return text
	}
	if title, detail := o.text("title"), o.text("detail"); title != "" && detail != "" {
		return title + ": " + detail
	}
	if text := o.text(messageKeys...); text != "" {
		return text
	}
	if text := o.object("errors").text(messageKeys...); text != "" {
		return text
	}
	return o.text("title", "error")
}

// messageKeys are where messages are, the usual one first.
var messageKeys = []string{"message", "detail", "error_description", "Message", "error_message", "msg"}

// isIdentifier reports whether s is a name of several small words, as codes are, and not a sentence
// or a word of prose.
func isIdentifier(s string) bool {
	return strings.Contains(s, "_") && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// isCapitals reports whether s is a name in capitals.
func isCapitals(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" &&
		strings.Trim(s, "0123456789") != ""
}
