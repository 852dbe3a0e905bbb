package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on what is in a file.
const (
	maxDepth = 64
	// maxNodes is how many values there may be, those that aliases repeat included.
	maxNodes = 100_000
)

// syntax returns the root of the one document in text, nil when there is none.
func (l *loader) syntax(text []byte) (*yaml.Node, error) {
	doc, err := decodeDocument(text)
	if err == nil && doc != nil {
		err = (&census{known: make(map[*yaml.Node]extent)}).check(doc)
	}
	if err != nil {
		if bareVariables(text) {
			err = fmt.Errorf("%w; within { } and [ ] a ${…} must be in quotes", err)
		}
		ev := evidence(l.path, typeParse, err)
		ev.Text = taxonomy.Scrub(ev.Text)
		return nil, &fault{ev: ev}
	}
	return doc, nil
}

// bareVariables reports whether a text that is no YAML would be some if its variables were plain
// words: then some stand where their braces are YAML's.
func bareVariables(text []byte) bool {
	plain, used, bad := expand(string(text), func(string) (string, bool) { return "x", true })
	if !used || bad != nil {
		return false
	}
	_, err := decodeDocument([]byte(plain))
	return err == nil
}

// decodeDocument returns the root of the document in text, or nil.
func decodeDocument(text []byte) (root *yaml.Node, err error) {
	// The library is known to panic on some malformed comments.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("line %d: a second document begins here; a configuration is one", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	root = doc.Content[0]
	if root.ShortTag() == nullTag {
		return nil, nil
	}
	return root, nil
}

// extent is how much there is of a value.
type extent struct {
	size   int // itself and what is below it, with what aliases repeat
	levels int // how deep it nests
}

// census counts what is in a document, and what aliases make of it.
type census struct {
	// known are the extents of what was counted; what is being counted has none yet.
	known map[*yaml.Node]extent
}

func (c *census) check(root *yaml.Node) error {
	_, err := c.count(root, 0)
	return err
}

func (c *census) count(n *yaml.Node, depth int) (extent, error) {
	if n.Kind == yaml.AliasNode {
		of, ok := c.known[n.Alias]
		if !ok {
			return of, fmt.Errorf("line %d: anchor %q holds itself", n.Line, n.Value)
		}
		return of, nil
	}
	of := extent{size: 1}
	if n.Kind == yaml.MappingNode {
		if err := checkKeys(n); err != nil {
			return of, err
		}
	}
	for _, child := range n.Content {
		in, err := c.count(child, depth+1)
		if err != nil {
			return of, err
		}
		of.size += in.size
		of.levels = max(of.levels, in.levels+1)
		switch {
		case of.size > maxNodes:
			return of,
				fmt.Errorf("line %d: there are more than %d values, with those that aliases repeat", n.Line, maxNodes)
		case depth+of.levels > maxDepth:
			return of, fmt.Errorf("line %d: values nest deeper than %d levels", n.Line, maxDepth)
		}
	}
	c.known[n] = of
	return of, nil
}

// checkKeys returns an error when a mapping has a key twice, of which the library keeps one, or
// merges what is none.
func checkKeys(n *yaml.Node) error {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			continue
		}
		if key.ShortTag() == mergeTag && !merges(n.Content[i+1]) {
			return fmt.Errorf("line %d: << takes a mapping, or a list of mappings", key.Line)
		}
		if first, twice := seen[key.Value]; twice {
			return fmt.Errorf("line %d: key %q is there twice, first on line %d", key.Line, key.Value, first)
		}
		seen[key.Value] = key.Line
	}
	return nil
}
