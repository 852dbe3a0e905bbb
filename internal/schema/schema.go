// Package schema makes a JSON Schema and the reference of the taxonomy language from the structs
// that the parser decodes into.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/internal/spec"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// JSON returns the JSON Schema (draft 2020-12) of taxonomies, and of files of messages, which have the
// key messages. With a taxonomy, its names are the only ones that can be referred to. t may be nil.
func JSON(t *spec.Taxonomy) []byte {
	g := generator{}
	if t != nil {
		g.names = t.Declared()
	}
	lang, messages := spec.TheLanguage(), spec.TheMessages()
	defs := object{}
	for _, m := range slices.Concat(lang.Mappings, messages.Mappings) {
		defs[defName(m)] = g.mapping(m)
	}
	root := object{
		"$schema":     dialect,
		"title":       "errgen taxonomy",
		"description": "The language of errgen's error taxonomies, version 1.",
		"if":          object{"required": []string{"messages"}},
		"then":        object{"$ref": ref(messages.Root)},
		"else":        object{"$ref": ref(lang.Root)},
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
	required, either := []string{}, m.AnyOf
	for i := range m.Keys {
		k := &m.Keys[i]
		s := g.value(&k.Type)
		s["description"] = k.Doc()
		if k.Default != "" {
			s["description"] = k.Doc() + " Default: " + k.Default + "."
			if v := literal(&k.Type, k.Default); v != nil {
				s["default"] = v
			}
		}
		properties[k.Name] = s
		switch {
		case k.Unless != "":
			either = []string{k.Name, k.Unless}
		case k.Required:
			required = append(required, k.Name)
		}
	}
	out := object{
		"type":                 "object",
		"description":          m.Doc(),
		"properties":           properties,
		"patternProperties":    object{"^x-": true},
		"additionalProperties": false,
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if len(either) > 0 {
		var keys []any
		for _, k := range either {
			keys = append(keys, object{"required": []string{k}})
		}
		out["anyOf"] = keys
	}
	return out
}

// literal returns the value of a default, or nil if the default is a description of one.
func literal(t *spec.Type, def string) any {
	switch t.Form {
	case spec.FormWord:
		if slices.Contains(t.Words, def) {
			return def
		}
	case spec.FormInt, spec.FormFloat:
		if _, err := strconv.ParseFloat(def, 64); err == nil {
			return json.Number(def)
		}
	case spec.FormBool:
		if v, err := strconv.ParseBool(def); err == nil {
			return v
		}
	case spec.FormDuration:
		if _, err := time.ParseDuration(def); err == nil {
			return def
		}
	case spec.FormEither:
		for i := range t.Alts {
			if v := literal(&t.Alts[i], def); v != nil {
				return v
			}
		}
	}
	return nil
}

// durationPattern is what time.ParseDuration takes, without a sign.
const durationPattern = `^(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// value returns the schema of a value.
func (g *generator) value(t *spec.Type) object {
	switch t.Form {
	case spec.FormWord:
		return object{"enum": t.Words}
	case spec.FormInt:
		return bounded("integer", t.Bounds)
	case spec.FormFloat:
		return bounded("number", t.Bounds)
	case spec.FormBool:
		return object{"type": "boolean"}
	case spec.FormDuration:
		return object{"type": "string", "pattern": durationPattern, "examples": []string{"1m30s"}}
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
		if short := t.Mapping.Short; short != nil {
			return object{"anyOf": []any{g.value(&short.Type), object{"$ref": ref(t.Mapping)}}}
		}
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
	known := distinct(g.names[t.Ref])
	switch {
	case len(known) == 0:
		return object{"type": "string"}
	case t.Ref == spec.RefOp: // the runtime has operations too
		return object{"anyOf": []any{object{"enum": known}, object{"type": "string"}}}
	}
	return object{"enum": known}
}

// distinct returns the names once each. Fields of several categories can share a name; which fields
// a place can refer to depends on its category, which a schema cannot express.
func distinct(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// bounded returns the schema of a number.
func bounded(typ string, b *spec.Bounds) object {
	out := object{"type": typ}
	if b != nil {
		out["minimum"] = b.Min
		if !math.IsInf(b.Max, 1) {
			out["maximum"] = b.Max
		}
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
	if known := distinct(g.names[t.Ref]); !t.Declare && len(known) > 0 {
		names = object{"enum": known}
	}
	return object{"type": "object", "propertyNames": names, "additionalProperties": g.value(t.Elem)}
}

// Table returns the keys of a mapping as a Markdown table. A key that the mapping shares with
// others is in the table of the part that it belongs to.
func Table(m *spec.Mapping) string {
	var b strings.Builder
	b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	part := ""
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Part != "" && k.Part != m.Name {
			if k.Part != part {
				fmt.Fprintf(&b, "| | the keys of %s | | |\n", k.Part)
			}
			part = k.Part
			continue
		}
		def := k.Default
		switch {
		case k.Unless != "":
			def = "required without `" + k.Unless + "`"
		case k.Required:
			def = "required"
		case def == "":
			def = "none"
		case !strings.Contains(def, " "):
			def = "`" + def + "`"
		}
		doc := strings.ReplaceAll(k.Doc(), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Type.Describe(), def, doc)
	}
	return b.String()
}
