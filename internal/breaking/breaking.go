// Package breaking compares a taxonomy with the released one, and finds the changes that peers and
// stored bytes, Go callers, or users of an error would notice.
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
	// Wire is the meaning of bytes and numbers for programs of the other version and for clients in
	// other languages.
	Wire Level = 1 << iota
	// Source is the Go API of the generated package.
	Source
	// Behaviour is the reaction to an error, and its texts.
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

// Change is a difference between two taxonomies.
type Change struct {
	diag.Finding
	Levels Level
	// Gone reports that the finding points into the old taxonomy, because the new one has no place
	// for it.
	Gone bool
}

// Compare returns the changes from one taxonomy to the next, by position, those in the old taxonomy
// first. A taxonomy with errors is compared as far as it could be read. Compare does not change its
// arguments, which must not be nil.
func Compare(old, new *Taxonomy) []Change {
	c := newComparison(old, new)
	c.codes()
	c.reserved()
	c.ladder()
	c.flatten()
	c.diff()
	return c.sorted()
}

func (c *comparison) sorted() []Change {
	slices.SortStableFunc(c.out, func(a, b Change) int {
		if a.Gone != b.Gone {
			if a.Gone {
				return -1
			}
			return 1
		}
		return cmp.Or(
			cmp.Compare(a.Span.Line, b.Span.Line), cmp.Compare(a.Span.Col, b.Span.Col),
			cmp.Compare(a.Severity, b.Severity), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
	// A field of every category is compared once for each of them.
	return slices.CompactFunc(c.out, func(a, b Change) bool {
		return a.ID == b.ID && a.Span == b.Span && a.Message == b.Message && a.Gone == b.Gone
	})
}
