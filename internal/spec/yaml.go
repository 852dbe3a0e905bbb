package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// maxDepth is how deep values may nest; the language itself needs fewer than twenty levels.
const maxDepth = 64

// yamlError is a fault of syntax as the YAML library tells it: without a column, and often on a
// line that comes after the fault.
type yamlError struct {
	line int // 0 when unknown
	text string
}

func (e *yamlError) Error() string { return e.text }

// readYAML returns the root of the first document, nil when there is none.
func (r *reader) readYAML(text []byte) (root *node, err error) {
	// The library is known to panic on some malformed comments.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, &yamlError{text: fmt.Sprint(p)}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, splitError(err)
	}
	root = r.convert(doc.Content[0], 0)
	switch err := dec.Decode(&second); {
	case err == nil:
		r.fail(IDSecondDoc, r.documentStart(second.Line, second.Column), "a second document begins here",
			"a file holds one taxonomy: remove the line or split the file")
	case !errors.Is(err, io.EOF):
		return root, splitError(err)
	}
	return root, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func splitError(err error) *yamlError {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return &yamlError{text: text}
	}
	line, _ := strconv.Atoi(m[1])
	return &yamlError{line: line, text: strings.TrimPrefix(text, m[0])}
}

// documentStart returns the place of the --- that opens the document at line and col.
func (r *reader) documentStart(line, col int) diag.Span {
	for n := line; n > 1; n-- {
		if strings.HasPrefix(r.lines.line(n), "---") {
			return r.lines.span(n, 1, 3)
		}
	}
	return r.lines.span(line, col, 1)
}

func (r *reader) convert(y *yaml.Node, depth int) *node {
	if depth > maxDepth {
		if !r.tooDeep {
			r.tooDeep = true
			r.fail(IDTooDeep, r.lines.span(y.Line, y.Column, 1),
				fmt.Sprintf("values are nested more than %d deep", maxDepth), "")
		}
		return &node{span: r.lines.span(y.Line, y.Column, 1)}
	}
	if n := r.refuse(y); n != nil {
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		return r.scalar(y)
	case yaml.SequenceNode:
		n := &node{kind: listNode, style: collectionStyle(y)}
		n.items = make([]*node, 0, len(y.Content))
		for _, c := range y.Content {
			n.items = append(n.items, r.convert(c, depth+1))
		}
		n.span = r.collectionSpan(y.Line, y.Column, n)
		return n
	case yaml.MappingNode:
		n := &node{kind: mappingNode, style: collectionStyle(y)}
		r.entries(n, y, depth)
		n.span = r.collectionSpan(y.Line, y.Column, n)
		return n
	}
	return &node{span: r.lines.span(y.Line, y.Column, 1)}
}

// refuse reports what the language does not take from YAML, and returns what stands in its place.
func (r *reader) refuse(y *yaml.Node) *node {
	if !r.mended && y.Kind != yaml.AliasNode && y.Anchor == "" && y.Tag != "!!merge" && !r.tagged(y) {
		return nil
	}
	token := r.lines.from(y.Line, y.Column)
	if i := strings.IndexAny(token, " \t,]}"); i >= 0 {
		token = token[:i]
	}
	token = strings.TrimSuffix(token, ":")
	bad := &node{span: r.lines.span(y.Line, y.Column, utf8.RuneCountInString(token))}
	switch {
	case r.mended && y.Value == badMark:
	case y.Kind == yaml.AliasNode:
		r.fail(IDAnchor, bad.span, "an alias is not part of the language",
			"name a reaction or policy, or write the value out; text that begins with * needs quotes")
	case y.Anchor != "":
		r.fail(IDAnchor, bad.span, "an anchor is not part of the language",
			"name a reaction or policy, or write the value out; text that begins with & needs quotes")
	case y.Kind == yaml.ScalarNode && y.Tag == "!!merge":
		r.fail(IDAnchor, bad.span, "a merge key is not part of the language", "write the keys out")
	case r.tagged(y):
		r.fail(IDTag, bad.span, "a YAML tag is not part of the language",
			"leave it out; text that begins with ! needs quotes")
	default:
		return nil
	}
	return bad
}

// tagged reports whether a tag stands before the value; the library forgets the tag "!".
func (r *reader) tagged(y *yaml.Node) bool {
	return y.Style&yaml.TaggedStyle != 0 || strings.HasPrefix(r.lines.from(y.Line, y.Column), "!")
}

func collectionStyle(y *yaml.Node) style {
	if y.Style&yaml.FlowStyle != 0 {
		return flow
	}
	return block
}

func (r *reader) scalar(y *yaml.Node) *node {
	n := &node{kind: scalarNode, literal: literalKind(y.Tag), value: y.Value}
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.style = doubleQuoted
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.style = singleQuoted
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.style = block
	}
	n.span = r.scalarSpan(n, y.Line, y.Column)
	return n
}

func literalKind(tag string) LiteralKind {
	switch tag {
	case "!!null":
		return LitNull
	case "!!bool":
		return LitBool
	case "!!int":
		return LitInt
	case "!!float":
		return LitFloat
	}
	return LitString
}

// entries converts the keys and values of a mapping, without those that cannot be meant.
func (r *reader) entries(n *node, y *yaml.Node, depth int) {
	seen := keySet{n: n}
	n.entries = make([]entry, 0, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := r.convert(y.Content[i], depth+1)
		value := r.convert(y.Content[i+1], depth+1)
		if key.kind == badNode {
			n.refused = true
			continue
		}
		if !r.checkKey(n, key, value) {
			continue
		}
		if first := seen.find(key.value); first != nil {
			r.out = add(r.out, diag.Finding{
				ID: IDDuplicate, Span: key.span, Message: fmt.Sprintf("the key %q is given twice", clip(key.value)),
				Related: []diag.Related{{Span: first.span, Message: "first declared here"}},
			})
			continue
		}
		n.entries = append(n.entries, entry{key, value})
	}
}

// checkKey reports a key that is not text, and text that a comma made a key of.
func (r *reader) checkKey(in, key, value *node) bool {
	if key.kind != scalarNode {
		r.fail(IDWrongType, key.span, "a key must be text, found "+key.describe(), "")
		return false
	}
	if in.style == flow && value.isNull() && value.value == "" && !value.quoted() && !r.colonAfter(key) {
		r.lonelyKey(in, key)
		return false
	}
	switch {
	case key.quoted():
	case key.literal == LitNull && key.value == "":
		r.fail(IDEmpty, key.span, "a value without a key", "")
		return false
	case key.literal != LitString:
		r.fail(IDNumberText, key.span, fmt.Sprintf("the key %s is %s to YAML", clip(key.value), scalarNoun(key)),
			"put it in quotes: "+quote(key.value))
	}
	return true
}

// lonelyKey keeps a first key in braces without a value for the decoder, which knows whether text
// was meant; a later one is the work of a comma.
func (r *reader) lonelyKey(in, key *node) {
	if len(in.entries) == 0 {
		if in.lonely == nil {
			in.lonely = key
		}
		return
	}
	if name, found := strings.CutSuffix(key.value, ":"); found && !key.quoted() {
		r.fail(IDEmpty, key.span, fmt.Sprintf("%q has no value", clip(name)),
			"write a space and a value behind the colon, or remove the key")
		return
	}
	before := in.entries[len(in.entries)-1]
	f := diag.Finding{
		ID: IDFlowComma, Span: key.span,
		Message: "a comma ends a value inside {…}, so this became a key without a value",
		Hint:    "put the text that holds the comma in quotes",
	}
	if before.value.kind == scalarNode {
		f.Related = []diag.Related{{Span: before.value.span, Message: "the value was cut here"}}
	}
	r.out = add(r.out, f)
}

// scalarNoun says what YAML takes the plain scalar for.
func scalarNoun(n *node) string {
	switch n.literal {
	case LitBool:
		return "a truth value"
	case LitNull:
		return "an empty value"
	}
	return "a number"
}

// quote returns the text in quotes, as YAML writes it.
func quote(s string) string { return "'" + strings.ReplaceAll(clip(s), "'", "''") + "'" }
