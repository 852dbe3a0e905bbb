package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"
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

// MarshalJSON returns the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m.key, value)
	}
	return fmt.Appendf(nil, "{%s}", b.Bytes()), nil
}

// appendJSON appends a document as indented JSON.
func appendJSON(b []byte, doc object) []byte {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("openapi: %v", err)) // scalars always encode
	}
	return append(append(b, text...), '\n')
}

// appendYAML appends a document as YAML, one member or item a line.
func appendYAML(b []byte, doc object) []byte {
	out := bytes.NewBuffer(b)
	encode(out, doc, 2)
	return out.Bytes()
}

// encode writes a document as YAML, one member or item a line.
func encode(out *bytes.Buffer, doc object, indent int) {
	var n yaml.Node
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(indent)
	if err := yaml.Unmarshal(appendJSON(nil, doc), &n); err != nil {
		panic(fmt.Sprintf("openapi: %v", err)) // JSON is YAML
	}
	unquote(&n)
	if err := encoder.Encode(&n); err != nil {
		panic(fmt.Sprintf("openapi: %v", err))
	}
}

// unquote removes the quotes that YAML does not need, and the braces.
func unquote(n *yaml.Node) {
	plain, _ := yaml.Marshal(n.Value) // a text always encodes
	if n.Kind != yaml.ScalarNode || string(plain) == n.Value+"\n" {
		n.Style = 0
	}
	for _, child := range n.Content {
		unquote(child)
	}
}
