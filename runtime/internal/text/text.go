// Package text shortens, masks and quotes texts that others wrote, for messages, logs and stores.
//
//	text.Beginning(message, 1<<10)        // secrets masked, at most 1 KiB, "…" where it was cut
//	text.OneLine(message, 200)            // the same on one line that cannot command a terminal
//	text.Quote(value, 200)                // the same in quotes: "abc"…
//	text.Mask(hide).Ending(output, 4<<10) // with a mask other than [Masked]
//
// A text is masked before it is cut, since half of a secret is not recognised as one.
package text

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/redact"
)

const (
	// Margin is how many bytes beside the kept part are searched for secrets, so that one that the
	// cut splits is recognised. Private keys take up to 7 KiB.
	Margin   = 8 << 10
	ellipsis = "…"
)

// A Mask returns a text with its secrets replaced, in valid UTF-8. Its methods cut texts without
// leaving a part of a secret. The functions of the same names use [Masked].
type Mask func(string) string

// Masked is the default [Mask]. It replaces what package redact recognises, and invalid UTF-8.
func Masked(s string) string { return redact.Scrub(valid(s)) }

func valid(s string) string {
	if utf8.ValidString(s) { // which is far cheaper than ToValidUTF8
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Beginning returns the masked beginning of s, of at most n bytes, with an ellipsis if it was cut.
func Beginning(s string, n int) string { return Mask(Masked).Beginning(s, n) }

// Ending returns the masked end of s, of at most n bytes, with an ellipsis if it was cut.
func Ending(s string, n int) string { return Mask(Masked).Ending(s, n) }

// BothEnds returns s, masked. If s has more than n bytes, it returns the first quarter of n bytes,
// a line break and the end of s.
func BothEnds(s string, n int) string { return Mask(Masked).BothEnds(s, n) }

// Head is [Beginning] without the ellipsis.
func Head(s string, n int) string { return Mask(Masked).Head(s, n) }

// Tail is [Ending] without the ellipsis.
func Tail(s string, n int) string { return Mask(Masked).Tail(s, n) }

// OneLine returns the masked beginning of s, of at most n bytes, on one line: a single space
// replaces white space and what cannot be printed.
func OneLine(s string, n int) string { return Mask(Masked).OneLine(s, n) }

// Error is [Beginning] of what an error says. It is empty for nil, and a note if the Error method
// panics.
func Error(err error, n int) string { return Beginning(errtree.Text(err), n) }

// Quote returns the masked beginning of s, of at most n bytes, as a Go string literal, with an
// ellipsis behind the quotes if it was cut.
func Quote(s string, n int) string {
	head, whole := Mask(Masked).head(s, n)
	if whole {
		return strconv.Quote(head)
	}
	return strconv.Quote(firstOf(head, n)) + ellipsis
}

// Name returns a name unchanged if it is plain, otherwise as a Go string literal. A plain name is
// printable, has no quotes or backslashes and no space at its ends. Name masks nothing.
func Name(s string) string {
	special := func(r rune) bool {
		return !unicode.IsPrint(r) || r == utf8.RuneError || r == '"' || r == '\\'
	}
	if s == "" || strings.TrimSpace(s) != s || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}

// Printable returns s with a space in place of each character that breaks a line, commands a
// terminal or cannot be printed for another reason, in valid UTF-8. Characters of keep stay. It
// masks nothing.
func Printable(s, keep string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || strings.ContainsRune(keep, r) {
			return r
		}
		return ' '
	}, valid(s))
}

// Count returns "1 file" or "2 files" for the noun "file".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Beginning is the function [Beginning] with this mask.
func (m Mask) Beginning(s string, n int) string {
	out, whole := m.head(s, n)
	if whole {
		return strings.Clone(out)
	}
	return begun(out, n)
}

// Ending is the function [Ending] with this mask.
func (m Mask) Ending(s string, n int) string {
	out, whole := m.tail(s, n)
	switch {
	case whole:
		return strings.Clone(out)
	case n < len(ellipsis):
		return ""
	}
	return ellipsis + lastOf(out, n-len(ellipsis))
}

// BothEnds is the function [BothEnds] with this mask.
func (m Mask) BothEnds(s string, n int) string {
	head := n / 4
	switch {
	case len(s) <= n:
		return m.Beginning(s, n)
	case head < len(ellipsis):
		return m.Ending(s, n)
	}
	return m.Beginning(s, head) + "\n" + m.Ending(s, n-head-1)
}

// Head is the function [Head] with this mask.
func (m Mask) Head(s string, n int) string {
	out, _ := m.head(s, n)
	return strings.Clone(firstOf(out, n))
}

// Tail is the function [Tail] with this mask.
func (m Mask) Tail(s string, n int) string {
	out, _ := m.tail(s, n)
	return strings.Clone(lastOf(out, n))
}

// OneLine is the function [OneLine] with this mask.
func (m Mask) OneLine(s string, n int) string {
	const spare = 4 // times n, for white space that takes no room on the line
	s = m.Beginning(strings.TrimSpace(s), spare*n)
	s = strings.Join(strings.Fields(Printable(s, "")), " ")
	if len(s) <= n {
		return s
	}
	return begun(s, n)
}

// head returns the beginning of s, masked. It has at most n bytes if it is the whole text;
// otherwise n bytes of it may be kept.
func (m Mask) head(s string, n int) (out string, whole bool) {
	seen := s[:min(len(s), n+Margin)]
	out = m(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		// Masks have shortened the text so much that the end of the searched part would be kept,
		// perhaps with half of a secret.
		return out[:commonPrefix(out, m(s[:n]))], false
	}
	return out, len(out) <= n
}

func (m Mask) tail(s string, n int) (out string, whole bool) {
	seen := s[max(0, len(s)-n-Margin):]
	out = m(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		return out[len(out)-commonSuffix(out, m(s[len(s)-n:])):], false
	}
	return out, len(out) <= n
}

// begun returns the beginning of s with an ellipsis, n bytes together.
func begun(s string, n int) string {
	if n < len(ellipsis) {
		return ""
	}
	return firstOf(s, n-len(ellipsis)) + ellipsis
}

// firstOf returns at most n bytes of s, which is valid UTF-8, from its beginning.
func firstOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func lastOf(s string, n int) string {
	s = s[max(0, len(s)-n):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// markerLine matches a line of several words in capitals, or the word BLOCKED. Text can follow after
// a colon.
var markerLine = regexp.MustCompile(`(?m)^[ \t]*(BLOCKED|[A-Z]+([_ ][A-Z]+)+)[ \t]*(:.*)?$`)

// QuoteMarkers puts "| " before each line that an agent could end its answer with, such as
// "TASK_COMPLETE" or "BLOCKED: why". So the line does not count if an answer quotes its prompt.
func QuoteMarkers(s string) string { return markerLine.ReplaceAllString(s, "| $0") }
