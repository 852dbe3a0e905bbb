package taxonomy

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// Redacted is the text in place of a secret.
const Redacted = "[REDACTED]"

// Secret is a value that is masked in prints, logs and JSON. Only [Secret.Reveal] returns it. The
// zero Secret is absent.
type Secret[T any] struct {
	// v is a pointer because fmt prints unexported fields without calling their Format method. It
	// then prints an address.
	v *T
	// masked reports that a value was received as a mask.
	masked bool
}

// SecretOf returns a Secret that holds v.
func SecretOf[T any](v T) Secret[T] { return Secret[T]{v: &v} }

// Reveal returns the value and whether it is known. An absent or received secret is not known.
func (s Secret[T]) Reveal() (T, bool) {
	if s.v == nil {
		var none T
		return none, false
	}
	return *s.v, true
}

// IsZero reports whether the secret is absent.
func (s Secret[T]) IsZero() bool { return s.v == nil && !s.masked }

// String returns [Redacted], or "" if the secret is absent.
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

// MarshalJSON returns [Redacted] as a JSON string, or null if the secret is absent.
func (s Secret[T]) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + Redacted + `"`), nil
}

// UnmarshalJSON makes the secret present but not known, because the JSON contains a mask.
func (s *Secret[T]) UnmarshalJSON(b []byte) error {
	*s = Secret[T]{masked: string(b) != "null"}
	return nil
}

// Redact returns s with likely secrets masked: known kinds of keys and tokens, private keys,
// credentials in headers and URLs, and the values of keys such as password or api_key. It is for
// text of unknown origin that goes to a person or a log. It leaves prose readable, so it does not
// find every secret; SECURITY.md lists the limits. Redacting twice changes nothing. The time is
// linear.
func Redact(s string) string { return redact.Scrub(s) }

// IsSecretName reports whether the value of an attribute, a header or a field is a secret because
// of its name, such as "password", "X-Api-Key", "clientSecret", "smtp_pass", "Set-Cookie" or "dsn".
// Only the last word of the name counts, without a number at its end. A word begins after a byte
// that is neither a letter nor a digit, and at a capital after a small letter.
func IsSecretName(name string) bool {
	return redact.IsSecretKey(strings.TrimRight(name[max(0, len(name)-maxWord):], "-_. 0123456789"))
}
