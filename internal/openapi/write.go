package openapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// object is an ordered mapping. Its values are objects, lists ([]any) and scalars.
type object []member

type member struct {
	key   string
	value any
}

// with returns the object with one more member, unless the text is empty.
func (o object) with(key, text string) object {
	if text == "" {
		return o
	}
	return append(o, member{key, text})
}

// plain matches texts that need no quotes in YAML, except yamlWords.
var plain = regexp.MustCompile(`^[A-Za-z$][A-Za-z0-9_$/+-]*$`)

// appendYAML appends the members of an object or the items of a list, one a line.
func appendYAML(b []byte, v any, indent string) []byte {
	line := func(lead string, v any) {
		b = append(append(b, indent...), lead...)
		switch empty, nested := nesting(v); {
		case !nested || empty:
			b = append(append(b, ' '), scalar(v)...)
			b = append(b, '\n')
		case lead == "-":
			// The first member follows the dash.
			text := appendYAML(nil, v, indent+"  ")
			b = append(append(b, ' '), text[len(indent)+2:]...)
		default:
			b = append(b, '\n')
			b = appendYAML(b, v, indent+"  ")
		}
	}
	switch v := v.(type) {
	case object:
		for _, m := range v {
			line(scalar(m.key)+":", m.value)
		}
	case []any:
		for _, item := range v {
			line("-", item)
		}
	}
	return b
}

var yamlWords = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true,
	"false": true, "null": true}

func nesting(v any) (empty, nested bool) {
	switch v := v.(type) {
	case object:
		return len(v) == 0, true
	case []any:
		return len(v) == 0, true
	}
	return false, false
}

// scalar returns a scalar, an empty list or an empty object as YAML. Except for plain texts, that
// is its JSON.
func scalar(v any) string {
	if s, ok := v.(string); ok && plain.MatchString(s) && !yamlWords[strings.ToLower(s)] {
		return s
	}
	return string(appendJSON(nil, v, ""))
}

// appendJSON appends a value as indented JSON.
func appendJSON(b []byte, v any, indent string) []byte {
	var open, end string
	var items []string
	deeper := indent + "  "
	switch v := v.(type) {
	case object:
		open, end = "{", "}"
		for _, m := range v {
			items = append(items, string(appendJSON(nil, m.key, ""))+": "+string(appendJSON(nil, m.value, deeper)))
		}
	case []any:
		open, end = "[", "]"
		for _, item := range v {
			items = append(items, string(appendJSON(nil, item, deeper)))
		}
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(fmt.Sprintf("openapi: %v", err)) // scalars always encode
		}
		return append(b, text...)
	}
	if len(items) == 0 {
		return append(b, open+end...)
	}
	return append(b, open+"\n"+deeper+strings.Join(items, ",\n"+deeper)+"\n"+indent+end...)
}

// helpURL returns the address of a code's page, as the runtime sends it.
func helpURL(m *model.Package, c *model.Code) string {
	return strings.ReplaceAll(m.HelpURL, "{code}", url.PathEscape(c.Value))
}
