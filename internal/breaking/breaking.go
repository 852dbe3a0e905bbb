// Package breaking compares a taxonomy with the released one. It finds the changes that affect
// other programs and stored bytes, Go callers, or users of an error.
//
//	old, new := breaking.New(released), breaking.New(tree)
//	for _, change := range breaking.Compare(old, new) { … }
//
// It compares resolved taxonomies, not their texts:
//
//	taxonomy.go  lists the declarations of a taxonomy, each with its values by key
//	match.go     pairs the declarations of both, also if they are renamed
//	compare.go   compares the values of matched declarations
//	rules.go     gives a difference its meaning: a table from KIND.KEY to an id and its levels
//	codes.go     compares values across declarations: removed codes, numbers, aliases, factories
//	consumers.go finds the programs that handle the codes of a change
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
)

var levelWords = []string{"wire", "source", "behaviour"} // by bit

// String returns the levels of the set, as ParseLevels reads them.
func (l Level) String() string { return strings.Join(l.words(), ",") }

func (l Level) words() (words []string) {
	for i, word := range levelWords {
		if l&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return words
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
	if s.Field != "" {
		return strings.TrimPrefix(cmp.Or(s.Code, s.Category)+"."+s.Field, ".")
	}
	return cmp.Or(s.Code, s.Category, s.Name)
}

// The kinds of changes in release notes, in their order.
const (
	kindAdded      = "added"
	kindDeprecated = "deprecated"
	kindRenamed    = "renamed"
	kindRemoved    = "removed"
	kindChanged    = "changed"
)

var kinds = []string{kindAdded, kindDeprecated, kindRenamed, kindRemoved, kindChanged}

// Change is a difference between two taxonomies. Its position is in the new one: for a removed
// declaration, the position of the declaration that contained it.
type Change struct {
	diag.Finding
	Kind      string // added, deprecated, renamed, removed or changed
	Levels    Level  // 0 if the change breaks nothing; then it has no ID
	Subject   Subject
	Key       string   // the key of the subject: "number", "prevent throttle"; empty for the subject itself
	Old, New  string   // empty if absent
	Factories []string // the codes whose factories change with a field
	// Consumers handle the codes that the change concerns. See [Report.AddConsumers].
	Consumers []Consumer

	codes   []string // to reserve
	numbers []ReservedNumber
}

// Level returns the first of the change's levels: wire before source before behaviour.
func (c Change) Level() Level { return c.Levels & -c.Levels }

// Compare returns the changes from one taxonomy to the next that have a level, sorted by position.
// Parts with errors are not compared. The arguments must not be nil.
func Compare(old, new *Taxonomy) []Change {
	return slices.DeleteFunc(Differences(old, new), func(c Change) bool { return c.Levels == 0 })
}

// Differences returns all changes from one taxonomy to the next, sorted by position.
func Differences(old, new *Taxonomy) []Change {
	c := &comparison{matching: match(old, new)}
	c.run()
	slices.SortStableFunc(c.out, func(a, b *Change) int {
		return cmp.Or(
			cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col),
			cmp.Compare(a.Severity, b.Severity), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
	type key struct {
		id, message string
		subject     Subject
	}
	first := make(map[key]*Change)
	var list []*Change
	for _, change := range c.out { // fields of every category are compared once for each category
		k := key{change.ID, change.Message, change.Subject}
		if same := first[k]; same != nil {
			same.Factories = append(same.Factories, missing(change.Factories, same.Factories)...)
			continue
		}
		first[k] = change
		list = append(list, change)
	}
	out := make([]Change, len(list))
	for i, change := range list {
		if len(change.Factories) > 0 {
			change.Message += "; the factory of " + strings.Join(change.Factories, ", ") + " changes"
		}
		out[i] = *change
	}
	return out
}

// missing returns the elements of list that are not in other.
func missing(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(other, w) })
}
