package diag

import (
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Source is a file as read. It is safe for concurrent use, and must not be copied.
type Source struct {
	Name  string // as the user gave it; "-" is standard input
	Bytes []byte

	split sync.Once
	lines []string
	files []File // that the file includes

	mu    sync.Mutex
	marks map[int][]int // by line that was looked into and is long: the byte offset of every markEvery-th character
}

// markEvery bounds how far a line is walked to find a column of it.
const markEvery = 256

// NewSource returns the source of name. It keeps src and does not change it. A byte order mark is
// no part of the first line.
func NewSource(name string, src []byte) *Source { return &Source{Name: name, Bytes: src} }

// all returns the lines. They are split when they are first asked for: most taxonomies have no
// findings.
func (s *Source) all() []string {
	s.split.Do(func() {
		s.lines = strings.Split(strings.TrimPrefix(string(s.Bytes), "\uFEFF"), "\n")
		for i, line := range s.lines {
			if name, ok := strings.CutPrefix(line, FileMark); ok {
				if name, err := strconv.Unquote(name); err == nil {
					s.files = append(s.files, File{Name: name, First: i + 2})
				}
			}
		}
	})
	return s.lines
}

// FileMark begins the line before an included file. The file's path follows as a Go string.
const FileMark = "--- # errgen:file "

// File is an included file, which follows the source's own lines.
type File struct {
	Name  string // path below the directory of the source
	First int    // its first line in the source
}

// Files returns the included files.
func (s *Source) Files() []File {
	s.all()
	return s.files
}

// Place returns the file that a line belongs to, as messages name it, and the line's number there.
func (s *Source) Place(line int) (name string, local int) {
	name, local = s.Display(), line
	if s == nil {
		return name, local
	}
	for _, f := range s.Files() {
		if line < f.First {
			break
		}
		name, local = f.Name, line-f.First+1
		if s.Name != "-" {
			name = filepath.Join(filepath.Dir(s.Name), filepath.FromSlash(f.Name))
		}
	}
	return name, local
}

// Line returns the text of the 1-based line n without its line end, or "" if it does not exist.
func (s *Source) Line(n int) string {
	if s == nil {
		return ""
	}
	lines := s.all()
	if n < 1 || n > len(lines) {
		return ""
	}
	if n == len(lines) {
		return lines[n-1] // no newline follows, so a carriage return is text
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

// Lines returns the number of lines.
func (s *Source) Lines() int {
	if s == nil {
		return 0
	}
	return len(s.all())
}

// From returns the text of a line from a 1-based column on.
func (s *Source) From(line, col int) string {
	rest, _ := s.from(line, col-1)
	return rest
}

// from returns a line from a character on, counted from zero, and the number of characters before
// that: all of the line when it has fewer. Many findings can stand on one line of megabytes, so
// that it is not walked for each.
func (s *Source) from(line, char int) (rest string, before int) {
	text := s.Line(line)
	off := 0
	if len(text) > markEvery {
		marks := s.marksOf(line, text)
		m := min(char/markEvery, len(marks)-1)
		off, before = marks[m], m*markEvery
	}
	for before < char && off < len(text) {
		size := 1
		if text[off] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(text[off:])
		}
		off += size
		before++
	}
	return text[off:], before
}

func (s *Source) marksOf(line int, text string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if marks, ok := s.marks[line]; ok {
		return marks
	}
	var marks []int
	n := 0
	for off := range text {
		if n%markEvery == 0 {
			marks = append(marks, off)
		}
		n++
	}
	if s.marks == nil {
		s.marks = make(map[int][]int)
	}
	s.marks[line] = marks
	return marks
}

// Display returns what messages call the file.
func (s *Source) Display() string {
	switch {
	case s == nil:
		return "<unknown>"
	case s.Name == "-":
		return "<stdin>"
	}
	return s.Name
}
