package planfile

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// deepest is the deepest level of a heading that means something to a plan.
const deepest = 3

// section is a heading with what is below it.
type section struct {
	level int
	title string
	at    int // where the heading's line begins
	body  span
	nodes []ast.Node
}

// sections returns the parts of the document. The first has level 0: what stands before any
// heading.
func (r *reader) sections() []section {
	// Only blocks are of interest. Without parsers for what is inside of them `*` and `_` in
	// patterns stay what they are.
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	root := blocks.Parse(text.NewReader(r.doc.source))
	all := []section{{body: span{0, len(r.doc.source)}}}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		r.html(n)
		last := &all[len(all)-1]
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > deepest {
			last.nodes = append(last.nodes, n)
			continue
		}
		at := r.lineStart(h.Pos())
		last.body.to = at
		if !r.marked(h) {
			r.wrong(
				h.Pos(),
				"the line below makes a heading of this one: write %s in front of a heading, or leave a line empty "+
					"above ---", strings.Repeat("#", h.Level))
		}
		all = append(
			all, section{level: h.Level, title: r.title(h), at: h.Pos(),
				body: span{r.lineEnd(h.Pos()), len(r.doc.source)}})
	}
	return all
}

// marked reports whether a heading is written with #.
func (r *reader) marked(h *ast.Heading) bool { return r.doc.source[h.Pos()] == '#' }

func (r *reader) title(h *ast.Heading) string {
	return strings.TrimSpace(string(h.Lines().Value(r.doc.source)))
}

// section reads one section.
func (r *reader) section(s section) {
	p := &r.doc.Plan
	if s.level == 1 || s.level == 2 {
		r.inStep = false
	}
	switch {
	case s.level == 0:
		r.before(s)
	case s.level == 1:
		r.once(s, "title", "a plan has one title; write ## for a section or a step")
		p.Title = s.title
	case s.level == 3:
		r.part(s)
	case named(s, "Prerequisites"):
		r.once(s, "prerequisites", twice)
		p.Prerequisites = append(p.Prerequisites, prerequisites(r, s)...)
	case named(s, "Gate"):
		r.once(s, "gate", twice)
		p.Gate = append(p.Gate, gate(r, s)...)
	default:
		r.step(s)
	}
}

const twice = "there is such a section already; put all of it there"

// named reports whether a section has a name, whatever the case of its letters.
func named(s section, name string) bool {
	return strings.EqualFold(strings.TrimSuffix(s.title, ":"), name)
}

// once reports what must not be there twice.
func (r *reader) once(s section, what, problem string) {
	if r.seen[what] {
		r.wrong(s.at, "%s", problem)
	}
	r.seen[what] = true
}

// before reports text in front of the title, which is most likely a heading without its mark.
func (r *reader) before(s section) {
	for _, n := range s.nodes {
		if !r.comment(n) {
			r.wrong(n.Pos(), "a plan begins with its title: write # and the title here")
			return
		}
	}
}

// comment reports whether a block is a comment, which means nothing outside of instructions.
func (r *reader) comment(n ast.Node) bool {
	html, ok := n.(*ast.HTMLBlock)
	return ok && html.HTMLBlockType == ast.HTMLBlockType2
}

// part reads a section of a step.
func (r *reader) part(s section) {
	last := len(r.doc.Plan.Steps) - 1
	if !r.inStep {
		r.wrong(
			s.at, "this heading belongs to no step: write ## for a section of the plan, or ## Step 1: and a title "+
				"above it")
		return
	}
	step := &r.doc.Plan.Steps[last]
	switch {
	case named(s, "Prerequisites"):
		r.once(s, fmt.Sprint("prerequisites of ", last), twice)
		step.Prerequisites = append(step.Prerequisites, prerequisites(r, s)...)
	case named(s, "Success criteria"):
		r.once(s, fmt.Sprint("criteria of ", last), twice)
		step.Criteria = append(step.Criteria, criteria(r, s)...)
	default:
		r.wrong(
			s.at, "%s is no section of a step; there are ### Prerequisites and ### Success criteria. In "+
				"instructions write #### for a heading", quoted(s.title))
	}
}
