// Package breaking compares a taxonomy with the one that was released, and finds what those who
// hold the released one would notice: peers and stored bytes, Go callers, whoever relies on what an
// error does.
//
//	old, new := breaking.Read("v1.yaml", released), breaking.Read("taxonomy.yaml", now)
//	for _, change := range breaking.Compare(old, new) { … }
//
// It compares what two taxonomies mean and not how they are written. Each kind of change is a rule
// with a stable id, and a page in internal/rules.
package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// Level is whom a change concerns. A set of levels is their sum.
type Level uint8

// The levels.
const (
	// Wire is what bytes and numbers mean to programs of the other version, and to clients in other
	// languages.
	Wire Level = 1 << iota
	// Source is what Go callers compile with.
	Source
	// Behaviour is what is done about an error, and what it says.
	Behaviour

	// Every is all levels.
	Every = Wire | Source | Behaviour
)

var levelWords = []struct {
	word  string
	level Level
}{{"wire", Wire}, {"source", Source}, {"behaviour", Behaviour}}

// String returns the levels of the set, as ParseLevels reads them.
func (l Level) String() string {
	var words []string
	for _, w := range levelWords {
		if l&w.level != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ",")
}

// ParseLevels reads names of levels with commas between them. It is an error if one is unknown, or
// there is none.
func ParseLevels(list string) (Level, error) {
	var levels Level
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(levelWords, func(w struct {
			word  string
			level Level
		}) bool {
			return w.word == strings.TrimSpace(name)
		})
		if i < 0 {
			return 0, fmt.Errorf("unknown level %q: use %s", name, strings.ReplaceAll(Every.String(), ",", ", "))
		}
		levels |= levelWords[i].level
	}
	return levels, nil
}

// Change is a difference between two taxonomies that somebody may notice.
type Change struct {
	diag.Finding
	Levels Level
	// Gone reports that the finding points into the old taxonomy, because the new one has no place
	// for it.
	Gone bool
}

// Compare returns what changed from one taxonomy to the next, by position, what is gone first. A
// taxonomy with faults is compared as far as it could be read. Neither argument is changed; neither
// may be nil.
func Compare(old, new *Taxonomy) []Change {
	c := newComparison(old, new)
	c.header()
	c.reserved()
	c.vocabulary()
	c.categories()
	c.matchedCodes()
	c.removedCodes()
	c.reactions()
	c.profiles()
	c.traits.report(c)
	return c.sorted()
}

func (c *comparison) sorted() []Change {
	var out []Change
	seen := make(map[key]bool)
	for _, change := range c.out {
		k := key{change.ID, change.Span, change.Message, change.Gone}
		if !seen[k] {
			seen[k] = true
			out = append(out, change)
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		if a.Gone != b.Gone {
			if a.Gone {
				return -1
			}
			return 1
		}
		return byPosition(a.Finding, b.Finding)
	})
	return out
}

// key is what tells two changes apart: a field of every category is compared once for each of them.
type key struct {
	id      string
	span    diag.Span
	message string
	gone    bool
}
