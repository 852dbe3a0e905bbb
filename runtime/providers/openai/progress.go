package openai

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
)

// maxLine bounds in bytes a line of progress.
const maxLine = 1 << 10

// lines makes lines of the pieces in which a text comes.
type lines struct {
	tell func(line string)
	mask wire.Mask
	line strings.Builder // with so much more than is told that a secret which the cut goes through is seen as one
}

func (l *lines) add(piece string) {
	for {
		before, after, ended := strings.Cut(piece, "\n")
		l.line.WriteString(before[:min(len(before), max(0, maxLine+text.Margin+1-l.line.Len()))])
		if !ended {
			return
		}
		l.flush()
		piece = after
	}
}

// flush ends the line.
func (l *lines) flush() {
	line := strings.TrimSpace(l.mask.Head(l.line.String(), maxLine))
	l.line.Reset()
	if line != "" {
		l.tell(line)
	}
}
