// Package signatures describes kinds of failures, such as a rate limit, by what tools report: a
// status, type, code, errno, exit code, signal, or the form of a text. Rules of a taxonomy name a
// signature with the key `like`. Programs need the package only to list or read signatures.
//
// The signatures are data: one YAML file for each family.
package signatures

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed *.yaml
var files embed.FS

// Signature is a kind of failure. It matches evidence that meets one of its conditions.
type Signature struct {
	Name   string `yaml:"-"`
	Family string `yaml:"-"` // the name of its file
	Doc    string `yaml:"doc,omitempty"`
	// Over are less specific signatures. If both match, the rules of this one come first.
	Over List[string] `yaml:"over,omitempty"`
	Any  []Condition  `yaml:"any,omitempty"`
	// Effect is what the failure means for the caller that observed it: none, unknown or done. It
	// counts only for forms without texts, of evidence that describes one call.
	Effect string `yaml:"effect,omitempty"`
	// Extract are the attributes that the text of the failure contains.
	Extract []Extract `yaml:"extract,omitempty"`
	// Seen are the tools, with their versions, that print the forms of the text conditions.
	Seen        List[string] `yaml:"seen,omitempty"`
	Examples    []Example    `yaml:"examples,omitempty"`
	NotExamples []Example    `yaml:"not_examples,omitempty"`
}

// Condition is met if all of its keys are. The keys are those of detection rules, and Reported.
type Condition struct {
	Source     Matcher            `yaml:"source,omitempty"`
	Op         Matcher            `yaml:"op,omitempty"`
	Status     Matcher            `yaml:"status,omitempty"`
	Type       Matcher            `yaml:"type,omitempty"`
	Code       Matcher            `yaml:"code,omitempty"`
	ExitCode   Matcher            `yaml:"exit_code,omitempty"`
	Signal     Matcher            `yaml:"signal,omitempty"`
	Errno      Matcher            `yaml:"errno,omitempty"`
	Attributes map[string]Matcher `yaml:"attributes,omitempty"`
	// Text are expressions (RE2). The text must match one of them.
	Text List[string] `yaml:"text,omitempty"`
	// Contains are literals, in any case. The text must contain one of them.
	Contains List[string] `yaml:"contains,omitempty"`
	// Reported are expressions, in any case. A line of the text must report one: the match
	// begins the line, or follows what tools print before a message.
	Reported List[string] `yaml:"reported,omitempty"`
	// Announced are like Reported, but do not begin a line unless they are the complete
	// text: the words of an HTTP status, for example, are also a heading.
	Announced List[string] `yaml:"announced,omitempty"`
	// Short are like Announced, for words that are a message only in a short statement, such as
	// "agent timeout": the text ends with at most four words that are its subject, the match, and
	// its circumstances.
	Short List[string] `yaml:"short,omitempty"`
	// Raised are expressions of words in the names of exceptions, such as FileNotFound: a line
	// begins with the name, or reports it. The name ends with Error, Exception or the like.
	Raised List[string] `yaml:"raised,omitempty"`
	// Mentioned are expressions, in any case, that may be anywhere in a line that calls itself an
	// error.
	Mentioned List[string] `yaml:"mentioned,omitempty"`
	// Weak forms, and all with Raised or Mentioned, count only if no other form of any signature
	// matches.
	Weak bool `yaml:"weak,omitempty"`
}

// Matcher tests a value. It is written as a value, a list, or a mapping of the tests.
type Matcher struct {
	Any     List[string] `yaml:"any,omitempty"`
	Not     List[string] `yaml:"not,omitempty"`
	Prefix  List[string] `yaml:"prefix,omitempty"`
	Min     *float64     `yaml:"min,omitempty"`
	Max     *float64     `yaml:"max,omitempty"`
	Present *bool        `yaml:"present,omitempty"`
}

// IsZero reports whether the matcher tests nothing.
func (m Matcher) IsZero() bool {
	return m.Any == nil && m.Not == nil && m.Prefix == nil && m.Min == nil && m.Max == nil && m.Present == nil
}

// Extract reads an attribute from the text of a failure: the first group of an expression (RE2).
type Extract struct {
	Attribute string       `yaml:"attribute,omitempty"`
	Text      List[string] `yaml:"text,omitempty"`
}

// Example is evidence that a signature must match or, as a counter-example, must not match.
type Example struct {
	Source     string            `yaml:"source,omitempty"`
	Op         string            `yaml:"op,omitempty"`
	Status     int               `yaml:"status,omitempty"`
	Type       string            `yaml:"type,omitempty"`
	Code       string            `yaml:"code,omitempty"`
	ExitCode   *int              `yaml:"exit_code,omitempty"`
	Signal     string            `yaml:"signal,omitempty"`
	Errno      string            `yaml:"errno,omitempty"`
	Text       string            `yaml:"text,omitempty"`
	Attributes map[string]string `yaml:"attributes,omitempty"`
	// Want are attributes that must be extracted.
	Want map[string]string `yaml:"want,omitempty"`
}

// List is a list that may be written as its only element.
type List[T any] []T

// UnmarshalYAML decodes a list or one element.
func (l *List[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]T)(l))
	}
	*l = make(List[T], 1)
	return n.Decode(&(*l)[0])
}

// MarshalYAML returns the list, or its only element.
func (l List[T]) MarshalYAML() (any, error) {
	if len(l) == 1 {
		return l[0], nil
	}
	return []T(l), nil
}

// MarshalYAML returns the values, or a mapping of the tests.
func (m Matcher) MarshalYAML() (any, error) {
	if m.Not == nil && m.Prefix == nil && m.Min == nil && m.Max == nil && m.Present == nil {
		return m.Any, nil
	}
	type plain Matcher
	return plain(m), nil
}

// UnmarshalYAML decodes a value, a list or a mapping of tests.
func (m *Matcher) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return n.Decode(&m.Any)
	}
	for i := 0; i < len(n.Content); i += 2 { // a decoder inside UnmarshalYAML accepts unknown keys
		switch key := n.Content[i]; key.Value {
		case "any", "not", "prefix", "min", "max", "present":
		default:
			return fmt.Errorf("line %d: unknown test %q", key.Line, key.Value)
		}
	}
	type plain Matcher
	return n.Decode((*plain)(m))
}

// Library returns all signatures of errgen, by family and in the order of their files.
func Library() ([]Signature, error) { return library() }

// Named returns the signature of errgen with a name, or nil.
func Named(name string) *Signature {
	list, err := library()
	if err != nil {
		panic(err) // of files that are part of errgen; their tests load them
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// Names returns the names of the signatures of errgen.
func Names() []string {
	list, _ := library()
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

var library = sync.OnceValues(func() ([]Signature, error) { return load(files) })

// load decodes the signatures of a directory.
func load(dir fs.FS) ([]Signature, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	var all []Signature
	seen := map[string]string{}
	for _, name := range names {
		b, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		list, err := Decode(strings.TrimSuffix(name, ".yaml"), b)
		if err != nil {
			return nil, fmt.Errorf("read signatures: %s: %w", name, err)
		}
		for _, s := range list {
			if former, ok := seen[s.Name]; ok {
				return nil, fmt.Errorf("read signatures: %s: signature %q is duplicated in %s", name, s.Name, former)
			}
			seen[s.Name] = name
		}
		all = append(all, list...)
	}
	for _, s := range all {
		for _, over := range s.Over {
			if _, ok := seen[over]; !ok {
				return nil, fmt.Errorf("read signatures: signature %q is over unknown signature %q", s.Name, over)
			}
		}
	}
	return all, nil
}

// Decode decodes the signatures of a family, a mapping by name, in order. Unknown keys are errors.
func Decode(family string, b []byte) ([]Signature, error) {
	var order yaml.Node
	if err := yaml.Unmarshal(b, &order); err != nil {
		return nil, err
	}
	if len(order.Content) == 0 || order.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("want a mapping of signatures by name")
	}
	var byName map[string]Signature
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&byName); err != nil {
		return nil, err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("want one document")
	}
	var list []Signature
	keys := order.Content[0].Content
	for i := 0; i < len(keys); i += 2 {
		s := byName[keys[i].Value]
		s.Name, s.Family = keys[i].Value, family
		list = append(list, s)
	}
	return list, nil
}
