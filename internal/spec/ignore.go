package spec

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// Ignore is a comment "# errgen:ignore ID, ID -- reason", which covers a key or an item with all
// that is below it. This is the key or item on the line of the comment. If the comment is alone on
// its line, it is the one on the next line with content. An errgen:ignore-file covers the whole
// file.
type Ignore struct {
	IDs   []Text
	First int       // the first line that it covers
	Last  int       // the last one
	Span  diag.Span // the comment
}

// Covers reports whether the comment silences f. Errors are never silenced.
func (g Ignore) Covers(f diag.Finding) bool {
	if f.Severity != diag.Warning || f.Span.Line < g.First || f.Span.Line > g.Last {
		return false
	}
	return slices.ContainsFunc(g.IDs, func(id Text) bool { return id.V == f.ID })
}

// ignoreMark matches an ignore comment: the word for the whole file, and the ids before a reason.
var ignoreMark = regexp.MustCompile(`(?:^|[ \t])(# errgen:ignore(-file)?(.*?))(?:--.*?)?[ \t]*$`)

var (
	ignoredID = regexp.MustCompile(`[^, \t]+`)
	warningID = regexp.MustCompile(`^W-[a-z0-9]+(-[a-z0-9]+)*$`)
)

// ignores returns the ignore comments of a file.
func (d *decoder) ignores() []Ignore {
	var out []Ignore
	for n := 1; n <= d.lines.Lines(); n++ {
		line := d.lines.Line(n)
		if !strings.Contains(line, "# errgen:ignore") {
			continue // the expression is slow
		}
		m := ignoreMark.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		g := Ignore{First: n, Span: d.lines.rest(n, utf8.RuneCountInString(line[:m[2]])+1)}
		for g.First < d.lines.Lines() && isBlank(d.lines.Line(g.First)) {
			g.First++
		}
		g.Last = d.lastLine(g.First)
		if m[4] >= 0 {
			g.First, g.Last = 0, d.lines.Lines()
		}
		ids := ignoredID.FindAllStringIndex(line[m[6]:m[7]], -1)
		for _, i := range ids {
			from, to := m[6]+i[0], m[6]+i[1]
			id := Text{V: line[from:to], Span: d.lines.bytes(n, from, to), Set: true}
			if warningID.MatchString(id.V) {
				g.IDs = append(g.IDs, id)
				continue
			}
			d.fail(IDIgnore, id.Span, "name a warning (W-…), and put the reason behind --", "%q cannot be ignored",
				clip(id.V))
		}
		if len(ids) == 0 {
			d.fail(IDIgnore, g.Span, "write # errgen:ignore W-unsorted -- and the reason", "nothing is ignored")
		}
		if len(g.IDs) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// bytes returns the span of some bytes of a line.
func (l *lines) bytes(line, from, to int) diag.Span {
	text := l.Line(line)
	return l.at(line, utf8.RuneCountInString(text[:from])+1, utf8.RuneCountInString(text[from:to]))
}

// isBlank reports whether a line contains nothing, or only a comment.
func isBlank(text string) bool {
	body := strings.TrimLeft(text, " \t")
	return body == "" || body[0] == '#'
}

// lastLine returns the last line of the key or item that begins on line first.
func (d *decoder) lastLine(first int) int {
	indent := indentOf(d.lines.Line(first))
	item := strings.HasPrefix(d.lines.Line(first)[indent:], "-")
	last := first
	for n := first + 1; n <= d.lines.Lines(); n++ {
		text := d.lines.Line(n)
		in := indentOf(text)
		if isBlank(text) && (in == len(text) || in <= indent) { // a deeper comment can be text of a block
			continue
		}
		isItem := strings.HasPrefix(text[in:]+" ", "- ")
		if in < indent || in == indent && strings.IndexByte("}]", text[in]) < 0 && (item || !isItem) {
			break
		}
		last = n
	}
	return last
}
