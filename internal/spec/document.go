package spec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// Pair is an entry of a YAML mapping. Its value is a string, an int, a bool, [Pairs], [Flow], a
// []any of these, or nil.
type Pair struct {
	Key     string
	Value   any
	Comment string // above the key; only for writing
}

// Pairs is a YAML mapping in its order.
type Pairs []Pair

// Flow is a mapping that is written on one line.
type Flow []Pair

// Get returns the value of a key, or nil.
func (p Pairs) Get(key string) any {
	for _, e := range p {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Document is a YAML file that can be changed. Lines without a change keep their bytes.
type Document struct {
	dec     *decoder
	root    *yaml.Node
	changed map[*yaml.Node]bool         // keys that are new, or have a new value
	removed map[*yaml.Node][]*yaml.Node // keys, by their mapping
}

// OpenDocument reads a YAML file whose root is a mapping.
func OpenDocument(name string, src []byte) (*Document, error) {
	dec := &decoder{lines: &lines{diag.NewSource(name, src)}}
	root, err := dec.parse(src)
	switch {
	case err != nil:
		dec.syntax(src, err)
		return nil, fmt.Errorf("line %d: %s", dec.out[0].Span.Line, dec.out[0].Message)
	case len(dec.out) > 0:
		return nil, errors.New(dec.out[0].Message)
	case root == nil || root.Kind != yaml.MappingNode:
		return nil, errors.New("the file is not a mapping")
	}
	return &Document{
		dec: dec, root: root,
		changed: make(map[*yaml.Node]bool), removed: make(map[*yaml.Node][]*yaml.Node),
	}, nil
}

// Root returns the mapping of the whole file.
func (d *Document) Root() *Node { return &Node{doc: d, value: d.root} }

// Node is a mapping of a document.
type Node struct {
	doc   *Document
	value *yaml.Node
}

func (n *Node) find(key string) int {
	for i := 0; i+1 < len(n.value.Content); i += 2 {
		if n.value.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// Map returns the mapping under a key, or nil.
func (n *Node) Map(key string) *Node {
	if i := n.find(key); i >= 0 && n.value.Content[i+1].Kind == yaml.MappingNode {
		return &Node{n.doc, n.value.Content[i+1]}
	}
	return nil
}

// Get returns the value of a key, or nil. All scalars are text.
func (n *Node) Get(key string) any {
	if i := n.find(key); i >= 0 {
		return plain(n.value.Content[i+1])
	}
	return nil
}

// Pairs returns the entries. All scalars are text.
func (n *Node) Pairs() Pairs { return plain(n.value).(Pairs) }

func plain(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.AliasNode:
		return plain(n.Alias)
	case n.Kind == yaml.MappingNode:
		out := make(Pairs, 0, len(n.Content)/2)
		for key, value := range pairs(n) {
			out = append(out, Pair{Key: key.Value, Value: plain(value)})
		}
		return out
	case n.Kind == yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			out = append(out, plain(item))
		}
		return out
	case isNull(n):
		return nil
	}
	return n.Value
}

// Set gives a key a value. A new key comes after the key `after`. If `after` is "", it comes first.
// If the mapping does not have `after`, it comes last.
func (n *Node) Set(key, after string, value any) {
	i := n.find(key)
	if i < 0 {
		i = 0
		if after != "" {
			if i = n.find(after) + 2; i == 1 {
				i = len(n.value.Content)
			}
		}
		n.value.Content = slices.Insert(n.value.Content, i, scalarNode(key, "!!str"), nil)
	}
	old := n.value.Content[i+1]
	n.value.Content[i+1] = build(value)
	if old != nil && old.Kind == yaml.ScalarNode {
		n.value.Content[i+1].LineComment = old.LineComment
	}
	n.doc.changed[n.value.Content[i]] = true
}

// Comment sets the comment above a new key.
func (n *Node) Comment(key, text string) {
	if i := n.find(key); i >= 0 {
		n.value.Content[i].HeadComment = text
	}
}

// Append adds items to the list under a key. If there is no list, it makes one.
func (n *Node) Append(key string, items ...any) {
	i := n.find(key)
	if i < 0 || n.value.Content[i+1].Kind != yaml.SequenceNode {
		n.Set(key, key, items)
		return
	}
	list := n.value.Content[i+1]
	if list.Content = append(list.Content, build(items).Content...); len(list.Content) > maxFlow {
		list.Style &^= yaml.FlowStyle
	}
	n.doc.changed[n.value.Content[i]] = true
}

// maxFlow is the maximum number of items of a list on one line.
const maxFlow = 4

// Remove removes the items of the list under a key that match, and returns their number. It removes
// a list that has no items then.
func (n *Node) Remove(key string, match func(item any) bool) int {
	i := n.find(key)
	if i < 0 || n.value.Content[i+1].Kind != yaml.SequenceNode {
		return 0
	}
	list := n.value.Content[i+1]
	before := len(list.Content)
	list.Content = slices.DeleteFunc(list.Content, func(item *yaml.Node) bool { return match(plain(item)) })
	removed := before - len(list.Content)
	switch {
	case removed > 0 && removed == before:
		n.Delete(key)
	case removed > 0:
		n.doc.changed[n.value.Content[i]] = true
	}
	return removed
}

// Delete removes a key with the comment directly above it.
func (n *Node) Delete(key string) {
	if i := n.find(key); i >= 0 {
		if k := n.value.Content[i]; k.Line > 0 {
			n.doc.removed[n.value] = append(n.doc.removed[n.value], k)
		}
		n.value.Content = slices.Delete(n.value.Content, i, i+2)
	}
}

// Rename gives an entry another key.
func (n *Node) Rename(key, to string) {
	if i := n.find(key); i >= 0 {
		n.value.Content[i].Value = to
		n.value.Content[i].Style = 0
		n.doc.changed[n.value.Content[i]] = true
	}
}

// Move moves an entry to another mapping. Its place is that of [Node.Set].
func (n *Node) Move(key string, to *Node, after string) {
	i := n.find(key)
	k, v := *n.value.Content[i], n.value.Content[i+1]
	n.Delete(key)
	to.Set(key, after, nil)
	j := to.find(key)
	delete(n.doc.changed, to.value.Content[j])
	k.Line = 0
	to.value.Content[j], to.value.Content[j+1] = &k, v
	n.doc.changed[&k] = true
}

func scalarNode(text, tag string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// build returns the node of a value; see [Pair].
func build(value any) *yaml.Node {
	switch v := value.(type) {
	case Pairs:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, e := range v {
			key := scalarNode(e.Key, "!!str")
			key.HeadComment = e.Comment
			n.Content = append(n.Content, key, build(e.Value))
		}
		return n
	case Flow:
		n := build(Pairs(v))
		n.Style = yaml.FlowStyle
		return n
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		scalars := true
		for _, item := range v {
			n.Content = append(n.Content, build(item))
			scalars = scalars && n.Content[len(n.Content)-1].Kind == yaml.ScalarNode
		}
		if scalars && len(v) <= maxFlow {
			n.Style = yaml.FlowStyle
		}
		return n
	case int:
		return scalarNode(strconv.Itoa(v), "!!int")
	case bool:
		return scalarNode(strconv.FormatBool(v), "!!bool")
	case string:
		return scalarNode(v, "!!str")
	}
	return scalarNode("", "!!null")
}

// Encode returns a mapping as a YAML file.
func Encode(p Pairs) []byte { return encode(build(p)) }

func encode(n *yaml.Node) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		panic(fmt.Sprintf("spec: encode: %v", err)) // the nodes are valid
	}
	return b.Bytes()
}

// replacement is text in place of some lines.
type replacement struct {
	from, to int // 1-based, half open
	text     string
}

// Bytes returns the file with the changes.
func (d *Document) Bytes() []byte {
	var edits []replacement
	d.collect(d.root, &edits)
	slices.SortStableFunc(edits, func(a, b replacement) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to // insertions come before replacements
	})
	src := d.dec.lines.Source.Bytes
	lineEnd := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	if len(edits) > 0 && !bytes.HasSuffix(src, []byte("\n")) {
		src = append(slices.Clip(src), lineEnd...)
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	for _, e := range slices.Backward(edits) {
		text := strings.ReplaceAll(e.text, "\n", lineEnd)
		lines = slices.Replace(lines, e.from-1, e.to-1, []byte(text))
	}
	return bytes.Join(lines, nil)
}

// collect adds the replacements for the changes in a block mapping.
func (d *Document) collect(n *yaml.Node, edits *[]replacement) {
	at, column := 0, 1
	for _, key := range d.removed[n] {
		*edits = append(*edits, replacement{from: d.firstLine(key), to: d.dec.lastLine(key.Line) + 1})
		at, column = d.firstLine(key), key.Column
	}
	for key := range pairs(n) {
		if key.Line > 0 {
			at, column = d.firstLine(key), key.Column
			break
		}
	}
	for key, value := range pairs(n) {
		switch {
		case key.Line == 0:
			*edits = append(*edits, replacement{at, at, d.render(key, value, column)})
			continue
		case !d.changed[key] && value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0 && value.Line > 0:
			d.collect(value, edits)
		case d.changed[key] || d.isChanged(value):
			key.HeadComment, key.FootComment = "", ""
			*edits = append(*edits, replacement{key.Line, d.dec.lastLine(key.Line) + 1, d.render(key, value, column)})
		}
		at = d.dec.lastLine(key.Line) + 1
	}
}

// firstLine returns the line of the comment directly above a key, or that of the key.
func (d *Document) firstLine(key *yaml.Node) int {
	line := key.Line
	for line > 1 && strings.HasPrefix(strings.TrimSpace(d.dec.lines.Line(line-1)), "#") {
		line--
	}
	return line
}

// isChanged reports whether a node below n was changed.
func (d *Document) isChanged(n *yaml.Node) bool {
	if len(d.removed[n]) > 0 {
		return true
	}
	return slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return d.changed[c] || d.isChanged(c) })
}

// render returns the lines of an entry that begins in a column.
func (d *Document) render(key, value *yaml.Node, column int) string {
	for n := value; ; n = n.Content[len(n.Content)-1] { // such comments are in the lines below the entry
		n.FootComment = ""
		if len(n.Content) == 0 {
			break
		}
		if n.Kind == yaml.MappingNode {
			n.Content[len(n.Content)-2].FootComment = ""
		}
	}
	text := encode(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}})
	var b strings.Builder
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", column-1))
		}
		b.WriteString(line)
	}
	return b.String()
}
