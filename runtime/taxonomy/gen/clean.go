package gen

import (
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/redact"
	"github.com/errgen/errgen/runtime/taxonomy/internal/printable"
)

// Clean specifies how a text is shown: the flags below, or'ed with the maximum length in bytes (0
// is no limit). A text is scrubbed first and then cut. Cleaning a clean text changes nothing. A
// text that is not scrubbed is cut so that taxonomy.Redact still masks the rest of its secrets.
type Clean uint32

// The flags of a Clean.
const (
	// Scrub masks secrets.
	Scrub Clean = 1 << 31
	// KeepTail keeps the end of a text that is too long, in place of its beginning.
	KeepTail Clean = 1 << 30

	maxLength = KeepTail - 1
)

// causeText is how the text of an error that is not of a taxonomy is shown.
const causeText = Scrub | 4096

// Printable returns s with escapes for characters that control a terminal or change the direction
// of text.
func Printable(s string) string { return printable.Text(s) }

// Text returns s cleaned. It cuts a text that is too long as c specifies. If only the masks
// make a text too long, Text cuts its end, so that the kept beginning never depends on the rest.
func (c Clean) Text(s string) string {
	before, kept, after := c.parts(s)
	if before == "" && after == "" {
		return kept
	}
	return before + kept + after
}

// parts returns the result of Text in three parts. The first and the last need no escaping.
func (c Clean) parts(s string) (before, kept, after string) {
	tail := c&KeepTail != 0 && c.tooLong(len(s))
	if c&Scrub != 0 {
		s = redact.Scrub(s)
	}
	switch {
	case !c.tooLong(len(s)):
		return "", s, ""
	case c&Scrub == 0:
		return redact.KeptPlain(s, c.limit(), tail)
	}
	return redact.Kept(s, c.limit(), tail)
}

// Line returns the first line of s cleaned.
func (c Clean) Line(s string) string { return string(c.appendLine(nil, s)) }

func (c Clean) limit() int { return int(c & maxLength) }

// tooLong reports whether c does not allow n bytes.
func (c Clean) tooLong(n int) bool { return c.limit() != 0 && n > c.limit() }

// append appends s cleaned.
func (c Clean) append(dst []byte, s string) []byte {
	if !c.tooLong(len(s)) {
		if c&Scrub == 0 {
			return append(dst, s...)
		}
		start := len(dst)
		if dst = redact.Append(dst, s); !c.tooLong(len(dst) - start) {
			return dst
		}
		dst = dst[:start]
	}
	before, kept, after := c.parts(s)
	return append(append(append(dst, before...), kept...), after...)
}

// appendLine appends the first line of s cleaned.
func (c Clean) appendLine(dst []byte, s string) []byte {
	switch {
	case c&Scrub == 0 || c.tooLong(len(s)):
		return c.appendLineOfParts(dst, s)
	case !redact.Has(s, redact.Trigger|redact.Short): // neither a secret nor the end of a line
		return append(dst, s...)
	}
	start := len(dst)
	dst = redact.AppendLine(dst, s)
	if c.tooLong(len(dst) - start + len(redact.Ellipsis) + 1) { // a cut may end in this line
		return c.appendLineOfParts(dst[:start], s)
	}
	return dst
}

func (c Clean) appendLineOfParts(dst []byte, s string) []byte {
	before, kept, after := c.parts(s)
	line := firstLine(kept)
	dst = append(append(dst, before...), line...)
	if len(line) < len(kept) {
		return dst
	}
	return append(dst, after...)
}

// appendClean appends s, cleaned, as a JSON string.
func appendClean(dst []byte, s string, c Clean) []byte {
	switch {
	case c&Scrub == 0 || c.tooLong(len(s)):
		return c.appendJSONParts(dst, s)
	case !redact.Has(s, toEscape|redact.Trigger):
		dst = append(append(dst, '"'), s...)
		return append(dst, '"')
	}
	start := len(dst)
	dst, grown := appendScrubbed(append(dst, '"'), s)
	if c.tooLong(len(s) + grown) {
		return c.appendJSONParts(dst[:start], s)
	}
	return append(dst, '"')
}

func (c Clean) appendJSONParts(dst []byte, s string) []byte {
	before, kept, after := c.parts(s)
	dst = append(append(dst, '"'), before...)
	dst = append(appendText(dst, kept), after...)
	return append(dst, '"')
}

func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	if i := strings.IndexByte(s, '\r'); i >= 0 {
		s = s[:i]
	}
	return s
}

// echo quotes the beginning of untrusted text for an error message.
func echo(s string) string {
	return strconv.Quote((Scrub | 64).Text(s))
}
