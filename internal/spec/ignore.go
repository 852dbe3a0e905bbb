package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

const ignoreWord = "errgen:ignore"

// Ignore is a comment "# errgen:ignore ID, ID -- reason". Behind a key or item it stands at what
// begins on its line; on a line of its own, at what begins on the next line that holds anything. It
// covers that with all that is under it.
type Ignore struct {
	IDs   []Text
	First int // the lines that it covers
	Last  int
	Span  diag.Span // the comment
}

// Covers reports whether the comment silences f. Errors are never silenced.
func (g Ignore) Covers(f diag.Finding) bool {
	if f.Severity != diag.Warning || f.Span.Line < g.First || f.Span.Line > g.Last {
		return false
	}
	return slices.ContainsFunc(g.IDs, func(id Text) bool { return id.V == f.ID })
}

// ignores finds the ignore comments of a file.
func (d *decoder) ignores(l *lines, root *node) []Ignore {
	found := map[int]bool{} // the lines that hold the word
	for i, text := range l.text {
		if strings.Contains(text, ignoreWord) {
			found[i+1] = true
		}
	}
	if len(found) == 0 {
		return nil
	}
	quoted := map[int][]diag.Span{}
	quotedLines(l, root, found, quoted)
	var out []Ignore
	next := contentLines(l)
	ends := map[int]int{}
	for n := 1; n <= len(l.text); n++ {
		if !found[n] {
			continue
		}
		at, ok := commentStart(l, n, quoted[n])
		if !ok {
			continue
		}
		if g, ok := d.ignore(l, n, at); ok {
			g.First = next[n]
			if ends[g.First] == 0 {
				ends[g.First] = blockEnd(l, g.First)
			}
			g.Last = ends[g.First]
			out = append(out, g)
		}
	}
	return out
}

// contentLines returns for each line the first from it on that holds more than a comment.
func contentLines(l *lines) []int {
	next := make([]int, len(l.text)+2)
	next[len(l.text)+1] = len(l.text)
	for n := len(l.text); n > 0; n-- {
		next[n] = n
		if isBlank(l.line(n)) {
			next[n] = next[n+1]
		}
	}
	return next
}

// isBlank reports whether the line holds nothing, or a comment only.
func isBlank(text string) bool {
	body := strings.TrimLeft(text, " \t")
	return body == "" || body[0] == '#'
}

// blockEnd returns the last line of what begins on line n.
func blockEnd(l *lines, n int) int {
	indent, item := leadingSpaces(l.line(n)), strings.HasPrefix(strings.TrimLeft(l.line(n), " "), "-")
	last := n
	for k := n + 1; k <= len(l.text); k++ {
		text := l.line(k)
		if isBlank(text) {
			continue
		}
		body := strings.TrimLeft(text, " ")
		in := len(text)-len(body) > indent
		if len(text)-len(body) == indent {
			in = body[0] == '}' || body[0] == ']' || !item && isDash(body)
		}
		if !in {
			break
		}
		last = k
	}
	return last
}

// commentStart returns the byte offset of the ignore comment on line n; not ok when its words stand
// in text. The line is walked once, however much is quoted on it.
func commentStart(l *lines, n int, quoted []diag.Span) (int, bool) {
	slices.SortFunc(quoted, func(a, b diag.Span) int { return a.Col - b.Col })
	text, col := l.line(n), 0
	for off, r := range text {
		col++
		if r != '#' || off > 0 && text[off-1] != ' ' && text[off-1] != '\t' {
			continue
		}
		for len(quoted) > 0 && quoted[0].Col+quoted[0].Len <= col {
			quoted = quoted[1:]
		}
		if len(quoted) == 0 || quoted[0].Col > col {
			return off, strings.HasPrefix(strings.TrimLeft(text[off:], "# \t"), ignoreWord)
		}
	}
	return 0, false
}

// quotedLines collects, for the lines in question, where text stands that is no comment.
func quotedLines(l *lines, n *node, found map[int]bool, out map[int][]diag.Span) {
	add := func(line, col, length int) {
		if found[line] {
			out[line] = append(out[line], diag.Span{Line: line, Col: col, Len: length})
		}
	}
	for _, item := range n.items {
		quotedLines(l, item, found, out)
	}
	for _, e := range n.entries {
		quotedLines(l, e.key, found, out)
		quotedLines(l, e.value, found, out)
	}
	if n.kind != scalarNode || n.style == plain {
		return
	}
	if n.style == block {
		for line := range blockLines(l, n.span.Line) {
			add(line, 1, l.width(line)+1)
		}
		return
	}
	add(n.span.Line, n.span.Col, n.span.Len)
	text := l.from(n.span.Line, n.span.Col)
	if quoteEnd(text) > 0 || text == "" {
		return
	}
	for line := n.span.Line + 1; line <= len(l.text); line++ {
		// The rest of a text reads like one that was opened at the start of the line.
		end := quoteEnd(text[:1] + l.line(line))
		if end > 0 {
			add(line, 1, utf8.RuneCountInString(l.line(line)[:end-1]))
			return
		}
		add(line, 1, l.width(line)+1)
	}
}

// blockLines yields the lines of the block text whose header stands on a line.
func blockLines(l *lines, header int) func(yield func(line int) bool) {
	return func(yield func(int) bool) {
		indent := 0
		for n := header + 1; n <= len(l.text); n++ {
			text := l.line(n)
			if strings.Trim(text, " ") == "" {
				continue
			}
			if indent == 0 {
				indent = max(leadingSpaces(text), 1)
			}
			if leadingSpaces(text) < indent || !yield(n) {
				return
			}
		}
	}
}

var findingID = regexp.MustCompile(`^[EW]-[a-z0-9]+(-[a-z0-9]+)*$`)

// ignore reads the comment at a byte offset of line n.
func (d *decoder) ignore(l *lines, n, off int) (Ignore, bool) {
	text := strings.TrimRight(l.line(n), " \t")
	col := utf8.RuneCountInString(text[:off]) + 1
	g := Ignore{Span: l.span(n, col, utf8.RuneCountInString(text[off:]))}
	rest := off + strings.Index(text[off:], ignoreWord) + len(ignoreWord)
	list, _, _ := strings.Cut(text[rest:], "--")
	idCol, counted := utf8.RuneCountInString(text[:rest])+1, 0
	for from := 0; from < len(list); {
		size := strings.IndexAny(list[from:], ", \t")
		if size == 0 {
			from++
			continue
		}
		if size < 0 {
			size = len(list) - from
		}
		id := list[from : from+size]
		idCol += utf8.RuneCountInString(list[counted:from])
		counted = from
		at := l.span(n, idCol, utf8.RuneCountInString(id))
		d.ignoreID(&g, Text{V: id, Span: at, Set: true})
		from += size
	}
	if len(g.IDs) == 0 && strings.Trim(list, ", \t") == "" {
		d.fail(IDIgnore, g.Span, "this comment names nothing to ignore",
			"write # errgen:ignore W-unsorted -- and the reason")
	}
	return g, len(g.IDs) > 0
}

func (d *decoder) ignoreID(g *Ignore, id Text) {
	switch {
	case !findingID.MatchString(id.V):
		d.fail(IDIgnore, id.Span, fmt.Sprintf("%q is not the id of a finding", clip(id.V)), "put the reason behind --")
	case id.V[0] == 'E':
		d.fail(IDIgnore, id.Span, "an error cannot be ignored: "+clip(id.V), "only warnings (W-…) can")
	default:
		g.IDs = append(g.IDs, id)
	}
}
