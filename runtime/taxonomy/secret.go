package taxonomy

import (
	"fmt"
	"log/slog"
)

// Redacted stands wherever a secret is not shown.
const Redacted = "[REDACTED]"

// Secret is a value that no print, log or JSON shows; only [Secret.Reveal] does. The zero Secret is
// absent.
type Secret[T any] struct {
	// v is a pointer because fmt looks into unexported fields without asking their Format; an
	// address is all that it finds.
	v *T
	// masked tells that there was a value, which came off the wire as a mask.
	masked bool
}

// SecretOf returns a Secret that holds v.
func SecretOf[T any](v T) Secret[T] { return Secret[T]{v: &v} }

// Reveal returns the value and whether it is known. It is not known when it is absent or came off
// the wire.
func (s Secret[T]) Reveal() (T, bool) {
	if s.v == nil {
		var none T
		return none, false
	}
	return *s.v, true
}

// IsZero reports whether the secret is absent.
func (s Secret[T]) IsZero() bool { return s.v == nil && !s.masked }

// String returns [Redacted], or "" when the secret is absent.
func (s Secret[T]) String() string {
	if s.IsZero() {
		return ""
	}
	return Redacted
}

// GoString hides the value from %#v.
func (s Secret[T]) GoString() string { return "taxonomy.Secret{" + s.String() + "}" }

// Format hides the value from every verb.
func (s Secret[T]) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// LogValue hides the value from logs.
func (s Secret[T]) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON returns [Redacted] as a JSON string, or null when the secret is absent.
func (s Secret[T]) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + Redacted + `"`), nil
}

// UnmarshalJSON notes that there was a secret; what was sent is not kept, because it is a mask.
func (s *Secret[T]) UnmarshalJSON(b []byte) error {
	*s = Secret[T]{masked: string(b) != "null"}
	return nil
}
