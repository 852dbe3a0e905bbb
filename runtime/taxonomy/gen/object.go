package gen

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// ObjectBuilder builds a JSON object. A value that is absent is left out. Keys are written
// unchanged and must need no escaping, which holds for every wire name of a taxonomy.
type ObjectBuilder struct{ b []byte }

// Object begins an object at the end of dst.
func Object(dst []byte) ObjectBuilder { return ObjectBuilder{append(dst, '{')} }

// Close ends the object and returns the buffer.
func (o ObjectBuilder) Close() []byte { return append(o.b, '}') }

// Begin opens an object as the value of key; the calls up to End write its fields.
//
//go:noinline
func (o ObjectBuilder) Begin(key string) ObjectBuilder {
	o.b = append(appendKey(o.b, key), '{')
	return o
}

// End closes the object that the last Begin opened.
func (o ObjectBuilder) End() ObjectBuilder {
	o.b = append(o.b, '}')
	return o
}

// Null writes null.
//
//go:noinline
func (o ObjectBuilder) Null(key string) ObjectBuilder {
	o.b = append(appendKey(o.b, key), "null"...)
	return o
}

// text writes a text that is always present.
func (o ObjectBuilder) text(key, s string) ObjectBuilder {
	o.b = appendString(appendKey(o.b, key), s)
	return o
}

// String writes a text unchanged.
func (o ObjectBuilder) String(key string, opt taxonomy.Opt[string]) ObjectBuilder {
	if s, ok := opt.Get(); ok {
		o.b = appendString(appendKey(o.b, key), s)
	}
	return o
}

// Clean writes a cleaned text.
func (o ObjectBuilder) Clean(key string, opt taxonomy.Opt[string], c Clean) ObjectBuilder {
	if s, ok := opt.Get(); ok {
		o.b = appendClean(appendKey(o.b, key), s, c)
	}
	return o
}

// Enum writes the word of an enum; the empty word is null.
func (o ObjectBuilder) Enum(key, word string) ObjectBuilder {
	if word == "" {
		return o.Null(key)
	}
	return o.text(key, word)
}

// OptEnum writes the word of an enum; the empty word is left out.
//
//go:noinline
func (o ObjectBuilder) OptEnum(key, word string) ObjectBuilder {
	if word == "" {
		return o
	}
	return o.text(key, word)
}

// Secret writes the mask of a secret, or null if it is absent.
func (o ObjectBuilder) Secret(key string, present bool) ObjectBuilder {
	if !present {
		return o.Null(key)
	}
	return o.text(key, taxonomy.Redacted)
}

// OptSecret writes the mask of a secret. An absent secret is left out.
//
//go:noinline
func (o ObjectBuilder) OptSecret(key string, present bool) ObjectBuilder {
	if !present {
		return o
	}
	return o.Secret(key, true)
}

// Int writes an integer.
func (o ObjectBuilder) Int(key string, opt taxonomy.Opt[int]) ObjectBuilder {
	if n, ok := opt.Get(); ok {
		o.b = appendInt(appendKey(o.b, key), int64(n))
	}
	return o
}

// Int64 writes an integer, as a number.
func (o ObjectBuilder) Int64(key string, opt taxonomy.Opt[int64]) ObjectBuilder {
	if n, ok := opt.Get(); ok {
		o.b = appendInt(appendKey(o.b, key), n)
	}
	return o
}

// Uint64 writes an integer, as a number.
func (o ObjectBuilder) Uint64(key string, opt taxonomy.Opt[uint64]) ObjectBuilder {
	if n, ok := opt.Get(); ok {
		o.b = strconv.AppendUint(appendKey(o.b, key), n, 10)
	}
	return o
}

// Float64 writes a number. Infinities and NaN, which JSON does not have, become null.
func (o ObjectBuilder) Float64(key string, opt taxonomy.Opt[float64]) ObjectBuilder {
	if f, ok := opt.Get(); ok {
		o.b = appendFloat(appendKey(o.b, key), f)
	}
	return o
}

// Bool writes true or false.
func (o ObjectBuilder) Bool(key string, opt taxonomy.Opt[bool]) ObjectBuilder {
	if v, ok := opt.Get(); ok {
		o.b = strconv.AppendBool(appendKey(o.b, key), v)
	}
	return o
}

// Duration writes a duration as time.Duration prints it, "1.5s".
func (o ObjectBuilder) Duration(key string, opt taxonomy.Opt[time.Duration]) ObjectBuilder {
	if d, ok := opt.Get(); ok {
		o.b = append(append(append(appendKey(o.b, key), '"'), d.String()...), '"')
	}
	return o
}

// Time writes an instant as RFC 3339 in UTC, or null if RFC 3339 cannot express its year.
func (o ObjectBuilder) Time(key string, opt taxonomy.Opt[time.Time]) ObjectBuilder {
	if t, ok := opt.Get(); ok {
		t = t.UTC()
		if !fitsRFC3339(t) {
			return o.Null(key)
		}
		o.b = append(t.AppendFormat(append(appendKey(o.b, key), '"'), time.RFC3339Nano), '"')
	}
	return o
}

// fitsRFC3339 reports whether RFC 3339 can express t.
func fitsRFC3339(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// Strings writes a list, each element cleaned; nil is [].
func (o ObjectBuilder) Strings(key string, list []string, c Clean) ObjectBuilder {
	b := append(appendKey(o.b, key), '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendClean(b, s, c)
	}
	o.b = append(b, ']')
	return o
}

// OptStrings writes a list as Strings does; nil is left out.
//
//go:noinline
func (o ObjectBuilder) OptStrings(key string, list []string, c Clean) ObjectBuilder {
	if list == nil {
		return o
	}
	return o.Strings(key, list, c)
}

// Objects writes a list of objects, whose fields put writes. Nil is [].
func Objects[T any](
	o ObjectBuilder, key string, list []T, put func(*T, ObjectBuilder) ObjectBuilder,
) ObjectBuilder {
	o.b = append(appendKey(o.b, key), '[')
	for i := range list {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = put(&list[i], Object(o.b)).Close()
	}
	o.b = append(o.b, ']')
	return o
}

// OptObjects writes a list as Objects does; nil is left out.
func OptObjects[T any](
	o ObjectBuilder, key string, list []T, put func(*T, ObjectBuilder) ObjectBuilder,
) ObjectBuilder {
	if list == nil {
		return o
	}
	return Objects(o, key, list, put)
}

// PutViolation writes the fields of a violation.
func PutViolation(v *taxonomy.Violation, o ObjectBuilder) ObjectBuilder {
	o = o.text("field", v.Field).text("description", v.Description)
	if v.Code == "" {
		return o
	}
	return o.text("code", v.Code)
}

// JSON writes a JSON value, compacted. Nil becomes null, and invalid JSON becomes a string.
func (o ObjectBuilder) JSON(key string, raw []byte) ObjectBuilder {
	if isNull(raw) {
		return o.Null(key)
	}
	o.b = appendRaw(appendKey(o.b, key), raw)
	return o
}

// OptJSON writes a JSON value as JSON does; null is left out.
func (o ObjectBuilder) OptJSON(key string, raw []byte) ObjectBuilder {
	if isNull(raw) {
		return o
	}
	return o.JSON(key, raw)
}

// appendKey appends a comma, unless the key is the object's first, then the key and a colon.
func appendKey(b []byte, key string) []byte {
	n := len(b)
	if cap(b)-n < len(key)+4 {
		b = slices.Grow(b, len(key)+4)
	}
	comma := 0
	if b[n-1] != '{' {
		comma = 1
	}
	b = b[:n+comma+len(key)+3]
	b[n] = ','
	b[n+comma] = '"'
	copy(b[n+comma+1:], key)
	b[len(b)-2], b[len(b)-1] = '"', ':'
	return b
}

// appendFloat appends f as encoding/json writes it.
func appendFloat(b []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(b, "null"...)
	}
	abs := math.Abs(f)
	if abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// appendInt appends n in decimal. It is fast for small numbers, such as statuses and counts.
func appendInt(b []byte, n int64) []byte {
	switch {
	case uint64(n) < 10:
		return append(b, '0'+byte(n))
	case uint64(n) < 100:
		return append(b, '0'+byte(n/10), '0'+byte(n%10))
	case uint64(n) < 1000:
		return append(b, '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
	}
	return strconv.AppendInt(b, n, 10)
}
