package gen

import (
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// LogBuilder builds the log value of an error: what its JSON says, as slog attributes, secrets
// masked.
type LogBuilder struct {
	// attrs are those of the error, then those of its context.
	attrs []slog.Attr
	// context is the index of the attribute that the context goes to.
	context int
	// start is where the attributes of the innermost open group begin.
	start int
}

// Log begins the log value of e, an error of the category; the calls up to Value add its context.
//
//go:noinline
func Log(e taxonomy.Error, category int) LogBuilder {
	t := e.Taxonomy()
	c := &t.Categories[category]
	code, traits := lookup(e, t)
	attrs := make([]slog.Attr, 0, 8+len(c.Fields))
	if t.Domain != "" {
		attrs = append(attrs, slog.String("domain", t.Domain))
	}
	attrs = append(attrs,
		slog.String("name", c.Type),
		slog.String("category", c.Name),
		slog.String("code", code),
		slog.String("message", e.Error()),
		slog.Bool("retryable", traits.Retryable),
		slog.Attr{Key: "context"})
	context := len(attrs) - 1
	if cause := e.Unwrap(); cause != nil {
		attrs = append(attrs, slog.Attr{Key: "cause", Value: causeValue(cause)})
	}
	return LogBuilder{attrs: attrs, context: context, start: len(attrs)}
}

// Value ends the context and returns the log value.
//
//go:noinline
func (l LogBuilder) Value() slog.Value {
	l.attrs[l.context].Value = slog.GroupValue(l.attrs[l.start:]...)
	return slog.GroupValue(l.attrs[:l.start:l.start]...)
}

// Begin opens a group as the value of key; the calls up to End are about it.
//
//go:noinline
func (l LogBuilder) Begin(key string) LogBuilder {
	l.attrs = append(l.attrs, slog.Int(key, l.start))
	l.start = len(l.attrs)
	return l
}

// End closes the group that the last Begin opened.
//
//go:noinline
func (l LogBuilder) End() LogBuilder {
	head := &l.attrs[l.start-1]
	group := slices.Clone(l.attrs[l.start:])
	l.attrs = l.attrs[:l.start]
	l.start = int(head.Value.Int64())
	head.Value = slog.GroupValue(group...)
	return l
}

func (l LogBuilder) add(key string, v slog.Value) LogBuilder {
	l.attrs = append(l.attrs, slog.Attr{Key: key, Value: v})
	return l
}

// String adds a text as it is.
//
//go:noinline
func (l LogBuilder) String(key, s string) LogBuilder { return l.add(key, slog.StringValue(s)) }

// Clean adds a cleaned text.
//
//go:noinline
func (l LogBuilder) Clean(key, s string, c Clean) LogBuilder {
	return l.add(key, slog.StringValue(c.Text(s)))
}

// Enum adds the word of an enum, which may be empty.
//
//go:noinline
func (l LogBuilder) Enum(key, word string) LogBuilder { return l.String(key, word) }

// OptEnum adds the word of an enum; the empty word is left out.
//
//go:noinline
func (l LogBuilder) OptEnum(key, word string) LogBuilder {
	if word == "" {
		return l
	}
	return l.String(key, word)
}

// Secret adds the mask of a secret that is present, and an empty text for one that is absent.
//
//go:noinline
func (l LogBuilder) Secret(key string, present bool) LogBuilder {
	if !present {
		return l.String(key, "")
	}
	return l.String(key, taxonomy.Redacted)
}

// OptSecret adds the mask of a secret that is present; one that is absent is left out.
//
//go:noinline
func (l LogBuilder) OptSecret(key string, present bool) LogBuilder {
	if !present {
		return l
	}
	return l.Secret(key, true)
}

// Int adds an integer.
//
//go:noinline
func (l LogBuilder) Int(key string, n int) LogBuilder { return l.add(key, slog.IntValue(n)) }

// Int64 adds an integer.
//
//go:noinline
func (l LogBuilder) Int64(key string, n int64) LogBuilder { return l.add(key, slog.Int64Value(n)) }

// Uint64 adds an integer.
//
//go:noinline
func (l LogBuilder) Uint64(key string, n uint64) LogBuilder { return l.add(key, slog.Uint64Value(n)) }

// Float64 adds a number; what JSON cannot say (infinities, not a number) is added as text.
//
//go:noinline
func (l LogBuilder) Float64(key string, f float64) LogBuilder {
	switch {
	case math.IsNaN(f):
		return l.String(key, "NaN")
	case math.IsInf(f, 1):
		return l.String(key, "+Inf")
	case math.IsInf(f, -1):
		return l.String(key, "-Inf")
	}
	return l.add(key, slog.Float64Value(f))
}

// Bool adds true or false.
//
//go:noinline
func (l LogBuilder) Bool(key string, v bool) LogBuilder { return l.add(key, slog.BoolValue(v)) }

// Duration adds a duration.
//
//go:noinline
func (l LogBuilder) Duration(key string, d time.Duration) LogBuilder {
	return l.add(key, slog.DurationValue(d))
}

// Time adds an instant, in UTC; a year that RFC 3339 cannot say makes it null.
//
//go:noinline
func (l LogBuilder) Time(key string, t time.Time) LogBuilder {
	t = t.UTC()
	if !sayable(t) {
		return l.add(key, slog.AnyValue(nil))
	}
	return l.add(key, slog.TimeValue(t))
}

// Strings adds a list, each element cleaned.
//
//go:noinline
func (l LogBuilder) Strings(key string, list []string, c Clean) LogBuilder {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = c.Text(s)
	}
	return l.add(key, slog.AnyValue(shown))
}

// OptStrings adds a list as Strings does; nil is left out.
//
//go:noinline
func (l LogBuilder) OptStrings(key string, list []string, c Clean) LogBuilder {
	if list == nil {
		return l
	}
	return l.Strings(key, list, c)
}

// JSON adds a JSON value; nil is null, and what is not valid JSON becomes a string.
//
//go:noinline
func (l LogBuilder) JSON(key string, raw []byte) LogBuilder {
	if isNull(raw) {
		return l.add(key, slog.AnyValue(nil))
	}
	return l.add(key, slog.AnyValue(json.RawMessage(appendRaw(nil, raw))))
}

// OptJSON adds a JSON value as JSON does; null is left out.
//
//go:noinline
func (l LogBuilder) OptJSON(key string, raw []byte) LogBuilder {
	if isNull(raw) {
		return l
	}
	return l.JSON(key, raw)
}
