package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxText is how many bytes of a text are looked at.
const maxText = 8 << 10

// clean returns s without secrets and without anything that breaks a line, commands a terminal or
// turns the direction of what is written.
func clean(s string) string {
	masked := text.Mask(func(s string) string { return text.Masked(withoutEscapes(s)) })
	return text.Printable(masked.Head(s, maxText), "")
}

// withoutEscapes returns s without the commands to a terminal that programs print, such as colours.
func withoutEscapes(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = rest[escapeLength(rest):]
	}
}

// escapeLength returns how long the command is that s begins with, the escape before it left out.
func escapeLength(s string) int {
	switch {
	case strings.HasPrefix(s, "["):
		if end := strings.IndexFunc(s[1:], func(r rune) bool { return '@' <= r && r <= '~' }); end >= 0 {
			return end + 2
		}
	case strings.HasPrefix(s, "]"):
		if end := strings.IndexAny(s, "\x07\x1b"); end >= 0 {
			return end + 1
		}
	}
	return 0
}

// cut returns as much of s as fits into columns, with an ellipsis in place of the rest.
func cut(s string, columns int) string {
	used, fits := 0, 0 // fits is how much of s leaves room for the ellipsis
	for i, r := range s {
		if used < columns {
			fits = i
		}
		if used += columnsOf(r); used > columns {
			if columns < 1 {
				return ""
			}
			return s[:fits] + "…"
		}
	}
	return s
}

// columnsOf returns how many columns a printable character takes.
func columnsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// elapsed returns how long something took, in whole seconds.
func elapsed(d time.Duration) string { return short(max(d, 0).Truncate(time.Second)) }

// remaining returns how long something still takes, in seconds that have begun.
func remaining(d time.Duration) string {
	return short((max(d, 0) + time.Second - 1).Truncate(time.Second))
}

// ahead returns how long something will take, more exactly when that is less than a second.
func ahead(d time.Duration) string {
	const nearly = 950 * time.Millisecond // of a whole second, which was not looked at right away
	if 0 < d && d < nearly {
		return took(d)
	}
	return remaining(d)
}

// took returns how long something took, more exactly when it was short.
func took(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return elapsed(d)
}

// short returns whole seconds as "5s", "1m05s", "2h03m".
func short(d time.Duration) string {
	s := int64(d / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// maxListed is how many files are named.
const maxListed = 5

// listed returns "2 files: a, b"; of many the first.
func listed(files []string) string {
	if len(files) == 0 {
		return text.Count(0, "file")
	}
	return text.Count(len(files), "file") + ": " + names(files)
}

func names(files []string) string {
	text := strings.Join(files[:min(len(files), maxListed)], ", ")
	if more := len(files) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mood is what a line is about.
type mood uint8

const (
	plain mood = iota
	faint
	good
	doubtful
	bad
)

// style colours lines.
type style struct{ color bool }

var colors = [...]string{faint: "\x1b[2m", good: "\x1b[32m", doubtful: "\x1b[33m", bad: "\x1b[31m"}

func (s style) paint(m mood, text string) string {
	if !s.color || m == plain || text == "" {
		return text
	}
	return colors[m] + text + "\x1b[0m"
}
