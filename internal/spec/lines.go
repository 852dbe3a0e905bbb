package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// lines is the text of a file by lines, where columns count characters. It is not safe for concurrent use.
type lines struct {
	text  []string
	runes []int         // by line; -1 until counted
	marks map[int][]int // by line that is not ASCII: the byte offset of every 256th character
}

const markEvery = 256

func newLines(text string) *lines {
	l := &lines{text: strings.Split(text, "\n"), marks: map[int][]int{}}
	l.runes = make([]int, len(l.text))
	for i, s := range l.text {
		l.text[i] = strings.TrimSuffix(s, "\r")
		l.runes[i] = -1
	}
	return l
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
	if l.runes[n-1] < 0 {
		l.runes[n-1] = utf8.RuneCountInString(l.text[n-1])
	}
	return l.runes[n-1]
}

// from returns the text of a line from a 1-based column on.
func (l *lines) from(line, col int) string {
	text := l.line(line)
	if l.width(line) == len(text) {
		return text[min(max(col-1, 0), len(text)):]
	}
	marks := l.lineMarks(line)
	skip := max(col-1, 0)
	m := min(skip/markEvery, len(marks)-1)
	off := marks[m]
	for skip -= m * markEvery; skip > 0 && off < len(text); skip-- {
		_, size := utf8.DecodeRuneInString(text[off:])
		off += size
	}
	return text[off:]
}

func (l *lines) lineMarks(line int) []int {
	if m, ok := l.marks[line]; ok {
		return m
	}
	var m []int
	n := 0
	for off := range l.line(line) {
		if n%markEvery == 0 {
			m = append(m, off)
		}
		n++
	}
	l.marks[line] = m
	return m
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
