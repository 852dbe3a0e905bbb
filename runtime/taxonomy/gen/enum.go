package gen

import (
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Enum returns v when it is one of an enum's count values, which are 1 to count, and otherwise
// none, 0.
func Enum[T ~uint8](v T, count T) T {
	if v > count {
		return 0
	}
	return v
}

// SomeEnum returns an optional enum that holds v; it is absent when v is none of the enum's count
// values.
func SomeEnum[T ~uint8](v T, count T) taxonomy.Opt[T] {
	if v-1 >= count {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// EnumWord returns the word of an enum's value, and "" for a value that is none.
func EnumWord(v uint8, words []string) string {
	if int(v)-1 < 0 || int(v) > len(words) {
		return ""
	}
	return words[v-1]
}

// MarshalEnum returns the word of a value of the named enum type; no value is an empty text, and a
// value that does not exist is an error.
//
//go:noinline
func MarshalEnum(v uint8, name string, words []string) ([]byte, error) {
	if int(v) > len(words) {
		return nil, fmt.Errorf("marshal %s: no value %d", name, v)
	}
	return []byte(EnumWord(v, words)), nil
}

// UnmarshalEnum returns the value that the word stands for in the named enum type; the empty word
// is no value.
//
//go:noinline
func UnmarshalEnum(word []byte, name string, words []string) (uint8, error) {
	if len(word) == 0 {
		return 0, nil
	}
	v := enumValue(string(word), words)
	if v == 0 {
		return 0, fmt.Errorf("unmarshal %s: unknown value %s", name, echo(string(word)))
	}
	return v, nil
}

func enumValue(word string, words []string) uint8 {
	for i, w := range words {
		if w == word {
			return uint8(i + 1)
		}
	}
	return 0
}
