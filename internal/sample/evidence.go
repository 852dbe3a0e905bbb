package sample

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Evidence returns evidence that fills fields in every way: from all of their keys, from none, from
// each key alone of a field that has several or is in an object, and from texts that are not values of
// the field's type.
func Evidence(fields []*model.Field) []taxonomy.Evidence {
	all := sources(fields, nil)
	out := []taxonomy.Evidence{told(all), {}}
	for _, s := range all {
		if len(s.field.From) > 1 || !slices.Contains(fields, s.field) {
			out = append(out, told([]source{s}))
		}
	}
	var unreadable taxonomy.Evidence
	for _, s := range all {
		s.spoil(&unreadable)
	}
	return distinct(append(out, unreadable))
}

func distinct(list []taxonomy.Evidence) []taxonomy.Evidence {
	var out []taxonomy.Evidence
	for _, ev := range list {
		if !slices.ContainsFunc(out, func(other taxonomy.Evidence) bool { return reflect.DeepEqual(ev, other) }) {
			out = append(out, ev)
		}
	}
	return out
}

// source is a key of evidence that a field is filled from.
type source struct {
	field *model.Field
	from  string
	index int // among all of them
}

// sources lists what fields are filled from, those in objects included.
func sources(fields []*model.Field, list []source) []source {
	for _, f := range fields {
		if f.Type == model.ObjectType {
			list = sources(f.Object.Fields, list)
		}
		for _, from := range f.From {
			list = append(list, source{f, from, len(list)})
		}
	}
	return list
}

// told returns evidence with all of the sources. Of two that share a key, the one with the narrower
// type decides.
func told(list []source) taxonomy.Evidence {
	var ev taxonomy.Evidence
	for _, texts := range []bool{true, false} {
		for _, s := range list {
			if texts == (s.field.Type == model.String) {
				s.fill(&ev)
			}
		}
	}
	return ev
}

// fill gives evidence something that the field can be filled with.
func (s source) fill(ev *taxonomy.Evidence) {
	switch s.from {
	case "status":
		ev.Status = 400 + s.index
	case "exit_code":
		ev.ExitCode = taxonomy.Some(3 + s.index)
	case "files":
		ev.Files = []string{"some file", "another"}
	case "retry_after":
		ev.RetryAfter = taxonomy.Some(1500 * time.Millisecond)
	case "reset_at":
		ev.ResetAt = time.Date(2026, time.January, 2, 3, 4, 5, 6, time.UTC)
	default:
		s.say(ev, s.text())
	}
}

// text returns a text that can be read as the field's type.
func (s source) text() string {
	v := Value(s.field, s.index)
	if s.field.Type == model.String {
		return "some " + s.from
	}
	return s.field.Shown(v)
}

// spoil gives evidence a text that cannot be read as the field's type, if there is one.
func (s source) spoil(ev *taxonomy.Evidence) {
	switch s.field.Type {
	case model.String, model.Strings:
		return
	}
	switch s.from {
	case "status", "exit_code", "files", "retry_after", "reset_at":
		return
	}
	s.say(ev, "{no such value")
}

// say sets the part of evidence that is a text.
func (s source) say(ev *taxonomy.Evidence, text string) {
	texts := map[string]*string{
		"source": &ev.Source, "op": &ev.Op, "type": &ev.Type, "code": &ev.Code, "signal": &ev.Signal,
		"errno": &ev.Errno,
		"text":  &ev.Text, "output": &ev.Output, "credential": &ev.Credential,
	}
	if part, ok := texts[s.from]; ok {
		*part = text
		return
	}
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes[strings.TrimPrefix(s.from, "attributes.")] = text
}
