// Package bounded is what exporters have in common. It keeps the values of their labels few, a
// taxonomy's own words and of others only the first ones, and counts nothing twice.
package bounded

import (
	"sync"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// None is the value of what is not known.
	None = "none"
	// Other is the value of everything that there is no place for.
	Other = "other"
	// longest bounds values, in bytes.
	longest = 128
)

// Values are the values that a label has. They are safe for concurrent use.
type Values struct {
	known map[string]bool
	most  int

	mu    sync.RWMutex
	added map[string]bool
}

// NewValues returns values of which the known ones always count, and as many others as there is
// room for.
func NewValues(room int, known ...string) *Values {
	v := &Values{known: make(map[string]bool, len(known)), most: room, added: map[string]bool{}}
	for _, k := range known {
		v.known[k] = true
	}
	return v
}

// Of returns what stands for a value: itself, or None for an empty one, or Other when there is no
// room for it or it is not fit to be shown.
func (v *Values) Of(value string) string {
	if value == "" {
		return None
	}
	if v.known[value] {
		return value
	}
	v.mu.RLock()
	added, full := v.added[value], len(v.added) >= v.most
	v.mu.RUnlock()
	if added {
		return value
	}
	if full || !fit(value) {
		return Other
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.added[value] && len(v.added) >= v.most {
		return Other
	}
	v.added[value] = true
	return value
}

// plain returns a value that Of has returned, or Other for one that is not among the known.
func (v *Values) plain(value string) string {
	if value == "" || value == None || v.known[value] {
		return value
	}
	return Other
}

// fit reports that a value is one line of short text without secrets.
func fit(value string) bool {
	if len(value) > longest || !utf8.ValidString(value) || taxonomy.Redact(value) != value {
		return false
	}
	for _, r := range value {
		if r < ' ' || r == 0x7f {
			return false
		}
	}
	return true
}
