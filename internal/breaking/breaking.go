// Package breaking compares a taxonomy with the released one. It finds the changes that affect
// other programs and stored bytes, Go callers, or users of an error.
//
//	old, new := breaking.Read("v1.yaml", released), breaking.Read("taxonomy.yaml", now)
//	for _, change := range breaking.Compare(old, new) { … }
//
// It compares resolved taxonomies, not their texts. Each kind of change is a rule with a stable id,
// and a page in internal/rules.
package breaking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// Level is the audience of a change. A set of levels is their sum.
type Level uint8

// The levels.
const (
	// Wire is about the bytes and numbers that programs of the other version and clients in other
	// languages read.
	Wire Level = 1 << iota
	// Source is about the Go API of the generated package.
	Source
	// Behaviour is about the reactions to errors and their texts.
	Behaviour

	// Every is all levels.
	Every = Wire | Source | Behaviour
)

var levelWords = []string{"wire", "source", "behaviour"} // by bit

// String returns the levels of the set, as ParseLevels reads them.
func (l Level) String() string {
	var words []string
	for i, word := range levelWords {
		if l&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}

// ParseLevels reads names of levels separated by commas. An unknown name and an empty list are
// errors.
func ParseLevels(list string) (Level, error) {
	var levels Level
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(levelWords, strings.TrimSpace(name))
		if i < 0 {
			return 0, fmt.Errorf("unknown level %q: use %s", name, strings.Join(levelWords, ", "))
		}
		levels |= 1 << i
	}
	return levels, nil
}

// Subject is the declaration that a change is about. Names are those of the new taxonomy, unless
// the declaration is removed.
type Subject struct {
	Code     string `json:"code,omitempty"`
	Was      string `json:"was,omitempty"` // its name in the old taxonomy, if that differs
	Category string `json:"category,omitempty"`
	Field    string `json:"field,omitempty"` // with the fields of objects as path: run.mode
	Name     string `json:"name,omitempty"`  // of another declaration: policy gateway, domain
}

// String returns the name by which an acceptance refers to the subject: the code, category.field,
// the category, or the name.
func (s Subject) String() string {
	if s.Code == "" && s.Field != "" && s.Category != "" {
		return s.Category + "." + s.Field
	}
	return cmp.Or(s.Code, s.Field, s.Category, s.Name)
}

// Change is a difference between two taxonomies. Its position is in the new one: for a removed
// declaration, the position of the declaration that contained it.
type Change struct {
	diag.Finding
	Levels    Level
	Subject   Subject
	Key       string   // the key of the subject: "number"; empty for the subject itself
	Old, New  string   // empty if absent
	Factories []string // the codes whose factories change with a field
	// Consequences are the changes that follow from this one. [Fold] sets them.
	Consequences []Change

	label  string   // the subject at the beginning of Message, if it has one
	codes  []string // to reserve
	number string   // to reserve
}

// Level returns the first of the change's levels: wire before source before behaviour.
func (c Change) Level() Level { return c.Levels & -c.Levels }

// full returns the message of the change and of its consequences.
func (c Change) full() string {
	text := c.Message
	for _, effect := range c.Consequences {
		text += "; " + effect.Message
	}
	return text
}

// Compare returns the changes from one taxonomy to the next, by position. A taxonomy with errors is
// compared as far as it could be read. Compare does not change its arguments, which must not be
// nil.
func Compare(old, new *Taxonomy) []Change {
	return compare(old, new).out
}

func compare(old, new *Taxonomy) *comparison {
	c := newComparison(old, new)
	c.codes()
	c.reserved()
	c.ladder()
	c.header()
	c.goNames()
	c.categoryNames()
	c.continuedCodes()
	c.profiles()
	for i := range c.out {
		if s := c.out[i].Subject; s.Code == "" && s.Field != "" {
			c.out[i].Factories = c.affected[s.String()]
		}
	}
	slices.SortStableFunc(c.out, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col),
			cmp.Compare(a.Severity, b.Severity), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
	// A field of every category is compared once for each of them.
	type key struct{ id, message string }
	first := make(map[key]int)
	var out []Change
	for _, change := range c.out {
		k := key{change.ID, change.Message}
		if i, again := first[k]; again && change.Subject.Field != "" && change.Subject.Category == "" {
			out[i].Factories = append(out[i].Factories, missing(change.Factories, out[i].Factories)...)
			continue
		}
		first[k] = len(out)
		out = append(out, change)
	}
	for i := range out {
		if list := out[i].Factories; len(list) > 0 {
			out[i].Message += "; the factory of " + enumerate(list, len(list)) + " changes"
		}
	}
	c.out = out
	return c
}

// causes maps the id of a change to the ids of changes that cause it for the same code or field.
var causes = map[string][]string{
	idFieldUse:        {"W-changed-message", "E-break-factory", "W-changed-set", idFieldRemoved},
	idGoName:          {idCodeRenamed, idCodeValue},
	idRenamed:         {idGoName},
	idNumberReused:    {idCodeRenamed},
	idNumber:          {idNumberReused},
	idAlias:           {idCodeRenamed, idCodeRemoved},
	"E-break-factory": {idCategory},
}

// Fold moves each change that follows from another one into the Consequences of its cause, and adds
// its levels to those of the cause.
func Fold(changes []Change) []Change {
	type key struct{ id, subject string }
	at := make(map[key]int)
	for i, c := range changes {
		at[key{c.ID, c.Subject.String()}] = i
	}
	cause := func(c Change) (int, bool) {
		for _, id := range causes[c.ID] {
			subjects := []string{c.Subject.Code}
			if id == idFieldRemoved {
				subjects = []string{c.Subject.Category + "." + c.Subject.Field, c.Subject.Field}
			}
			for _, subject := range subjects {
				if i, ok := at[key{id, subject}]; ok {
					return i, true
				}
			}
		}
		return 0, false
	}
	folded := slices.Clone(changes)
	for i, c := range changes {
		root, ok := cause(c)
		for above, more := root, ok; more; above, more = cause(changes[root]) {
			root = above
		}
		if ok {
			folded[root].Consequences = append(slices.Clip(folded[root].Consequences), c)
			folded[root].Levels |= c.Levels
			folded[i].Levels = 0
		}
	}
	return slices.DeleteFunc(folded, func(c Change) bool { return c.Levels == 0 })
}
