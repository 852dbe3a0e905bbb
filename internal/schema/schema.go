// Package schema makes a JSON Schema and a reference of the taxonomy language out of the tables
// that the parser itself works by, so that neither can differ from it.
package schema

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/errgen/errgen/internal/spec"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// JSON returns the JSON Schema (draft 2020-12) of the language. With a taxonomy, the names that it
// declares become the only ones that can be referred to; t may be nil.
func JSON(t *spec.Taxonomy) []byte {
	g := generator{names: namesOf(t)}
	lang := spec.TheLanguage()
	defs := object{}
	for _, m := range lang.Mappings {
		defs[defName(m)] = g.mapping(m)
	}
	root := object{
		"$schema":     dialect,
		"title":       "errgen taxonomy",
		"description": "The language of errgen's error taxonomies, version 1.",
		"$ref":        ref(lang.Root),
		"$defs":       defs,
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic("schema: " + err.Error()) // maps, slices and strings always encode
	}
	return out.Bytes()
}

// object is a JSON object. encoding/json sorts its keys, so the output is always the same.
type object map[string]any

type generator struct {
	names map[spec.Ref][]string
}

func defName(m *spec.Mapping) string { return strings.ReplaceAll(m.Name, " ", "_") }

func ref(m *spec.Mapping) string { return "#/$defs/" + defName(m) }

// mapping returns the schema of a mapping with a closed set of keys.
func (g *generator) mapping(m *spec.Mapping) object {
	properties := object{}
	required := []string{}
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Reserved {
			continue
		}
		s := g.value(&k.Type)
		s["description"] = describe(k)
		properties[k.Name] = s
		if k.Required {
			required = append(required, k.Name)
		}
	}
	out := object{
		"type":                 "object",
		"description":          m.Doc,
		"properties":           properties,
		"patternProperties":    object{"^x-": true},
		"additionalProperties": false,
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if len(m.OneOf) > 0 {
		out["oneOf"] = alternatives(m.OneOf)
	}
	if len(m.AnyOf) > 0 {
		out["anyOf"] = alternatives(m.AnyOf)
	}
	if m.NeedsKey {
		out["minProperties"] = 1
	}
	return out
}

func alternatives(keys []string) []any {
	var out []any
	for _, k := range keys {
		out = append(out, object{"required": []string{k}})
	}
	return out
}

func describe(k *spec.Key) string {
	if k.Default == "" {
		return k.Doc
	}
	return k.Doc + " Default: " + k.Default + "."
}

// durationPattern is what time.ParseDuration takes, without a sign.
const durationPattern = `^(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// value returns the schema of a value.
func (g *generator) value(t *spec.Type) object {
	switch t.Form {
	case spec.FormWord:
		return object{"enum": t.Words}
	case spec.FormInt:
		return bounded(object{"type": "integer"}, t.Bounds)
	case spec.FormFloat:
		return bounded(object{"type": "number"}, t.Bounds)
	case spec.FormBool:
		return object{"type": "boolean"}
	case spec.FormDuration:
		return object{"type": "string", "pattern": durationPattern}
	case spec.FormVersion:
		return object{"const": spec.Version}
	case spec.FormLiteral:
		return object{"type": []string{"string", "number", "boolean", "array", "object"}}
	case spec.FormScalar:
		return object{"type": []string{"string", "number", "boolean"}}
	case spec.FormList:
		return g.list(t.Elem, 0)
	case spec.FormMany:
		return object{"anyOf": []any{g.value(t.Elem), g.list(t.Elem, 1)}}
	case spec.FormMap:
		return g.named(t)
	case spec.FormMapping:
		return object{"$ref": ref(t.Mapping)}
	case spec.FormMatcher:
		return object{"anyOf": []any{g.value(t.Elem), g.list(t.Elem, 1), object{"$ref": ref(t.Mapping)}}}
	case spec.FormEither:
		var alts []any
		for i := range t.Alts {
			alts = append(alts, g.value(&t.Alts[i]))
		}
		return object{"anyOf": alts}
	}
	return g.text(t.Ref)
}

// bounded adds between which numbers a value is.
func bounded(out object, b *spec.Bounds) object {
	if b == nil {
		return out
	}
	out["minimum"] = b.Least
	if !b.Endless {
		out["maximum"] = b.Most
	}
	return out
}

func (g *generator) list(of *spec.Type, least int) object {
	out := object{"type": "array", "items": g.value(of)}
	if least > 0 {
		out["minItems"] = least
	}
	return out
}

// named returns the schema of a mapping whose keys are names.
func (g *generator) named(t *spec.Type) object {
	names := object{"minLength": 1}
	if known := g.names[t.Ref]; !t.Declare && len(known) > 0 {
		names = object{"enum": known}
	}
	out := object{"type": "object", "propertyNames": names, "additionalProperties": g.value(t.Elem)}
	if t.Ref == spec.RefAttribute {
		out["minProperties"] = 1
	}
	return out
}

// text returns the schema of text, or of a name.
func (g *generator) text(to spec.Ref) object {
	known := g.names[to]
	switch {
	case len(known) == 0:
		return object{"type": "string"}
	case to == spec.RefOp: // the runtime has operations of its own
		return object{"anyOf": []any{object{"enum": known}, object{"type": "string"}}}
	}
	return object{"enum": known}
}
