package detect

import (
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// hint fills how long to wait from the text, where nothing else says it.
func hint(ev *taxonomy.Evidence) {
	if !ev.RetryAfter.IsZero() || !ev.ResetAt.IsZero() {
		return
	}
	if d, ok := RetryHint(ev.Text); ok {
		ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(d), true
	}
}

// RetryHint returns how long a text asks to wait before the next try, and whether it does. It knows
// "retry after 30", "Retry-After: 30", "retry in 500 ms", "try again in 1m30s", "retryDelay":
// "34.5s" and the like: a number right after the words, with a unit or else in seconds; the words
// in small letters, in capitals or with a capital at the beginning. A number that goes on as
// something else (a date, a time of day, "3 attempts") is none; a wait that is longer than a
// [time.Duration] can be is the longest. The first hint in the last 16 KiB counts.
func RetryHint(text string) (time.Duration, bool) {
	text = CutText(text, DefaultTextLimit)
	tries := newTries(text)
	for at := tries.next(); at < len(text); at = tries.next() {
		if d, ok := hintAt(text, at); ok {
			return d, true
		}
	}
	return 0, false
}

// tries finds the places of "try" in a text, in its three usual spellings. Of each spelling it
// knows the next place.
type tries struct {
	text string
	at   [len(trySpellings)]int
}

var trySpellings = [...]string{"try", "TRY", "Try"}

func newTries(text string) tries {
	t := tries{text: text}
	for i := range t.at {
		t.find(i, 0)
	}
	return t
}

// next returns the next place; the length of the text when there is none.
func (t *tries) next() int {
	first := 0
	for i, at := range t.at {
		if at < t.at[first] {
			first = i
		}
	}
	at := t.at[first]
	t.find(first, min(at+1, len(t.text)))
	return at
}

// find looks for a spelling from a place on.
func (t *tries) find(spelling, from int) {
	t.at[spelling] = len(t.text)
	if n := strings.Index(t.text[from:], trySpellings[spelling]); n >= 0 {
		t.at[spelling] = from + n
	}
}

// hintAt reads the hint that the "try" at a place belongs to.
func hintAt(text string, at int) (time.Duration, bool) {
	p := phrase{text[at+len("try"):]}
	if endsInRe(text[:at]) && p.afterRetry() || p.afterTry() {
		return p.wait()
	}
	return 0, false
}

// endsInRe reports whether s ends in the beginning of retry.
func endsInRe(s string) bool {
	return len(s) >= 2 && s[len(s)-2]|0x20 == 'r' && s[len(s)-1]|0x20 == 'e'
}
