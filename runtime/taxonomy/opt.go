package taxonomy

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Opt is a value that may be absent. The zero Opt is absent, which differs from a zero T.
type Opt[T any] struct {
	v  T
	ok bool
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{v: v, ok: true} }

// Get returns the value and whether it is present.
func (o Opt[T]) Get() (T, bool) { return o.v, o.ok }

// Or returns the value, or def if it is absent.
func (o Opt[T]) Or(def T) T {
	if o.ok {
		return o.v
	}
	return def
}

// Present makes the value present and returns a pointer to it. Only decoders of generated errors
// call it.
func (o *Opt[T]) Present() any {
	o.ok = true
	return &o.v
}

// IsZero reports whether the value is absent. It serves `omitzero` in struct tags.
func (o Opt[T]) IsZero() bool { return !o.ok }

// Format prints the value with its own format, so that a [Secret] stays masked, or <absent>.
func (o Opt[T]) Format(f fmt.State, verb rune) {
	if !o.ok {
		_, _ = io.WriteString(f, "<absent>")
		return
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), o.v)
}

// LogValue returns the value for slog. An absent value is null.
func (o Opt[T]) LogValue() slog.Value {
	if !o.ok {
		return slog.AnyValue(nil)
	}
	return slog.AnyValue(o.v)
}

// MarshalJSON returns the value as JSON, or null if it is absent.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.ok {
		return []byte("null"), nil
	}
	return json.Marshal(o.v)
}

// UnmarshalJSON reads the value; null makes it absent.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = Opt[T]{}
		return nil
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*o = Some(v)
	return nil
}
