package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// badMark stands for a value that was reported already. It is put into the text before that is read
// again.
const badMark = "\uE000"

// edit replaces bytes of a line; the rest of the line keeps its columns.
type edit struct {
	line, from, to int
	with           string
}

// mend notes how a line can be read in spite of a fault in it.
func (s *scanner) mend(line, from, to int, with string) {
	text := s.lines.line(line)
	fill := utf8.RuneCountInString(text[from:to]) - utf8.RuneCountInString(with)
	if fill >= 0 && len(s.edits) <= maxFinds {
		s.edits = append(s.edits, edit{line, from, to, with + strings.Repeat(" ", fill)})
	}
}

// mended returns the text with all edits made.
func (s *scanner) mended() string {
	out := slices.Clone(s.lines.text)
	for edits := s.edits; len(edits) > 0; {
		line := edits[0].line
		n := slices.IndexFunc(edits, func(e edit) bool { return e.line != line })
		if n < 0 {
			n = len(edits)
		}
		out[line-1] = editLine(out[line-1], edits[:n])
		edits = edits[n:]
	}
	return strings.Join(out, "\n")
}

// editLine makes the edits of one line, which come in its order. One inside of another is left out.
func editLine(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue
		}
		b.WriteString(text[at:e.from])
		b.WriteString(e.with)
		at = e.to
	}
	return b.String() + text[at:]
}
