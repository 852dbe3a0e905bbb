package model

import (
	"encoding/json"
	"strings"
	"time"
)

// SetJSON returns the values of fields as JSON; "" without any.
func SetJSON(set []FieldValue) string {
	if len(set) == 0 {
		return ""
	}
	parts := make([]string, len(set))
	for i, s := range set {
		parts[i] = marshal(s.Field.Wire) + ":" + s.Value.JSON()
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Any returns the Go value of a constant; nil for none.
func (v *Value) Any() any {
	if v == nil {
		return nil
	}
	switch v.Type {
	case Int:
		return int(v.Int)
	case Float64:
		return v.Float
	case Bool:
		return v.Bool
	}
	return v.Str
}

// JSON returns the value as the taxonomy's own JSON has it: secrets are not masked.
func (v Value) JSON() string {
	switch v.Type {
	case Int, Int64:
		return marshal(v.Int)
	case Uint64:
		return marshal(v.Uint)
	case Float64:
		return marshal(v.Float)
	case Bool:
		return marshal(v.Bool)
	case Duration:
		return marshal(v.Duration.String())
	case Time:
		return marshal(v.Time.UTC().Format(time.RFC3339Nano))
	case Strings:
		return marshal(v.Strings)
	case JSON:
		return v.Str
	default:
		return marshal(v.Str)
	}
}

func marshal(v any) string {
	b, _ := json.Marshal(v) // such values cannot fail
	return string(b)
}
