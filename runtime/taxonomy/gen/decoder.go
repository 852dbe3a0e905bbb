package gen

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// decoder reads the fields of an error out of its JSON. Null leaves a field unchanged. The first
// value of a wrong type ends the reading. A word that an enum does not have is noted, and reading
// goes on.
type decoder struct {
	scanner
	t           *taxonomy.Taxonomy
	cause       error
	err         error
	unknownEnum error // the first word that an enum does not have
	depth       int
	path        []string // of the objects that are open
}

// fields reads the object that the decoder is at into fields, to which list has pointers.
func (d *decoder) fields(fields []taxonomy.Field, list []any) {
	next := 0 // fields are usually in their order
	for d.err == nil && d.nextKey() {
		i := next
		for i < next+len(fields) && fields[i%len(fields)].Name != string(d.key) {
			i++
		}
		if i == next+len(fields) {
			d.value()
			continue
		}
		i %= len(fields)
		if next = i + 1; fields[i].MessageOnly {
			d.value()
			continue
		}
		d.field(&fields[i], list[i])
	}
}

// field reads the value of a field, to which p points.
func (d *decoder) field(f *taxonomy.Field, p any) {
	if f.Sensitive {
		if u, ok := p.(json.Unmarshaler); !ok || u.UnmarshalJSON(d.value()) != nil {
			d.wrong("a secret")
		}
		return
	}
	switch f.Type {
	case "string":
		put(d, p, (*decoder).string)
	case "int":
		put(d, p, (*decoder).int)
	case "int64":
		put(d, p, (*decoder).int64)
	case "uint64":
		put(d, p, (*decoder).uint64)
	case "float64":
		put(d, p, (*decoder).float64)
	case "bool":
		put(d, p, (*decoder).bool)
	case "duration":
		put(d, p, (*decoder).duration)
	case "time":
		put(d, p, (*decoder).time)
	case "strings":
		put(d, p, (*decoder).strings)
	case "json":
		put(d, p, (*decoder).json)
	case "enum":
		if v := d.word(f.Enum); v != 0 {
			putWord(p, v)
		}
	case "object":
		d.object(f, p)
	case "objects", "violations":
		d.objects(f, p)
	}
}

// objects reads a list of objects; null means no list.
func (d *decoder) objects(f *taxonomy.Field, p any) {
	if d.peek() != '[' {
		if d.value()[0] != 'n' {
			d.wrong("a list of objects")
		}
		return
	}
	if violations, ok := p.(*[]taxonomy.Violation); ok {
		p = Items(violations, violationFields)
	}
	p.(interface{ clear() }).clear()
	for d.err == nil && d.nextElement() {
		if d.space(); d.peek() != '{' {
			d.wrong("a list of objects")
			return
		}
		d.object(f, p)
	}
}

// object reads an object; null means no object.
func (d *decoder) object(f *taxonomy.Field, p any) {
	if d.peek() != '{' {
		if d.value()[0] != 'n' {
			d.wrong("an object")
		}
		return
	}
	d.path = append(d.path, f.Name)
	list, store := NewObject(p)
	d.fields(f.Fields, list)
	store()
	d.path = d.path[:len(d.path)-1]
}

// put reads a value into the field that p points to: a T, or an Opt of one.
func put[T any](d *decoder, p any, read func(*decoder) (T, bool)) {
	v, ok := read(d)
	if !ok {
		return
	}
	switch p := p.(type) {
	case *T:
		*p = v
	case *taxonomy.Opt[T]:
		*p = taxonomy.Some(v)
	}
}

// wrong fails because the value is not what it must be. The value itself is not said: it may be a
// secret.
//
//go:noinline
func (d *decoder) wrong(want string) { d.fail("not " + want) }

func (d *decoder) fail(problem string) {
	if d.err != nil {
		return
	}
	d.err = d.problem(problem)
}

// problem returns an error that says where the decoder stands.
func (d *decoder) problem(what string) error {
	path := append([]string{"context"}, d.path...)
	return fmt.Errorf("%s.%s: %s", strings.Join(path, "."), d.key, what)
}
