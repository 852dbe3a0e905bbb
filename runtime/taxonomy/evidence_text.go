package taxonomy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// Bounds on the printed evidence, in bytes. maxList is the number of files and of attributes. A
// text and an output keep their end, where tools report the failure.
const (
	maxWord  = 256
	maxValue = 1024
	maxText  = maxMessage
	maxList  = 64
	// surroundings is the length of text around the printed part that is searched for secrets, so
	// that a secret that the cut splits is masked.
	surroundings = 16 << 10
)

// beginning returns the beginning of s, secrets masked. It looks at a bounded part of s only.
func beginning(s string, limit int) string {
	if len(s) <= limit {
		return atMost(redact.Scrub(s), limit, false)
	}
	masked := maskedPart(s[:min(len(s), limit+surroundings)], 0, limit)
	return atMost(masked+redact.Ellipsis, limit, false)
}

// ending returns the end of s, secrets masked. It looks at a bounded part of s only.
func ending(s string, limit int) string {
	if len(s) <= limit {
		return atMost(redact.Scrub(s), limit, true)
	}
	s = s[max(0, len(s)-limit-surroundings):]
	masked := maskedPart(s, len(s)-limit, len(s))
	return atMost(redact.Ellipsis+masked, limit, true)
}

// atMost returns valid UTF-8 of at most limit bytes.
func atMost(masked string, limit int, tail bool) string {
	masked = strings.ToValidUTF8(masked, "\uFFFD")
	if len(masked) <= limit {
		return masked
	}
	return strings.Clone(redact.Cut(masked, limit, tail))
}

// maskedPart returns s[from:to] with the parts of secrets of s masked, and without a rune that a
// bound splits.
func maskedPart(s string, from, to int) string {
	for from < to && from > 0 && !utf8.RuneStart(s[from]) {
		from++
	}
	for to > from && to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	var b strings.Builder
	done := from
	for start, end := redact.Next(s, 0, 0); start >= 0 && start < to; start, end = redact.Next(s, end, end) {
		if end <= done {
			continue
		}
		b.WriteString(s[done:max(start, done)])
		b.WriteString(redact.Mask)
		done = end
	}
	if done < to {
		b.WriteString(s[done:to])
	}
	return b.String()
}

// oneLine returns s without anything that breaks a line or commands a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// errorText returns the text of an error that may be anybody's: "" for nil, a note when its Error
// method panics or its tree is so great that a text made of all that is in it might have no end.
func errorText(err error) string {
	if !errtree.Ends(err) {
		return fmt.Sprintf("(%T has too many causes to be shown)", err)
	}
	return errtree.Text(err)
}

// reaches reports whether e is in err's tree, so that asking err for its text would ask e again. A
// tree without an end counts as one.
func reaches(err error, e *Evidence) bool {
	found, all := errtree.Find(err, func(x error) bool { return x == error(e) })
	return found || !all
}
