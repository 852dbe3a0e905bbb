package openai

import "strings"

// maxLine bounds in bytes a line of progress.
const maxLine = 1 << 10

// lines makes lines of the pieces in which a text comes.
type lines struct {
	tell func(line string)
	line strings.Builder
}

func (l *lines) add(piece string) {
	for {
		before, after, ended := strings.Cut(piece, "\n")
		l.line.WriteString(before[:min(len(before), max(0, maxLine-l.line.Len()))])
		if !ended {
			return
		}
		l.flush()
		piece = after
	}
}

// flush ends the line.
func (l *lines) flush() {
	line := strings.TrimSpace(strings.ToValidUTF8(l.line.String(), ""))
	l.line.Reset()
	if line != "" {
		l.tell(line)
	}
}
