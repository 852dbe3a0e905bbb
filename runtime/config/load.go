package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"

	"gopkg.in/yaml.v3"
)

// DefaultMaxBytes is how long a file may be unless [MaxBytes] says otherwise.
const DefaultMaxBytes = 1 << 20

// Option changes how a configuration is read.
type Option func(*settings)

type settings struct {
	lookup   func(name string) (string, bool)
	maxBytes int
	unknown  map[string]any
	verbatim bool
}

// Env takes variables from lookup in place of [os.LookupEnv].
func Env(lookup func(name string) (value string, ok bool)) Option {
	return func(s *settings) { s.lookup = lookup }
}

// Verbatim takes texts as they are written: a dollar sign stands for itself, and the environment is
// not read. It is for files of others, who must not be able to have variables shown.
func Verbatim() Option { return func(s *settings) { s.verbatim = true } }

// MaxBytes lets a file have n bytes in place of [DefaultMaxBytes].
func MaxBytes(n int) Option { return func(s *settings) { s.maxBytes = n } }

// KeepUnknown puts the values of keys that nobody asked for into unknown, by their path in the file
// ("server.prot"), as yaml.v3 decodes them into an any. They may hold secrets.
func KeepUnknown(unknown map[string]any) Option { return func(s *settings) { s.unknown = unknown } }

func newSettings(opts []Option) settings {
	s := settings{lookup: os.LookupEnv, maxBytes: DefaultMaxBytes}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// Load reads the file at path into into, a pointer to a struct or a map. Fields are found by their
// yaml tags, as yaml.v3 does it, with inline. What the file does not say stays as it is; lists are
// replaced, mappings go on being filled. Numbers, durations ("30s"), times, types with
// UnmarshalText or UnmarshalYAML, and taxonomy.Secret[string] are read as such. Whatever implements
// [Validator] is asked when it is filled.
//
// The error is a problem, or, of several, all of them joined in the order of the file; see
// [Problems] and the package comment. After an error into is partly filled and of no use. Warnings
// come with and without an error.
func Load(path string, into any, opts ...Option) (Warnings, error) {
	s := newSettings(opts)
	text, err := readFile(path, s.maxBytes)
	if err != nil {
		return nil, err
	}
	return parse(path, text, into, s)
}

// Parse is [Load] for a text; path is what errors and warnings call it.
func Parse(path string, text []byte, into any, opts ...Option) (Warnings, error) {
	s := newSettings(opts)
	if len(text) > s.maxBytes {
		return nil, tooLong(path, s.maxBytes)
	}
	return parse(path, text, into, s)
}

var errInto = errors.New("a configuration is read into a pointer to a struct or a map")

func parse(path string, text []byte, into any, s settings) (Warnings, error) {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() || !holdsFields(target.Elem().Kind()) {
		return nil, fmt.Errorf("read %s: %w, not into %T", path, errInto, into)
	}
	l := newLoader(path, s)
	root, err := l.syntax(text)
	if err != nil {
		return nil, err
	}
	if root == nil {
		root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1}
	}
	l.prepare(root, "", place{})
	l.value(root, target.Elem(), place{})
	return l.warned(), l.failed()
}

func holdsFields(k reflect.Kind) bool { return k == reflect.Struct || k == reflect.Map }
