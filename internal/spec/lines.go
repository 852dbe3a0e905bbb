package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// lines is the text of a file by lines, where columns count characters. It is safe for concurrent
// use: the rules of package check ask it at the same time, so that nothing is counted only when it
// is asked for.
type lines struct {
	text  []string
	runes []int         // by line
	marks map[int][]int // by line that is not ASCII: the byte offset of every 256th character
}

const markEvery = 256

func newLines(text string) *lines {
	l := &lines{text: strings.Split(text, "\n"), marks: map[int][]int{}}
	l.runes = make([]int, len(l.text))
	for i, s := range l.text {
		s = strings.TrimSuffix(s, "\r")
		l.text[i], l.runes[i] = s, utf8.RuneCountInString(s)
		if l.runes[i] != len(s) {
			l.marks[i+1] = marksOf(s)
		}
	}
	return l
}

func marksOf(text string) []int {
	var marks []int
	n := 0
	for off := range text {
		if n%markEvery == 0 {
			marks = append(marks, off)
		}
		n++
	}
	return marks
}

// line returns the text of the 1-based line n, or "".
func (l *lines) line(n int) string {
	if n < 1 || n > len(l.text) {
		return ""
	}
	return l.text[n-1]
}

// width returns the number of characters of line n.
func (l *lines) width(n int) int {
	if n < 1 || n > len(l.text) {
		return 0
	}
	return l.runes[n-1]
}

// from returns the text of a line from a 1-based column on.
func (l *lines) from(line, col int) string {
	text := l.line(line)
	if l.width(line) == len(text) {
		return text[min(max(col-1, 0), len(text)):]
	}
	marks := l.marks[line]
	skip := max(col-1, 0)
	m := min(skip/markEvery, len(marks)-1)
	off := marks[m]
	for skip -= m * markEvery; skip > 0 && off < len(text); skip-- {
		_, size := utf8.DecodeRuneInString(text[off:])
		off += size
	}
	return text[off:]
}

// span returns the span, brought inside the file.
func (l *lines) span(line, col, length int) diag.Span {
	line = min(max(line, 1), len(l.text))
	col = min(max(col, 1), l.width(line)+1)
	return diag.Span{Line: line, Col: col, Len: max(min(length, l.width(line)+1-col), 1)}
}

// rest returns the span from a column to the end of what the line holds, without a comment.
func (l *lines) rest(line, col int) diag.Span {
	text := l.from(line, col)
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	return l.span(line, col, utf8.RuneCountInString(strings.TrimRight(text, " \t")))
}
