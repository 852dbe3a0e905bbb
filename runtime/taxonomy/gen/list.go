package gen

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// CloneStrings returns a copy of list; nil stays nil.
func CloneStrings(list []string) []string { return slices.Clone(list) }

// CloneObjects returns a copy of a list of objects, each as keep returns it; nil stays nil.
func CloneObjects[T any](list []T, keep func(T) T) []T {
	list = slices.Clone(list)
	if keep != nil {
		for i := range list {
			list[i] = keep(list[i])
		}
	}
	return list
}

// CloneJSON returns a copy of raw in the form in which it goes on the wire: compact, and as a JSON
// string if it is not valid JSON. Null is nil.
//
//go:noinline
func CloneJSON(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return appendRaw(make([]byte, 0, len(raw)), raw)
}

// SecretJSON returns what [CloneJSON] returns, as a secret.
//
//go:noinline
func SecretJSON(raw json.RawMessage) taxonomy.Secret[json.RawMessage] {
	return taxonomy.SecretOf(CloneJSON(raw))
}

// isNull reports whether raw is absent.
func isNull(raw []byte) bool {
	return raw == nil || string(bytes.TrimSpace(raw)) == "null"
}

// Revealed returns the value of a secret, if it is known.
func Revealed[T any](s taxonomy.Secret[T]) taxonomy.Opt[T] {
	if v, ok := s.Reveal(); ok {
		return taxonomy.Some(v)
	}
	return taxonomy.Opt[T]{}
}
