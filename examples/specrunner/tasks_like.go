package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// dash is whatever looks like a hyphen, in a regular expression. The soft one is none that can be
// seen.
const dash = `[\p{Pd}\x{AD}\x{2212}\x{2043}\x{02D7}\x{FE63}\x{FF0D}]`

var (
	// anyTask is how a text begins that people take for a task's: capital letters of any script,
	// any dash, digits and a colon.
	anyTask = regexp.MustCompile("^[\\[*_`]*" + `\p{Lu}[\p{Lu}\p{Lo}\p{N}_]*(?:[\s\p{Z}]*` + dash +
		`[\p{Lu}\p{Lo}\p{N}_]+)*[\s\p{Z}]*` + dash +
		`[\s\p{Z}]*\p{Nd}+` + "[\\]*_`]*" + `[\s\p{Z}]*[:\x{FF1A}\x{2236}\x{A789}\x{FE55}]`)
	// nearlyTask is what is no task's either, in a heading of the level of tasks.
	nearlyTask = regexp.MustCompile(`^\[?\p{L}[\p{L}\p{N}_]*(?:` + dash + `[\p{L}\p{N}_]+)*` + dash +
		`\p{Nd}+(?:[^\p{L}\p{N}_]|$)`)
	signs      = regexp.MustCompile(`^ {0,3}#{2,}[\s\p{Z}]*(.*)$`)
	underlined = regexp.MustCompile(`^ {0,3}(?:=+|-+)[ \t]*$`)
)

// likeTask reports whether a text begins as that of a task's heading does, to people.
func likeTask(text string) bool { return anyTask.MatchString(visible(text)) }

// visible returns a text without what cannot be seen. A soft hyphen stays.
func visible(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) && r != '\u00AD' {
			return -1
		}
		return r
	}, text))
}

// noTask says why a text begins no task, and what would. The level is that of its heading; 0 is
// that of none.
func noTask(text string, level int) string {
	const such = "%q begins no task; expected such as: ### TASK-001: Title"
	if level > 0 && level != 3 && taskHeading.MatchString(text) {
		return fmt.Sprintf("%q begins no task in a heading of level %d; expected: ### %s", text, level, text)
	}
	name, _, _ := strings.Cut(text, ":")
	for _, r := range name {
		if r > unicode.MaxASCII {
			return fmt.Sprintf(such+", with A-Z, 0-9 and hyphens only, and not %q (%U)", text, r, r)
		}
	}
	return fmt.Sprintf(such, text)
}

// unspaced returns the text of what is meant as a heading and is none, since there is no space, or
// another one than Markdown's, behind its number signs, or too many of these.
func unspaced(line string) (text string, ok bool) {
	m := signs.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], likeTask(m[1])
}

// paragraph is the first line of one, which is a heading when it is underlined.
type paragraph struct {
	text string
	line int
}

// underline takes a line that is in no block, and finds headings of two lines that look like a
// task's.
func (r *taskReader) underline(line string) {
	text := strings.TrimSpace(line)
	was := r.paragraph
	switch {
	case was.line > 0 && underlined.MatchString(line):
		r.paragraph = paragraph{}
		if likeTask(was.text) {
			r.wrong(was.line, "%s", noTask(was.text, 0))
		}
	case text == "" || strings.HasPrefix(text, "#"):
		r.paragraph = paragraph{}
	case was.line == 0:
		r.paragraph = paragraph{text, r.number}
	}
}
