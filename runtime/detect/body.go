package detect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Body fills what ev lacks from the body of an error response. It knows the forms of Anthropic,
// OpenAI, GitHub, Google, GraphQL, OAuth, RFC 9457 and what is like them: an object, or a list
// whose first element is one, that holds
//
//   - type, code and message, itself or in an object under "error", or in the first object under
//     "errors";
//   - a status as a number, also in a text, under "status", "statusCode" or, if it is from 400 to
//     599, "code"; a status that is a word, such as RESOURCE_EXHAUSTED, is a code;
//   - what is asked to be read under "message", "detail" or "error_description", or as the text
//     that "error" is.
//
// Text becomes the message; without one it is the body itself, its last MiB. From a body of more
// than a MiB, or one that is not whole, nothing but the text is taken. The attributes request-id
// and param are filled, too.
func Body(ev *taxonomy.Evidence, body []byte) {
	f := filler{ev: ev}
	if len(body) > maxBody {
		f.text(body)
		return
	}
	o, whole := readObject(body)
	f.keys(o)
	if text := o.message(); text != "" && whole {
		set(&ev.Text, text)
		return
	}
	f.text(body)
}

// text fills the text with the end of the body.
func (f *filler) text(body []byte) {
	if f.ev.Text == "" {
		f.ev.Text = endOf(bytes.TrimSpace(body))
	}
}

// text returns the first text under one of the keys, trimmed, or "".
func (o object) text(keys ...string) string {
	for _, key := range keys {
		var s string
		if raw := o[key]; len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
			if s = strings.TrimSpace(s); s != "" {
				return s
			}
		}
	}
	return ""
}

// maxNumber bounds in bytes what is read as a number.
const maxNumber = 64

// number returns the whole number under a key, also one that is written as a text.
func (o object) number(key string) (int, bool) {
	raw := o[key]
	if len(raw) > maxNumber {
		return 0, false
	}
	n, err := strconv.Atoi(strings.Trim(string(raw), `"`))
	return n, err == nil
}
