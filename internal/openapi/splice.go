package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// own replaces the members of a mapping that [Into] wrote by the lines of new ones. The mapping is
// below a key of another one; it is added if it is absent.
func (d *document) own(outerKey, outer *yaml.Node, key string, lines []string, isOwn func(*yaml.Node) bool) {
	n := at(outer, key)
	owns := false
	for _, v := range pairs(n) {
		owns = owns || isOwn(v)
	}
	switch {
	case len(lines) == 0 && !owns:
	case !d.isBlock(outer):
		d.fail(outerKey, "the value of %s is not a block mapping: write each member on a line of its own, without "+
			"anchors", outerKey.Value)
	case n == nil:
		indent := outer.Content[0].Column - 1
		d.insert(d.end(outer.Content[0].Line-1, indent), indented(append([]string{key + ":"},
			indented(lines, d.step)...), indent))
	case n.Tag == "!!null":
		k := keyOf(outer, key)
		d.insert(k.Line, indented(lines, k.Column-1+d.step))
	case !d.isBlock(n):
		d.fail(n, "the value of %s is not a block mapping: write each member on a line of its own, without anchors",
			key)
	default:
		indent := n.Content[0].Column - 1
		place := d.end(n.Content[0].Line-1, indent)
		for k, v := range pairs(n) {
			if isOwn(v) {
				place = min(place, k.Line-1) // the new members are where the first one was
				for i := k.Line - 1; i < d.end(k.Line-1, k.Column); i++ {
					d.cuts[i] = true
				}
			}
		}
		d.insert(place, indented(lines, indent))
		if len(lines) == 0 && all(n, isOwn) {
			d.cuts[keyOf(outer, key).Line-1] = true
		}
	}
}

// isBlock reports whether each member of a mapping begins a line, and nothing refers to it.
func (d *document) isBlock(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || n.Anchor != "" || len(n.Content) == 0 {
		return false
	}
	for key := range pairs(n) {
		if key.Tag == "!!merge" || strings.TrimLeft(d.lines[key.Line-1][:min(key.Column-1, len(d.lines[key.Line-1]))],
			" ") != "" {
			return false
		}
	}
	return true
}

// end returns the line after the last one of a block that begins at a line and whose lines have at
// least the indentation, without blank lines at its end.
func (d *document) end(line, indent int) int {
	end := line + 1
	for i := end; i < len(d.lines); i++ {
		text := strings.TrimRight(d.lines[i], " \t\r\n")
		switch own := len(text) - len(strings.TrimLeft(text, " ")); {
		case text == "":
		case own < indent || indent == 0 && (text == "..." || text == "---"):
			return end
		default:
			end = i + 1
		}
	}
	return end
}

// insert adds lines before a line of the document.
func (d *document) insert(at int, lines []string) {
	for _, line := range lines {
		d.inserts[at] = append(d.inserts[at], line+d.newline)
	}
}

func indented(lines []string, spaces int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = line; line != "" {
			out[i] = strings.Repeat(" ", spaces) + line
		}
	}
	return out
}

// splice returns the document with its edits.
func (d *document) splice() []byte {
	var out bytes.Buffer
	add := func(line string) {
		if b := out.Bytes(); len(b) > 0 && b[len(b)-1] != '\n' {
			out.WriteString(d.newline)
		}
		out.WriteString(line)
	}
	for i := range len(d.lines) + 1 {
		for _, line := range d.inserts[i] {
			add(line)
		}
		if i < len(d.lines) && !d.cuts[i] {
			add(d.lines[i])
		}
	}
	return out.Bytes()
}

// verify compares the edited document with the original one: without the parts that [Into] owns,
// their values must be equal.
func (d *document) verify(out []byte) error {
	edited, err := parse(d.name, out)
	if err == nil {
		var was, is any
		if err = errors.Join(d.strip().Decode(&was), edited.strip().Decode(&is)); err == nil &&
			!reflect.DeepEqual(was, is) {
			err = errors.New("its other values would change")
		}
	}
	if err != nil {
		return fmt.Errorf("%s: its layout cannot be edited: %w", d.name, err)
	}
	return nil
}

// strip removes the parts that [Into] owns, and mappings that are empty then.
func (d *document) strip() *yaml.Node {
	drop := func(outer *yaml.Node, key string, isOwn func(*yaml.Node) bool) {
		n := at(outer, key)
		if n == nil || n.Kind != yaml.MappingNode && n.Tag != "!!null" {
			return
		}
		var kept []*yaml.Node
		for k, v := range pairs(n) {
			if !isOwn(v) {
				kept = append(kept, k, v)
			}
		}
		n.Content = kept
		if len(kept) == 0 {
			remove(outer, key)
		}
	}
	for _, item := range pairs(at(d.root, "paths")) {
		for key, node := range pairs(item) {
			if slices.Contains(methods, key.Value) {
				drop(node, "responses", d.isReference)
			}
		}
	}
	drop(at(d.root, "components"), "schemas", isOwned)
	drop(at(d.root, "components"), "responses", isOwned)
	if n := at(d.root, "components"); n != nil && len(n.Content) == 0 {
		remove(d.root, "components")
	}
	return d.root
}

func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// pairs iterates over the members of a mapping. It follows an alias; nil has none.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// at returns the value of a key, or nil.
func at(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k.Value == key {
			return v
		}
	}
	return nil
}

func keyOf(n *yaml.Node, key string) *yaml.Node {
	for k := range pairs(n) {
		if k.Value == key {
			return k
		}
	}
	return nil
}
