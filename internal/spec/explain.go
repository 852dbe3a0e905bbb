package spec

import (
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/diag"
)

// sources are the files with the structs of the language. Their comments are the descriptions of
// the keys.
//
//go:embed taxonomy.go reaction.go value.go tables.go messages.go
var sources embed.FS

// docs returns the comments of the structs ("Policy") and of their fields ("Policy.MaxAttempts").
var docs = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	files, _ := sources.ReadDir(".")
	for _, f := range files {
		src, _ := sources.ReadFile(f.Name())
		file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments)
		if err != nil {
			panic("spec: " + err.Error()) // cannot happen, because the file has been compiled
		}
		for _, decl := range file.Decls {
			types, ok := decl.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, s := range types.Specs {
				spec := s.(*ast.TypeSpec)
				out[spec.Name.Name] = oneLine(types.Doc.Text())
				fields, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						out[spec.Name.Name+"."+name.Name] = oneLine(f.Doc.Text())
					}
				}
			}
		}
	}
	return out
})

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Doc returns the description of the key.
func (k *Key) Doc() string { return docs()[k.doc] }

// Doc returns the description of the mapping.
func (m *Mapping) Doc() string { return docs()[m.typ] }

// KeyDoc explains a key of the language.
type KeyDoc struct {
	Key      string   `json:"key"`     // the path for which Explain was called: "reactions.then"
	Mapping  string   `json:"mapping"` // that has the key: "reaction"
	Doc      string   `json:"doc"`
	Value    string   `json:"value"`
	Default  string   `json:"default,omitempty"`
	Required bool     `json:"required,omitempty"`
	Actions  []string `json:"actions,omitempty"` // the actions of a reaction that take the key
	Keys     []string `json:"keys,omitempty"`    // of the mapping that the key contains
}

// ErrAmbiguousKey is the error of [Explain] for a path of several keys.
var ErrAmbiguousKey = errors.New("several keys have this path")

// Explain returns what the key at a path of the language means, such as policies.jitter. The path
// can leave out its beginning (jitter, codes.message) or begin with the name of a mapping
// (code.message), and can contain names that a taxonomy declares. If keys with different meanings
// have the path, the error lists them.
func Explain(path string) (*KeyDoc, error) {
	parts, names := strings.Split(path, "."), KeyNames()
	for i := len(parts) - 2; i > 0; i-- {
		if !slices.Contains(names, parts[i]) { // a name that a taxonomy declares
			parts = slices.Delete(parts, i, i+1)
		}
	}
	end := "." + strings.Join(parts, ".")
	var found []keyPath
	for _, p := range keyPaths() {
		switch name := "." + p.name; {
		case name == end:
			return p.explain(path), nil
		case strings.HasSuffix(name, end) &&
			!slices.ContainsFunc(found, func(f keyPath) bool { return f.key.doc == p.key.doc }):
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		hint := diag.DidYouMean(parts[len(parts)-1], names)
		return nil, errors.New(strings.TrimSuffix(fmt.Sprintf("%q is not a key of the language; %s", path, hint), "; "))
	case 1:
		return found[0].explain(path), nil
	}
	var all []string
	for _, p := range found {
		all = append(all, p.name)
	}
	return nil, fmt.Errorf("%w: %s: use one of %s", ErrAmbiguousKey, path, strings.Join(all, ", "))
}

// keyPath is a key of a mapping with its path: policies.adapt.window.
type keyPath struct {
	name string
	in   *Mapping
	key  *Key
}

// keyPaths returns the paths of all keys, from the root and from the names of their mappings. It
// enters each mapping once.
var keyPaths = sync.OnceValue(func() []keyPath {
	var out, named []keyPath
	seen := make(map[*Mapping]bool)
	enter := func(m *Mapping, above string) {
		if m == nil || seen[m] {
			return
		}
		seen[m] = true
		for i := range m.Keys {
			k := &m.Keys[i]
			out = append(out, keyPath{above + k.Name, m, k})
			named = append(named, keyPath{strings.ReplaceAll(m.Name, " ", "_") + "." + k.Name, m, k})
		}
	}
	enter(TheLanguage().Root, "")
	for i := 0; i < len(out); i++ {
		enter(out[i].key.Type.inner(), out[i].name+".")
	}
	return append(out, named...)
})

func (p keyPath) explain(path string) *KeyDoc {
	k := p.key
	doc := &KeyDoc{Key: path, Mapping: p.in.Name, Doc: k.Doc(), Value: k.Type.Describe(), Default: k.Default,
		Required: k.Required, Actions: k.Actions}
	if m := k.Type.inner(); m != nil {
		doc.Keys = m.names
	}
	return doc
}

// KeyNames returns the names of all keys, some of them several times.
func KeyNames() []string {
	var out []string
	for _, m := range TheLanguage().Mappings {
		out = append(out, m.names...)
	}
	return out
}

// inner returns the mapping that values of the type contain, or nil.
func (t *Type) inner() *Mapping {
	switch {
	case t.Mapping != nil:
		return t.Mapping
	case t.Elem != nil:
		return t.Elem.inner()
	}
	for i := range t.Alts {
		if m := t.Alts[i].inner(); m != nil {
			return m
		}
	}
	return nil
}
