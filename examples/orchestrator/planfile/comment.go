package planfile

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// closers are what ends a block of HTML that otherwise goes on to the end of the file.
var closers = map[ast.HTMLBlockType][]string{
	ast.HTMLBlockType1: {"</pre>", "</script>", "</style>", "</textarea>"},
	ast.HTMLBlockType2: {"-->"},
	ast.HTMLBlockType3: {"?>"},
	ast.HTMLBlockType4: {">"},
	ast.HTMLBlockType5: {"]]>"},
}

// commented is a line in a comment that would otherwise be a heading of the plan.
var commented = regexp.MustCompile(`(?m)^ {0,3}(#{1,3}[ \t]+\S.*?)[ \t\r]*$`)

// html looks at a block of HTML: one that is never closed has taken everything below it, which is a
// problem. What a comment has of a plan is noted, since it may have been put there on purpose.
func (r *reader) html(n ast.Node) {
	block, ok := n.(*ast.HTMLBlock)
	if !ok {
		return
	}
	text := r.doc.source[r.lineStart(block.Pos()):r.htmlEnd(block)]
	if ends := closers[block.HTMLBlockType]; len(ends) > 0 && !containsAny(bytes.ToLower(text), ends) {
		r.wrong(
			block.Pos(), "this is never closed, so that all below belongs to it: write %s where it ends, or remove it",
			ends[0])
		return
	}
	if block.HTMLBlockType != ast.HTMLBlockType2 {
		return
	}
	from := r.lineStart(block.Pos())
	for _, at := range commented.FindAllSubmatchIndex(text, maxProblems) {
		line, column := r.place(from + at[2])
		r.doc.Notes = append(
			r.doc.Notes,
			Problem{Line: line, Column: column, Text: "in a comment, and so no part of the plan: " +
				quoted(string(text[at[2]:at[3]]))})
	}
}

// htmlEnd returns where a block of HTML ends.
func (r *reader) htmlEnd(block *ast.HTMLBlock) int {
	if block.HasClosure() {
		return block.ClosureLine.Stop
	}
	return block.Lines().At(block.Lines().Len() - 1).Stop
}

func containsAny(text []byte, all []string) bool {
	for _, each := range all {
		if strings.Contains(string(text), each) {
			return true
		}
	}
	return false
}
