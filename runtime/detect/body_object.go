package detect

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is what is known of a JSON object: its values under [knownKeys], not read yet. They are
// parts of the text that they were found in. Of a key that is there twice the last value counts.
type object map[string]json.RawMessage

// knownKeys are all keys that anything is read from, so that an object costs what they hold and not
// what else is in it.
var knownKeys = [...]string{
	"error", "errors", "details", "extensions", "type", "__type", "code", "reason", "status", "statusCode",
	"status_code",
	"message", "detail", "error_description", "Message", "error_message", "msg", "title", "param", "request_id",
	"requestId",
	"retry_after", "retryDelay",
}

// maxListed is how many elements of a list are looked at.
const maxListed = 16

// readObject reads the object that b is or begins with; whole is false when something follows it.
// Without one it returns nothing.
func readObject(b []byte) (o object, whole bool) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return nil, false
	}
	if b[0] == '[' {
		if !json.Valid(b) {
			return nil, true
		}
		return firstObject(b), true
	}
	end := valueEnd(b, 0)
	if !json.Valid(b[:end]) {
		return nil, false
	}
	return members(b[:end]), end == len(b)
}

// object returns the object under a key, or the first in a list of them; nil when there is none.
func (o object) object(key string) object {
	raw := o[key]
	switch {
	case len(raw) == 0:
		return nil
	case raw[0] == '[':
		return firstObject(raw)
	case raw[0] == '{':
		return members(raw)
	}
	return nil
}

// members returns the object that valid JSON is.
func members(b []byte) object {
	o := object{}
	for i := next(b, 1); i < len(b) && b[i] == '"'; {
		end := valueEnd(b, i)
		key := b[i:end]
		from := next(b, end)
		i = valueEnd(b, from)
		if name, ok := knownKey(key); ok {
			o[name] = b[from:i:i]
		}
		i = next(b, i)
	}
	return o
}

// knownKey returns the key that a JSON string is, if it is a known one.
func knownKey(b []byte) (string, bool) {
	if len(b) > 8*maxNumber {
		return "", false
	}
	if bytes.IndexByte(b, '\\') >= 0 {
		var s string
		if json.Unmarshal(b, &s) != nil {
			return "", false
		}
		b = []byte(`"` + s + `"`)
	}
	i := slices.IndexFunc(knownKeys[:], func(key string) bool { return key == string(b[1:len(b)-1]) })
	if i < 0 {
		return "", false
	}
	return knownKeys[i], true
}

// objects returns the objects among the first few elements of a list in valid JSON.
func objects(list json.RawMessage) []object {
	if len(list) == 0 || list[0] != '[' {
		return nil
	}
	var found []object
	i := next(list, 1)
	for n := 0; n < maxListed && i < len(list) && list[i] != ']'; n++ {
		end := valueEnd(list, i)
		if list[i] == '{' {
			found = append(found, members(list[i:end]))
		}
		i = next(list, end)
	}
	return found
}

func firstObject(list json.RawMessage) object {
	if all := objects(list); len(all) > 0 {
		return all[0]
	}
	return nil
}

// next returns the index of the next byte, from i on, that neither is white space nor separates
// values.
func next(b []byte, i int) int {
	for i < len(b) && bytes.IndexByte([]byte(" \t\r\n,:"), b[i]) >= 0 {
		i++
	}
	return i
}

// valueEnd returns where the JSON value at i ends, or what is like one, or len(b). It finds the end
// of valid JSON, and looks at no byte twice.
func valueEnd(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		default:
			if i++; depth == 0 {
				i = wordEnd(b, i)
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return len(b)
}

// stringEnd returns the index behind the quote that ends the JSON string at i, or len(b).
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// wordEnd returns where a number or a word such as null, of which i is a part, ends.
func wordEnd(b []byte, i int) int {
	for i < len(b) && bytes.IndexByte([]byte(" \t\r\n,:]}"), b[i]) < 0 {
		i++
	}
	return i
}
