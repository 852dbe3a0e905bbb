package gen

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/fields"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// decoder reads the fields of an error out of its JSON, which is valid.
type decoder struct {
	path        []string // of the value that is read
	unknownWord error    // about the first word that its enum does not have
	copies      bool     // whether texts share no memory with the JSON
	lenient     bool     // whether values of another type or form are left out
}

// object reads a JSON object into the described fields. at returns a pointer to the field with an
// index. Null leaves a field unchanged. Unknown fields are ignored.
func (d *decoder) object(raw string, described []taxonomy.Field, at func(i int) any) error {
	if raw[0] != '{' {
		return d.problem("not an object")
	}
	next := 0 // fields are usually in their order
	for s := (scanner{b: raw}); s.next('}'); {
		key, value := s.key(), s.value()
		i := next
		if i >= len(described) || described[i].Name != key {
			i = slices.IndexFunc(described, func(f taxonomy.Field) bool { return f.Name == key })
		}
		if i < 0 || described[i].MessageOnly || value[0] == 'n' {
			continue
		}
		next = i + 1
		d.path = append(d.path, described[i].Name)
		if err := d.field(value, &described[i], at(i)); err != nil && d.lenient {
			reflect.ValueOf(at(i)).Elem().SetZero()
		} else if err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
	return nil
}

// field reads a value that is not null into the field that p points to.
func (d *decoder) field(raw string, f *taxonomy.Field, p any) error {
	if f.Type == "enum" && !f.Sensitive {
		return d.word(raw, f.Enum, p)
	}
	switch p := present(p).(type) {
	case *string:
		if raw[0] == '"' {
			if *p = unquote(raw); d.copies {
				*p = strings.Clone(*p)
			}
			return nil
		}
	case *int:
		if n, ok := integer(raw); ok && int64(int(n)) == n {
			*p = int(n)
			return nil
		}
	case *int64:
		if n, ok := integer(raw); ok {
			*p = n
			return nil
		}
	case *uint64:
		if n, err := strconv.ParseUint(plain(raw), 10, 64); err == nil {
			*p = n
			return nil
		}
		if n, ok := integer(raw); ok && n >= 0 {
			*p = uint64(n)
			return nil
		}
	case *float64:
		if x, err := strconv.ParseFloat(plain(raw), 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			*p = x
			return nil
		}
	case *bool:
		if raw[0] == 't' || raw[0] == 'f' {
			*p = raw[0] == 't'
			return nil
		}
	case *time.Duration:
		if v, err := time.ParseDuration(plain(raw)); err == nil {
			*p = v
			return nil
		}
	case *time.Time:
		if v, err := time.Parse(time.RFC3339Nano, plain(raw)); err == nil && fitsRFC3339(v.UTC()) {
			*p = v.UTC()
			return nil
		}
	case json.Unmarshaler: // a secret, or JSON
		return p.UnmarshalJSON([]byte(raw))
	case *part:
		*p = part(raw)
		return nil
	case *[]string:
		if json.Unmarshal([]byte(raw), p) == nil {
			return nil
		}
	default:
		v := reflect.ValueOf(p).Elem()
		if v.Kind() == reflect.Struct {
			return d.object(raw, f.Fields, fields.At(p))
		}
		if raw[0] == '[' {
			return d.objects(raw, f.Fields, v)
		}
	}
	return d.problem("not a value of type " + f.Type)
}

// objects reads a list of objects.
func (d *decoder) objects(raw string, described []taxonomy.Field, list reflect.Value) error {
	list.Set(reflect.MakeSlice(list.Type(), 0, 0))
	for s := (scanner{b: raw}); s.next(']'); {
		item := reflect.New(list.Type().Elem())
		if err := d.object(s.value(), described, fields.At(item.Interface())); err != nil {
			return err
		}
		list.Set(reflect.Append(list, item.Elem()))
	}
	return nil
}

// word reads a word of an enum. An empty word leaves the enum unchanged. An unknown word
// sets d.unknownWord.
func (d *decoder) word(raw string, words []string, p any) error {
	if raw[0] != '"' {
		return d.problem("not a value of type enum")
	}
	word := unquote(raw)
	if word == "" {
		return nil
	}
	if i := slices.Index(words, word); i >= 0 {
		reflect.ValueOf(present(p)).Elem().SetUint(uint64(i + 1))
	} else if d.unknownWord == nil {
		d.unknownWord = d.problem("unknown value " + echo(word))
	}
	return nil
}

// problem returns an error with the path of the value. It does not contain the value, which may be
// a secret.
func (d *decoder) problem(text string) error {
	if len(d.path) == 0 {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", strings.Join(d.path, "."), text)
}

// present returns the pointer to a field's value. It makes an optional value present.
func present(p any) any {
	if o, ok := p.(interface{ Present() any }); ok {
		return o.Present()
	}
	return p
}

// plain returns the text of a string or a number.
func plain(raw string) string {
	if raw[0] == '"' {
		return unquote(raw)
	}
	return raw
}

// integer reads an integer, which may be in a string. Some languages write it as 7.0 or 1e2.
func integer(raw string) (int64, bool) {
	text := plain(raw)
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n, true
	}
	const exact = 1 << 53 // a float64 represents all integers up to this one
	x, err := strconv.ParseFloat(text, 64)
	return int64(x), err == nil && x == math.Trunc(x) && math.Abs(x) <= exact
}
