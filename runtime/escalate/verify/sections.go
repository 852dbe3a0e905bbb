package verify

import (
	"bytes"
	"strings"
)

// sections looks for headings in a Markdown file.
func (l *looking) sections() *unmet {
	quoted := make([]string, len(l.k.Texts))
	for i, text := range l.k.Texts {
		quoted[i] = named(text)
	}
	expected := "the sections " + strings.Join(quoted, ", ")
	data, err := contents(l.ctx, l.root, l.name, l.maxRead)
	if err != nil {
		return l.unread(typeSections, expected, err)
	}
	found := headings(data)
	var lacking []string
	for i, text := range l.k.Texts {
		if !hasHeading(found, text) {
			lacking = append(lacking, quoted[i])
		}
	}
	if lacking == nil {
		return nil
	}
	return &unmet{kind: typeSections, expected: expected, actual: "none of " + strings.Join(lacking, ", ")}
}

// hasHeading reports whether a heading is wanted with that text, which may begin with # for its
// level.
func hasHeading(all []heading, wanted string) bool {
	level, text := atx(strings.TrimSpace(wanted))
	if level == 0 {
		text = wanted
	}
	text = plainHeading(text)
	for _, h := range all {
		if (level == 0 || level == h.level) && strings.EqualFold(h.text, text) {
			return true
		}
	}
	return false
}

// heading is a heading of a Markdown text.
type heading struct {
	level int
	text  string
}

// headings returns the headings of a Markdown text, as CommonMark has them outside of quotes: those
// that begin with #, and those that are underlined. Code, comments and preformatted HTML have none.
func headings(data []byte) []heading {
	var m markdown
	for line := range bytes.Lines(data) {
		m.line(strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD"))
	}
	return m.found
}

// plainHeading returns the text of a heading without what emphasizes it, and with single spaces.
func plainHeading(text string) string {
	return strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(text), "*_`")), " ")
}
