package gen

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The methods here read the value that the decoder stands at. They report false when it is null,
// and when it is not what it must be, which ends the reading.

// text returns a string in its quotes, or nil.
func (d *decoder) text() []byte {
	raw := d.value()
	if raw[0] == '"' {
		return raw
	}
	if raw[0] != 'n' {
		d.wrong("a string")
	}
	return nil
}

// number returns the text of a number, also of one in a string, or nil.
func (d *decoder) number() []byte {
	raw := d.value()
	switch c := raw[0]; {
	case c == '-' || '0' <= c && c <= '9':
		return raw
	case c == '"':
		return raw[1 : len(raw)-1]
	case c != 'n':
		d.wrong("a number")
	}
	return nil
}

func (d *decoder) string() (string, bool) {
	raw := d.text()
	return unquote(raw), raw != nil
}

func (d *decoder) int() (int, bool) {
	n, ok := d.integer(strconv.IntSize)
	return int(n), ok
}

func (d *decoder) int64() (int64, bool) { return d.integer(64) }

func (d *decoder) integer(bits int) (int64, bool) {
	raw := d.number()
	if raw == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, bits)
	if err == nil {
		return n, true
	}
	if n, ok := whole(raw); ok && (bits == 64 || n == int64(int32(n))) {
		return n, true
	}
	d.wrong(fmt.Sprintf("an integer of %d bits", bits))
	return 0, false
}

// maxWhole bounds the text of a whole number with a point or an exponent: a sign, a point and the
// 15 digits that a floating-point number holds exactly.
const maxWhole = 17

// whole reads an integer that was written with a point or an exponent, as 7.0 and 1e2 are. It knows
// those up to 10¹⁵.
//
//go:noinline
func whole(raw []byte) (int64, bool) {
	text := string(raw[:min(len(raw), maxWhole+1)])
	if len(text) > maxWhole || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > 1e15 || f != math.Trunc(f) {
		return 0, false
	}
	if mantissa, _, _ := strings.Cut(strings.ToLower(text), "e"); f == 0 && strings.ContainsAny(mantissa, "123456789") {
		return 0, false // too small for a floating-point number
	}
	return int64(f), true
}

func (d *decoder) uint64() (uint64, bool) {
	raw := d.number()
	if raw == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err == nil {
		return n, true
	}
	if n, ok := whole(raw); ok && n >= 0 {
		return uint64(n), true
	}
	d.wrong("an integer of 64 bits without a sign")
	return 0, false
}

func (d *decoder) float64() (float64, bool) {
	raw := d.number()
	if raw == nil {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	valid := err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	if !valid {
		d.wrong("a number of 64 bits")
	}
	return f, valid
}

func (d *decoder) bool() (v, ok bool) {
	switch d.value()[0] {
	case 't':
		return true, true
	case 'f':
		return false, true
	case 'n':
		return false, false
	}
	d.wrong("a bool")
	return false, false
}

func (d *decoder) duration() (time.Duration, bool) {
	raw := d.text()
	if raw == nil {
		return 0, false
	}
	v, err := time.ParseDuration(unquote(raw))
	if err != nil {
		d.wrong(`a duration such as "1.5s"`)
	}
	return v, err == nil
}

func (d *decoder) time() (time.Time, bool) {
	raw := d.text()
	if raw == nil {
		return time.Time{}, false
	}
	v, err := time.Parse(time.RFC3339Nano, unquote(raw))
	v = v.UTC()
	if err != nil || !fitsRFC3339(v) {
		d.wrong("an RFC 3339 time")
		return time.Time{}, false
	}
	return v, true
}

func (d *decoder) strings() ([]string, bool) {
	raw := d.value()
	if raw[0] == 'n' {
		return nil, false
	}
	list := []string{}
	for s := (scanner{b: raw}); raw[0] == '[' && s.nextElement(); {
		element := s.value()
		if element[0] != '"' {
			d.wrong("a list of strings")
			return nil, false
		}
		list = append(list, unquote(element))
	}
	if raw[0] != '[' {
		d.wrong("a list of strings")
	}
	return list, raw[0] == '['
}

// word reads the word of an enum whose values are 1 to len(words); null and "" are 0, and so is one
// that is noted as unknown.
//
//go:noinline
func (d *decoder) word(words []string) uint8 {
	raw := d.text()
	if len(raw) <= len(`""`) {
		return 0
	}
	word := unquote(raw)
	v := enumValue(word, words)
	if v == 0 && d.unknownEnum == nil {
		d.unknownEnum = d.problem("unknown value " + echo(word))
	}
	return v
}

// json returns a JSON value as it is.
func (d *decoder) json() (json.RawMessage, bool) {
	raw := d.value()
	return append(json.RawMessage(nil), raw...), raw[0] != 'n'
}
