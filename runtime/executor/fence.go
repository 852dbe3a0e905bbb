package executor

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/text"
)

// The lines around feedback. What is between them is made of others' words.
const (
	fenceOpen  = "<<<<<<<< REPORT"
	fenceClose = ">>>>>>>> REPORT"
)

// Fence returns a text that others have written as a prompt may hold it: neutral, as [Neutral] has
// it, secrets masked, and between two lines that say where it begins and ends. All of it has at
// most limit bytes; of a text that is too long the first quarter and the end are kept. It is empty
// when the text is, and when the limit leaves no room for it.
func Fence(s string, limit int, m Markers) string {
	s = strings.TrimRight(s, " \t\r\n")
	inside := fitted(text.Masked(s), limit-len(fenceOpen)-len(fenceClose)-len("\n\n"), m.completed())
	if inside == "" {
		return ""
	}
	return fenceOpen + "\n" + inside + "\n" + fenceClose
}

// Neutral returns a text in which no line is a fence of [Fence] or a marker, and nothing commands a
// terminal. A line that is one is put into parentheses, also if it has other spaces, characters
// without a width or of another width, or goes on in the next line. An empty marker is the default
// of its kind, see [Markers]. The result is valid UTF-8. Neutral masks no secrets.
func Neutral(text string, m Markers) string { return neutral(text, m.completed()) }

// fitted returns a neutral text of at most n bytes.
func fitted(s string, n int, m Markers) string {
	s = neutral(s, m)
	for room := n; room > 0; {
		// A cut can make a marker.
		cut := neutral(text.BothEnds(s, room), m)
		if len(cut) <= n {
			return cut
		}
		room -= len(cut) - n
	}
	return ""
}

func neutral(s string, m Markers) string {
	s = text.Printable(s, "\n\t")
	s = strings.NewReplacer("<<<<", "<<< ", ">>>>", ">>> ").Replace(s)
	lines := strings.Split(s, "\n")
	signs := newSigns(m)
	for i := 0; i < len(lines); i++ {
		for n := signs.spelled(lines[i:]); n > 0; n-- {
			lines[i] = signs.bracketed(lines[i])
			if n > 1 {
				i++
			}
		}
	}
	return strings.Join(lines, "\n")
}

// completed returns the markers with the default for each that is empty.
func (m Markers) completed() Markers {
	return Markers{Done: cmp.Or(m.Done, defaultDone), Blocked: cmp.Or(m.Blocked, defaultBlocked)}
}

// signs are the lines that mean something in a prompt or an answer.
type signs struct {
	markers Markers
	whole   []string // shapes of whole lines
	blocked string   // the shape of what begins a line
}

func newSigns(m Markers) *signs {
	s := &signs{markers: m, blocked: shape(m.Blocked)}
	for _, line := range []string{m.Done, m.Blocked, fenceOpen, fenceClose} {
		if line = shape(line); line != "" {
			s.whole = append(s.whole, line)
		}
	}
	return s
}

// spelled returns how many of the lines, from the first, spell a sign together; 0 when they spell
// none.
func (s *signs) spelled(lines []string) int {
	said := ""
	for i, line := range lines {
		if i == 0 && s.exactly(line) {
			return 1
		}
		seen := shape(line)
		if seen == "" {
			return 0
		}
		said += seen
		if s.has(said) {
			return i + 1
		}
		if !s.begins(said) {
			return 0
		}
	}
	return 0
}

// exactly reports that a line is a marker as it is read in an answer.
func (s *signs) exactly(line string) bool {
	line = strings.TrimSpace(line)
	_, ok := s.markers.blocks(line)
	return ok || line == s.markers.Done
}

func (s *signs) has(said string) bool {
	for _, sign := range s.whole {
		if said == sign {
			return true
		}
	}
	return s.blocked != "" && strings.HasPrefix(said, s.blocked+":")
}

func (s *signs) begins(said string) bool {
	for _, sign := range s.whole {
		if strings.HasPrefix(sign, said) {
			return true
		}
	}
	return false
}

// bracketed returns a line as one that is no sign any more.
func (s *signs) bracketed(line string) string {
	line = "(" + strings.TrimSpace(line) + ")"
	for s.exactly(line) || s.has(shape(line)) {
		line = "(" + line + ")"
	}
	return line
}

// shape returns what is left of a line for the eye: without spaces and what has no width, and wide
// characters as the usual ones.
func shape(line string) string {
	return strings.Map(func(c rune) rune {
		const wide, last, usual = '！', '～', '!'
		switch {
		case c > ' ' && c < unicode.MaxASCII:
			return c
		case c >= wide && c <= last:
			return c - wide + usual
		case c == ' ' || c == '\u2800' || !unicode.IsPrint(c) ||
			unicode.In(c, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return c
	}, line)
}
