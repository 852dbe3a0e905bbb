package planfile

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// item is one item of a list, as it is written, with its lines joined.
type item struct {
	r    *reader
	text string
	// lines are where lines of the text begin in it, and where they come from.
	lines []origin
}

type origin struct{ at, source int }

// items returns the items of the lists in a section, and reports what else is there.
func (r *reader) items(s section, example string) []item {
	var all []item
	for _, n := range s.nodes {
		list, ok := n.(*ast.List)
		if !ok {
			if !r.comment(n) {
				r.wrong(n.Pos(), "here is a list only: write each item on a line of its own, such as - %s", example)
			}
			continue
		}
		for li := list.FirstChild(); li != nil; li = li.NextSibling() {
			if it, ok := r.item(li, example); ok {
				all = append(all, it)
			}
		}
	}
	return all
}

// item returns what an item says.
func (r *reader) item(li ast.Node, example string) (item, bool) {
	block := li.FirstChild()
	switch {
	case block == nil:
		r.wrong(li.Pos(), "the item is empty; write such as - %s, or remove it", example)
		return item{}, false
	case block.Kind() != ast.KindTextBlock && block.Kind() != ast.KindParagraph:
		r.wrong(li.Pos(), "this is no item of plain text; write such as - %s", example)
		return item{}, false
	case block.NextSibling() != nil:
		r.wrong(block.NextSibling().Pos(), "an item is one text, with nothing below it; write an item of its own")
		return item{}, false
	}
	it := item{r: r}
	var b strings.Builder
	for _, line := range block.Lines().Sliced(0, block.Lines().Len()) {
		text := string(r.doc.source[line.Start:line.Stop])
		lead := len(text) - len(strings.TrimLeft(text, " \t"))
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		it.lines = append(it.lines, origin{b.Len(), line.Start + lead})
		b.WriteString(strings.TrimSpace(text))
	}
	it.text = b.String()
	return it, true
}

// wrong reports a problem at an offset of the item's text.
func (it item) wrong(at int, format string, args ...any) {
	it.r.wrong(it.source(at), format, args...)
}

// source returns where a part of the item's text comes from.
func (it item) source(at int) int {
	from := origin{}
	for _, line := range it.lines {
		if line.at <= at {
			from = line
		}
	}
	return from.source + at - from.at
}

// line returns the line that the item begins in.
func (it item) line() int {
	line, _ := it.r.place(it.source(0))
	return line
}
