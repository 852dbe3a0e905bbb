package spec

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/diag"
)

// The files with the structs of the language. Their comments are the descriptions of the keys.
var (
	//go:embed taxonomy.go
	taxonomySource string
	//go:embed reaction.go
	reactionSource string
	//go:embed value.go
	valueSource string
)

// docs returns the comments of the structs ("Policy") and of their fields ("Policy.MaxAttempts").
var docs = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	for _, src := range []string{taxonomySource, reactionSource, valueSource} {
		file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments)
		if err != nil {
			panic("spec: " + err.Error()) // the file has been compiled
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

// Doc returns what the key means.
func (k *Key) Doc() string { return docs()[k.doc] }

// Doc returns what the mapping is.
func (m *Mapping) Doc() string { return docs()[m.typ] }

// KeyDoc explains a key of the language.
type KeyDoc struct {
	Key      string   `json:"key"`     // as it was asked for: "reactions.then"
	Mapping  string   `json:"mapping"` // that has the key: "reaction"
	Doc      string   `json:"doc"`
	Value    string   `json:"value"`
	Default  string   `json:"default,omitempty"`
	Required bool     `json:"required,omitempty"`
	Actions  []string `json:"actions,omitempty"` // of a reaction, that take the key
	Keys     []string `json:"keys,omitempty"`    // of the mapping that the key contains
}

// Explain returns what the key at a path of the language means, such as policies.jitter. Names that
// a taxonomy declares can be in the path, or left out. The path can also begin with the name of a
// mapping, as in code.message.
func Explain(path string) (*KeyDoc, error) {
	m := TheLanguage().Root
	parts := strings.Split(path, ".")
	if named := mappingNamed(parts[0]); named != nil && m.Key(parts[0]) == nil && len(parts) > 1 {
		m, parts = named, parts[1:]
	}
	var key *Key
	var in *Mapping
	for i, part := range parts {
		if m == nil {
			return nil, fmt.Errorf("%s has no keys", strings.Join(parts[:i], "."))
		}
		switch next := m.Key(part); {
		case next != nil:
			key, in, m = next, m, next.Type.inner()
		case key == nil || key.Type.Form != FormMap || i == len(parts)-1:
			hint := diag.DidYouMean(part, m.names)
			if hint == "" {
				hint = article(m.Name) + " takes " + strings.Join(m.names, ", ")
			}
			return nil, fmt.Errorf("unknown key %q in %s; %s", part, article(m.Name), hint)
		}
	}
	doc := &KeyDoc{Key: path, Mapping: in.Name, Doc: key.Doc(), Value: key.Type.Describe(), Default: key.Default,
		Required: key.Required, Actions: key.Actions}
	if m != nil {
		doc.Keys = m.names
	}
	return doc, nil
}

// mappingNamed returns the mapping of a name, where _ is a space, or nil.
func mappingNamed(name string) *Mapping {
	all := TheLanguage().Mappings
	i := slices.IndexFunc(all, func(m *Mapping) bool { return m.Name == strings.ReplaceAll(name, "_", " ") })
	if i < 0 {
		return nil
	}
	return all[i]
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
