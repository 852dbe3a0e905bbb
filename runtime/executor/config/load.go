package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"regexp"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxBytes is the longest file that is read.
const maxBytes = 1 << 20

// Option changes how a configuration is read.
type Option func(*loader)

// Env takes variables from lookup instead of [os.LookupEnv].
func Env(lookup func(name string) (value string, ok bool)) Option {
	return func(l *loader) { l.lookup = lookup }
}

// Verbatim leaves texts as they are written and does not read the environment. Use it for files
// from others, which could otherwise print your variables.
func Verbatim() Option { return func(l *loader) { l.verbatim = true } }

// Load reads the file at path into a struct or a map, to which into points. The key of a field is
// that of its yaml tag, as in yaml.v3, including inline structs. Without a tag, it is the name of
// the field in snake case. If the file lacks a key, the field keeps its value. Lists are replaced,
// and maps are merged. Durations ("30s"), times, types with UnmarshalText or UnmarshalYAML and
// taxonomy.Secret[string] are supported. Each value that implements [Validator] is validated after
// it was read.
//
// The error is one problem, or joins all problems in the order of the file; see [Problems]. After
// an error, the struct or map is incomplete. Warnings are returned with and without an error.
func Load(path string, into any, opts ...Option) (warnings []string, err error) {
	text, err := readFile(path)
	if err != nil {
		ev := evidenceOf(path, "", fmt.Errorf("read configuration: %w", err))
		if errors.Is(err, fs.ErrNotExist) {
			ev.Type = typeMissing
		}
		return nil, &problem{ev: ev}
	}
	return Parse(path, text, into, opts...)
}

// readFile reads at most one byte more than maxBytes, which shows that the file is too long.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	return text, errors.Join(err, f.Close())
}

// Parse is [Load] for a text. Errors and warnings name the text by path.
func Parse(path string, text []byte, into any, opts ...Option) (warnings []string, err error) {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() ||
		target.Elem().Kind() != reflect.Struct && target.Elem().Kind() != reflect.Map {
		return nil, fmt.Errorf("read %s into %T: want a pointer to a struct or a map", path, into)
	}
	l := &loader{path: path, lookup: os.LookupEnv, nodes: map[string]*yaml.Node{},
		expanded: map[*yaml.Node]string{}}
	for _, o := range opts {
		o(l)
	}
	if len(text) > maxBytes {
		l.invalid(nil, 0, place{}, fmt.Sprintf("a file of at most %d bytes", maxBytes))
		return nil, l.err()
	}
	root, err := document(text)
	if err != nil {
		if unquoted.Match(text) {
			err = fmt.Errorf("%w; within { } and [ ] a ${…} must be in quotes", err)
		}
		ev := evidenceOf(path, typeParse, err)
		ev.Text = taxonomy.Redact(ev.Text)
		return nil, &problem{ev: ev}
	}
	l.expandAll(root, place{})
	l.value(root, target.Elem(), place{})
	return l.warningTexts(), l.err()
}

// unquoted finds a variable without quotes within braces or brackets. YAML reads its braces as a
// mapping.
var unquoted = regexp.MustCompile(`(?:^|[^$])[{\[][^"'\]]*\$\{`)

// document returns the root of the one document in text.
func document(text []byte) (root *yaml.Node, err error) {
	// yaml.v3 panics on some malformed comments.
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("yaml: %v", p)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, nil
	case err != nil:
		return nil, err
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("line %d: a second document begins here", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	root = doc.Content[0]
	if root.ShortTag() == "!!null" {
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, nil
	}
	return root, checkPlain(root)
}

// checkPlain returns an error if n or a node below it is an anchor, an alias, a merge key or a
// duplicated key.
func checkPlain(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.ShortTag() == "!!merge" {
		return fmt.Errorf("line %d: anchors, aliases and merge keys are not supported", n.Line)
	}
	seen := make(map[string]int)
	for i, child := range n.Content {
		if err := checkPlain(child); err != nil {
			return err
		}
		if n.Kind != yaml.MappingNode || i%2 == 1 || child.Kind != yaml.ScalarNode {
			continue
		}
		if first, twice := seen[child.Value]; twice {
			return fmt.Errorf("line %d: key %q is duplicated, first on line %d", child.Line, child.Value, first)
		}
		seen[child.Value] = child.Line
	}
	return nil
}
