package detect

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Errors are filled without [taxonomy.Category.List], because that would be a second allocation
// and take as long as the rest. The offsets of the fields are computed once, from the list of an
// empty error. Fields of unusual types are filled by the list.

// store selects the code that fills a field.
type store uint8

const (
	storeByList store = iota
	storeText
	storeOptText
	storeStatus
	storeExitCode
	storeOptDuration
	storeOptTime
	storeStrings
)

// place is a field in the struct of an error. The type is nil if the field is elsewhere.
type place struct {
	offset uintptr
	typ    reflect.Type
}

// placesOf returns the places of the fields of a category's errors.
func placesOf(c *taxonomy.Category) []place {
	if c.New == nil { // only the order of the rules is wanted
		return make([]place, len(c.Fields))
	}
	e := c.New(0, nil)
	list := c.List(e)
	places := make([]place, len(list))
	of := reflect.ValueOf(e)
	if of.Kind() != reflect.Pointer {
		return places
	}
	for i, p := range list {
		field := reflect.ValueOf(p)
		if field.Kind() == reflect.Struct { // such as [gen.Word]: a pointer with methods
			field = field.Field(0)
		}
		typ, offset := field.Type().Elem(), field.Pointer()-of.Pointer()
		if size := of.Type().Elem().Size(); offset < size && typ.Size() <= size-offset {
			places[i] = place{offset, typ}
		}
	}
	return places
}

// in returns the pointer to the field in an error.
func (p *place) in(e taxonomy.Error) unsafe.Pointer {
	return unsafe.Add(reflect.ValueOf(e).UnsafePointer(), p.offset)
}

// prepare selects how a filling fills its field.
func (f *filling) prepare(places []place) {
	f.place = places[f.at]
	only := func(key string) bool {
		return len(f.field.From) == 1 && f.field.From[0] == key && f.field.Default == ""
	}
	switch f.place.typ {
	case reflect.TypeFor[string]():
		if f.texts != nil {
			f.store = storeText
		}
	case reflect.TypeFor[taxonomy.Opt[string]]():
		if f.texts != nil {
			f.store = storeOptText
		}
	case reflect.TypeFor[taxonomy.Opt[int]]():
		if only("status") {
			f.store = storeStatus
		} else if only("exit_code") {
			f.store = storeExitCode
		}
	case reflect.TypeFor[taxonomy.Opt[time.Duration]]():
		if only("retry_after") {
			f.store = storeOptDuration
		}
	case reflect.TypeFor[taxonomy.Opt[time.Time]]():
		if only("reset_at") {
			f.store = storeOptTime
		}
	case reflect.TypeFor[[]string]():
		if only("files") {
			f.store = storeStrings
		}
	}
	f.byAttribute = f.object == nil && f.field.Default == "" &&
		!slices.ContainsFunc(f.field.From, func(from string) bool { return !strings.HasPrefix(from, "attributes.") })
	if f.store == storeText || f.store == storeOptText {
		_ = json.Unmarshal([]byte(f.field.Default), &f.text)
	}
}

// fill fills e from evidence.
func (d *Detection) fill(category int, e taxonomy.Error, ev *taxonomy.Evidence) {
	fills, base := d.fills[category], reflect.ValueOf(e).UnsafePointer()
	var list []any
	for i := range fills {
		f := &fills[i]
		switch f.store {
		case storeText, storeOptText:
			text := f.text
			for k := range f.texts {
				if t := f.texts[k].of(ev); t != "" {
					text = t
					break
				}
			}
			if text == "" {
				continue
			}
			if p := unsafe.Add(base, f.offset); f.store == storeText {
				*(*string)(p) = text
			} else {
				*(*taxonomy.Opt[string])(p) = taxonomy.Some(text)
			}
		case storeStatus:
			if ev.Status != 0 {
				*(*taxonomy.Opt[int])(unsafe.Add(base, f.offset)) = taxonomy.Some(ev.Status)
			}
		case storeExitCode:
			if !ev.ExitCode.IsZero() {
				*(*taxonomy.Opt[int])(unsafe.Add(base, f.offset)) = ev.ExitCode
			}
		case storeOptDuration:
			if !ev.RetryAfter.IsZero() {
				*(*taxonomy.Opt[time.Duration])(unsafe.Add(base, f.offset)) = ev.RetryAfter
			}
		case storeOptTime:
			if !ev.ResetAt.IsZero() {
				*(*taxonomy.Opt[time.Time])(unsafe.Add(base, f.offset)) = taxonomy.Some(ev.ResetAt)
			}
		case storeStrings:
			if len(ev.Files) > 0 {
				*(*[]string)(unsafe.Add(base, f.offset)) = ReadStrings(ev.Files)
			}
		default:
			if f.byAttribute && len(ev.Attributes) == 0 {
				continue
			}
			if list == nil {
				list = d.Taxonomy.Categories[category].List(e)
			}
			fill(fills[i:i+1], list, ev)
		}
	}
}

// setter sets the fields of an error that a rule sets, and then those that its code sets.
type setter struct {
	sets   bool      // whether there are any
	values [2]string // as JSON
	// copies set the same from another error; nil if errors must not share the value of a field.
	copies []assignment
}

// assignment copies a field of another error.
type assignment struct {
	place
	from unsafe.Pointer
}

func (d *Detection) setter(row taxonomy.Row, set string, places [][]place) setter {
	code := d.Taxonomy.Code(row)
	if code == nil || d.Taxonomy.Categories[row.Category()].New == nil {
		return setter{}
	}
	s := setter{sets: set+code.Set != "", values: [...]string{set, code.Set}}
	c := d.Taxonomy.Categories[row.Category()]
	example := c.New(0, nil)
	s.byList(c, example)
	for _, name := range append(setNames(set), setNames(code.Set)...) {
		i := slices.IndexFunc(c.Fields, func(f taxonomy.Field) bool { return f.Name == name })
		if i < 0 || c.Fields[i].Sensitive || slices.Contains([]string{"object", "json", "strings"}, c.Fields[i].Type) {
			s.copies = nil
			return s
		}
		at := places[row.Category()][i]
		if at.typ == nil {
			s.copies = nil
			return s
		}
		s.copies = append(s.copies, assignment{at, at.in(example)})
	}
	return s
}

func (s *setter) apply(c *taxonomy.Category, e taxonomy.Error) {
	if s.copies == nil {
		s.byList(c, e)
		return
	}
	for i := range s.copies {
		a := &s.copies[i]
		switch p := a.in(e); a.typ {
		case reflect.TypeFor[taxonomy.Opt[bool]]():
			*(*taxonomy.Opt[bool])(p) = *(*taxonomy.Opt[bool])(a.from)
		default:
			reflect.NewAt(a.typ, p).Elem().Set(reflect.NewAt(a.typ, a.from).Elem())
		}
	}
}

func (s *setter) byList(c *taxonomy.Category, e taxonomy.Error) {
	for _, values := range s.values {
		if values != "" {
			gen.Set(c.Fields, c.List(e), values)
		}
	}
}
