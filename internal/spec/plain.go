package spec

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Plain returns a file as a JSON Schema validator sees it: maps, lists, text, truth values and
// [json.Number]. It fails where a file has no such form: bad YAML, keys that are no text or given
// twice, what the language does not take from YAML.
func Plain(src []byte) (any, error) {
	r := &reader{}
	root := r.read(src)
	if len(r.out) > 0 {
		return nil, errors.New("read taxonomy: " + r.out[0].Message)
	}
	if root == nil {
		return nil, nil
	}
	return root.plain(), nil
}

func (n *node) plain() any {
	switch n.kind {
	case listNode:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.plain()
		}
		return out
	case mappingNode:
		out := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			out[e.key.value] = e.value.plain()
		}
		if n.lonely != nil {
			out[n.lonely.value] = nil
		}
		return out
	}
	return n.plainScalar()
}

func (n *node) plainScalar() any {
	switch n.literal {
	case LitNull:
		return nil
	case LitBool:
		return n.value[0] == 't' || n.value[0] == 'T'
	case LitInt, LitFloat:
		if f, err := strconv.ParseFloat(n.value, 64); err == nil {
			return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
		}
		return json.Number("0") // hexadecimal, infinite: some number
	}
	return n.value
}
