package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Enum returns v if it is one of an enum's values, which are 1 to count, otherwise 0.
func Enum[T ~uint8](v T, count T) T {
	if v > count {
		return 0
	}
	return v
}

// SomeEnum returns v as an optional enum. It is absent if v is not one of the enum's count values.
func SomeEnum[T ~uint8](v T, count T) taxonomy.Opt[T] {
	if v-1 >= count {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// EnumWord returns the word of an enum's value, or "" if v is not a value of the enum.
func EnumWord(v uint8, words []string) string {
	if int(v)-1 < 0 || int(v) > len(words) {
		return ""
	}
	return words[v-1]
}

// MarshalEnum returns the word of a value of the named enum type. The zero value is an empty text,
// and an invalid value is an error.
func MarshalEnum(v uint8, name string, words []string) ([]byte, error) {
	if int(v) > len(words) {
		return nil, fmt.Errorf("marshal %s: no value %d", name, v)
	}
	return []byte(EnumWord(v, words)), nil
}

// UnmarshalEnum sets v to the value of a word in the named enum type. An empty word sets the zero
// value. An unknown word is an error and changes nothing.
func UnmarshalEnum[T ~uint8](word []byte, v *T, name string, words []string) error {
	i := slices.Index(words, string(word))
	if i < 0 && len(word) > 0 {
		return fmt.Errorf("unmarshal %s: unknown value %s", name, echo(string(word)))
	}
	*v = T(i + 1)
	return nil
}

// CloneStrings returns a copy of list; nil stays nil.
func CloneStrings(list []string) []string { return slices.Clone(list) }

// CloneObjects returns a copy of a list of objects. If clone is not nil, it copies each object. Nil
// stays nil.
func CloneObjects[T any](list []T, clone func(T) T) []T {
	list = slices.Clone(list)
	if clone != nil {
		for i := range list {
			list[i] = clone(list[i])
		}
	}
	return list
}

// CloneJSON returns a copy of raw in the form of the wire: compact, and as a JSON string if it is
// not valid JSON. Null becomes nil.
func CloneJSON(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return appendRaw(make([]byte, 0, len(raw)), raw)
}

// SecretJSON returns the result of [CloneJSON] as a secret.
//
//go:noinline
func SecretJSON(raw json.RawMessage) taxonomy.Secret[json.RawMessage] {
	return taxonomy.SecretOf(CloneJSON(raw))
}

// isNull reports whether raw is nil or null.
func isNull(raw []byte) bool { return raw == nil || string(bytes.TrimSpace(raw)) == "null" }

// Revealed returns the value of a secret. A secret that is absent or was masked has none.
func Revealed[T any](s taxonomy.Secret[T]) taxonomy.Opt[T] {
	if v, ok := s.Reveal(); ok {
		return taxonomy.Some(v)
	}
	return taxonomy.Opt[T]{}
}
