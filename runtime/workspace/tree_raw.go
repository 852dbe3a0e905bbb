package workspace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// raw is a path or a name, which may be any bytes, as a text that JSON can hold.
type raw string

// MarshalText returns the text as it is if JSON can hold it, and in quotes otherwise.
func (r raw) MarshalText() ([]byte, error) {
	s := string(r)
	if utf8.ValidString(s) && !strings.HasPrefix(s, `"`) {
		return []byte(s), nil
	}
	return []byte(strconv.QuoteToASCII(s)), nil
}

// UnmarshalText reads what MarshalText has written.
func (r *raw) UnmarshalText(b []byte) error {
	s := string(b)
	if strings.HasPrefix(s, `"`) {
		unquoted, err := strconv.Unquote(s)
		if err != nil {
			return fmt.Errorf("read a quoted name: %w", err)
		}
		s = unquoted
	}
	*r = raw(s)
	return nil
}

// rawMap is a map by names, with names that JSON can hold.
type rawMap[V any] map[raw]V

// MarshalJSON writes the names as [raw.MarshalText] does. For keys of a map, JSON would not ask it.
func (m rawMap[V]) MarshalJSON() ([]byte, error) {
	out := make(map[string]V, len(m))
	for k, v := range m {
		text, err := k.MarshalText()
		if err != nil {
			return nil, err
		}
		out[string(text)] = v
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON has written.
func (m *rawMap[V]) UnmarshalJSON(b []byte) error {
	var in map[string]V
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*m = make(rawMap[V], len(in))
	for k, v := range in {
		var name raw
		if err := name.UnmarshalText([]byte(k)); err != nil {
			return err
		}
		(*m)[name] = v
	}
	return nil
}
