package diag

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Source is a file as read.
type Source struct {
	Name  string // as the user gave it; "-" is standard input
	Bytes []byte

	lines []string
	files []file   // that the file includes
	long  struct { // marks of the last long line that From read
		line  int
		marks []int // the offset of every markEvery-th character
	}
}

// NewSource returns the source of name. It keeps src and does not change it. A byte order mark is
// no part of the first line.
func NewSource(name string, src []byte) *Source { return &Source{Name: name, Bytes: src} }

// all returns the lines. They are split when they are first asked for: most taxonomies have no
// findings.
func (s *Source) all() []string {
	if s.lines != nil {
		return s.lines
	}
	s.lines = strings.Split(strings.TrimPrefix(string(s.Bytes), "\uFEFF"), "\n")
	for i, line := range s.lines {
		if name, ok := strings.CutPrefix(line, FileMark); ok {
			if name, err := strconv.Unquote(name); err == nil {
				s.files = append(s.files, file{name, i + 2})
			}
		}
	}
	return s.lines
}

// FileMark begins the line before an included file. The file's path follows as a Go string.
const FileMark = "--- # errgen:file "

// file is an included file, which follows the source's own lines.
type file struct {
	name  string // path below the directory of the source
	first int    // its first line in the source
}

// Place returns the file that a line belongs to, as messages name it, and the line's number there.
func (s *Source) Place(line int) (name string, local int) {
	name, local = s.Display(), line
	if s == nil {
		return name, local
	}
	s.all()
	for _, f := range s.files {
		if line < f.first {
			break
		}
		name, local = f.name, line-f.first+1
		if s.Name != "-" {
			name = filepath.Join(filepath.Dir(s.Name), filepath.FromSlash(f.name))
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

// markEvery is the number of characters between two marks of a long line.
const markEvery = 256

// From returns the text of a line from a 1-based column on. It keeps marks of the last long line,
// because files exist that have only one line.
func (s *Source) From(line, col int) string {
	text := s.Line(line)
	if len(text) <= markEvery {
		return text[skip(text, col-1):]
	}
	if s.long.line != line {
		s.long.line, s.long.marks = line, []int{0}
		for at := 0; at < len(text); {
			at += skip(text[at:], markEvery)
			s.long.marks = append(s.long.marks, at)
		}
	}
	i := min(max(col-1, 0)/markEvery, len(s.long.marks)-1)
	at := s.long.marks[i]
	return text[at+skip(text[at:], col-1-i*markEvery):]
}

// skip returns the length of the first n characters of a text, in bytes.
func skip(text string, n int) (length int) {
	for ; n > 0 && length < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[length:])
		length += size
	}
	return length
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

// FromRoot returns files with their names relative to the root of the repository that contains dir,
// to which their names are relative. Services show findings at such paths. Other files keep their
// names.
func FromRoot(dir string, files ...FileFindings) []FileFindings {
	dir, err := filepath.Abs(dir)
	root := repository(dir)
	if err != nil || root == "" {
		return files
	}
	var out []FileFindings
	for _, f := range files {
		if f.Source != nil && f.Source.Name != "-" {
			name := f.Source.Name
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
				f.Source = NewSource(filepath.ToSlash(rel), f.Source.Bytes)
			}
		}
		out = append(out, f)
	}
	return out
}

// repository returns the nearest parent of a directory with .git. Without one, it is the workspace
// of the job on GitHub, which can be a download without a repository.
func repository(dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return os.Getenv("GITHUB_WORKSPACE")
		}
	}
}
