package gen

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// The functions of this file fill the fields of errors from evidence.
// A text that is empty, or that cannot be read as the type of the field, fills nothing.

// NonZero returns v, or nothing if it is the zero value.
func NonZero[T comparable](v T) taxonomy.Opt[T] {
	var zero T
	if v == zero {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// Instant returns t, or nothing if it is the zero time.
func Instant(t time.Time) taxonomy.Opt[time.Time] {
	if t.IsZero() {
		return taxonomy.Opt[time.Time]{}
	}
	return taxonomy.Some(t)
}

// Widen returns n as an int64.
func Widen(n taxonomy.Opt[int]) taxonomy.Opt[int64] {
	v, ok := n.Get()
	if !ok {
		return taxonomy.Opt[int64]{}
	}
	return taxonomy.Some(int64(v))
}

// Digits returns n as a text, in decimal.
func Digits(n taxonomy.Opt[int]) taxonomy.Opt[string] {
	v, ok := n.Get()
	if !ok {
		return taxonomy.Opt[string]{}
	}
	return taxonomy.Some(strconv.Itoa(v))
}

// ReadInt reads a decimal number.
func ReadInt(text string) taxonomy.Opt[int] { return optional(strconv.Atoi(text)) }

// ReadInt64 reads a decimal number.
func ReadInt64(text string) taxonomy.Opt[int64] { return optional(strconv.ParseInt(text, 10, 64)) }

// ReadUint64 reads a decimal number that is not negative.
func ReadUint64(text string) taxonomy.Opt[uint64] { return optional(strconv.ParseUint(text, 10, 64)) }

// ReadFloat64 reads a finite number.
func ReadFloat64(text string) taxonomy.Opt[float64] {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return taxonomy.Opt[float64]{}
	}
	return taxonomy.Some(v)
}

// ReadBool reads true, false and the other texts of [strconv.ParseBool].
func ReadBool(text string) taxonomy.Opt[bool] { return optional(strconv.ParseBool(text)) }

// ReadDuration reads a duration as it is on the wire: "1m30s".
func ReadDuration(text string) taxonomy.Opt[time.Duration] { return optional(time.ParseDuration(text)) }

// ReadTime reads a time in the form of RFC 3339, and returns it in UTC.
func ReadTime(text string) taxonomy.Opt[time.Time] {
	v, err := time.Parse(time.RFC3339Nano, text)
	return optional(v.UTC(), err)
}

// ReadWord reads one of an enum's words. The value is the place of the word in words, from 1.
func ReadWord[T ~uint8](text string, words []string) taxonomy.Opt[T] {
	i := slices.Index(words, text)
	if i < 0 || text == "" {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(T(i + 1))
}

// ReadStrings returns a copy of a list, or nil if it is empty.
func ReadStrings(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// ReadJSON returns text as compact JSON, or nil if it is null or invalid.
func ReadJSON(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	return CloneJSON(json.RawMessage(text))
}

// First returns the first of the values that is present.
func First[T any](values ...taxonomy.Opt[T]) taxonomy.Opt[T] {
	for _, v := range values {
		if !v.IsZero() {
			return v
		}
	}
	return taxonomy.Opt[T]{}
}

// FirstList returns the first of the lists, or of the JSON texts, that is not nil.
func FirstList[S ~[]E, E any](lists ...S) S {
	for _, list := range lists {
		if list != nil {
			return list
		}
	}
	return nil
}

// SomeIf returns v if ok is true, or else nothing.
func SomeIf[T any](ok bool, v T) taxonomy.Opt[T] {
	if !ok {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// Seal returns a value as a secret.
func Seal[T any](value taxonomy.Opt[T]) taxonomy.Secret[T] {
	v, ok := value.Get()
	if !ok {
		return taxonomy.Secret[T]{}
	}
	return taxonomy.SecretOf(v)
}

// SealList returns a list, or a JSON text, as a secret; nil is an absent secret.
func SealList[S ~[]E, E any](list S) taxonomy.Secret[S] {
	if list == nil {
		return taxonomy.Secret[S]{}
	}
	return taxonomy.SecretOf(list)
}

func optional[T any](v T, err error) taxonomy.Opt[T] {
	if err != nil {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// Filled returns the context that evidence gives an error with the described fields, by their wire
// names, and whether evidence has a value for any of them. It reads exactly as generated code does,
// which is spelled out because that takes half the time. A default is a json.RawMessage, and an
// object is a map. The other values are those of [Read]. Fields without a value are absent.
func Filled(fields []taxonomy.Field, ev *taxonomy.Evidence) (context map[string]any, found bool) {
	context = map[string]any{}
	for i := range fields {
		f := &fields[i]
		if f.Type == "object" {
			inner, ok := Filled(f.Fields, ev)
			if ok || f.Required {
				context[f.Name], found = inner, found || ok
			}
		} else if v, ok := Read(f, ev); ok {
			context[f.Name], found = v, true
		} else if f.Default != "" {
			context[f.Name] = json.RawMessage(f.Default)
		}
	}
	return context, found
}

// Read returns the first value that evidence has for a field, which is no object. The value has the
// Go type of the field, but an enum is its word.
func Read(f *taxonomy.Field, ev *taxonomy.Evidence) (any, bool) {
	for _, from := range f.From {
		if v, ok := readKey(f, ev, from); ok {
			return v, true
		}
	}
	return nil, false
}

// readKey returns the value under one key of evidence for a field.
func readKey(f *taxonomy.Field, ev *taxonomy.Evidence, from string) (any, bool) {
	switch from {
	case "status":
		return numberAs(NonZero(ev.Status), f.Type)
	case "exit_code":
		return numberAs(ev.ExitCode, f.Type)
	case "files":
		return valueIf(ReadStrings(ev.Files), f.Type == "strings" && len(ev.Files) > 0)
	case "retry_after":
		return valueOf(ev.RetryAfter, f.Type == "duration")
	case "reset_at":
		return valueOf(Instant(ev.ResetAt), f.Type == "time")
	}
	text := ""
	if name, ok := strings.CutPrefix(from, "attributes."); ok {
		text = ev.Attribute(name)
	} else if p := TextField(ev, from); p != nil {
		text = *p
	}
	if f.Type == "enum" {
		return valueIf(text, text != "" && slices.Contains(f.Enum, text))
	}
	if read := readers[f.Type]; read != nil && text != "" {
		return read(text)
	}
	return nil, false
}

// TextField returns the text of evidence under a key, as the taxonomy names it, or nil.
func TextField(ev *taxonomy.Evidence, key string) *string {
	return map[string]*string{
		"source": &ev.Source, "op": &ev.Op, "type": &ev.Type, "code": &ev.Code, "signal": &ev.Signal,
		"errno": &ev.Errno, "text": &ev.Text, "output": &ev.Output, "credential": &ev.Credential,
	}[key]
}

// numberAs returns a number of evidence as a value of a field's type.
func numberAs(n taxonomy.Opt[int], typ string) (any, bool) {
	if typ != "int" && typ != "int64" && typ != "string" || n.IsZero() {
		return nil, false
	}
	return readers[typ](strconv.Itoa(n.Or(0)))
}

// readers read a text as a value of a field's type.
var readers = map[string]func(text string) (any, bool){
	"string":   func(text string) (any, bool) { return text, true },
	"int":      reader(ReadInt),
	"int64":    reader(ReadInt64),
	"uint64":   reader(ReadUint64),
	"float64":  reader(ReadFloat64),
	"bool":     reader(ReadBool),
	"duration": reader(ReadDuration),
	"time":     reader(ReadTime),
	"json": func(text string) (any, bool) {
		raw := ReadJSON(text)
		return valueIf(raw, raw != nil)
	},
}

func reader[T any](read func(string) taxonomy.Opt[T]) func(string) (any, bool) {
	return func(text string) (any, bool) { return valueOf(read(text), true) }
}

func valueOf[T any](v taxonomy.Opt[T], fits bool) (any, bool) {
	value, ok := v.Get()
	return valueIf(value, ok && fits)
}

func valueIf[T any](v T, ok bool) (any, bool) {
	if !ok {
		return nil, false
	}
	return v, true
}
