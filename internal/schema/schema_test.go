package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

// plain returns a file as a validator sees it.
func plain(src []byte) (any, error) {
	var doc any
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, c.AddResource("errgen.schema.json", doc))
	s, err := c.Compile("errgen.schema.json")
	require.NoError(t, err)
	return s
}

// files returns the files that match, with the project's own taxonomies when they are there.
func files(t *testing.T, patterns ...string) []string {
	t.Helper()
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		require.NoError(t, err)
		out = append(out, found...)
	}
	require.NotEmpty(t, out)
	return out
}

func TestAcceptsTaxonomies(t *testing.T) {
	language := compile(t, schema.JSON(nil))
	for _, file := range files(t, "../spec/testdata/*.yaml", "../../taxonomy.yaml",
		"../../examples/*/taxonomy.yaml") {
		t.Run(file, func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			doc, err := plain(src)
			require.NoError(t, err)
			assert.NoError(t, language.Validate(doc))

			taxonomy, findings := spec.Parse(file, src)
			require.Empty(t, findings)
			own := compile(t, schema.JSON(taxonomy))
			assert.NoError(t, own.Validate(doc), "with its own names")
		})
	}
}

func TestOwnNamesAreEnums(t *testing.T) {
	const head = `
errgen: 1
package: shop
sources: {press: The press.}
groups: {hardware: Hardware.}
strategies: {split: Split it.}
tiers: {low: {}, high: {}}
policies: {patient: {max_attempts: 5}}
reactions: {again: {action: retry, policy: patient}}
fields: {id: {type: string}}
`
	const good = head + `
categories: {press: {codes: {JAM: {message: jam}}}}
`
	taxonomy, findings := spec.Parse("taxonomy.yaml", []byte(good))
	require.Empty(t, findings)
	own, language := compile(t, schema.JSON(taxonomy)), compile(t, schema.JSON(nil))
	for _, tt := range []struct{ name, with string }{
		{"reaction", `categories: {press: {reaction: agian, codes: {JAM: {message: jam}}}}`},
		{"group", `categories: {press: {codes: {JAM: {message: jam, groups: [software]}}}}`},
		{"source", `categories: {press: {codes: {JAM: {message: jam, detect: [{source: pres}]}}}}`},
		{"source of an example", `categories: {press: {codes: {JAM: {message: jam, examples: [{source: pres}]}}}}`},
		{"field of args", `categories: {press: {codes: {JAM: {message: jam, args: [di]}}}}`},
		{"field of if", `categories: {press: {codes: {JAM: {message: jam, when: [{if: {di: a}}]}}}}`},
		{"policy", `categories: {press: {reaction: {action: retry, policy: hasty}, codes: {JAM: {message: jam}}}}`},
		{"strategy",
			`categories: {press: {reaction: {action: recover, strategy: join}, codes: {JAM: {message: jam}}}}`},
		{"tier", `categories: {press: {reaction: {action: escalate, to: top}, codes: {JAM: {message: jam}}}}`},
		{"code", `categories: {press: {codes: {JAM: {message: jam, replaced_by: HAM}}}}`},
		{"overlay", "categories: {press: {codes: {JAM: {message: jam}}}}\nprofiles: {p: {codes: {HAM: {http: 500}}}}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := plain([]byte(head + tt.with))
			require.NoError(t, err)
			assert.NoError(t, language.Validate(doc), "the language knows no names")
			assert.Error(t, own.Validate(doc))
		})
	}
	for _, name := range []string{"again", "abort", "block", "continue"} {
		doc, err := plain(
			[]byte(head + `categories: {press: {reaction: ` + name + `, codes: {JAM: {message: jam}}}}`))
		require.NoError(t, err)
		assert.NoError(t, own.Validate(doc), name)
	}
}

// TestEveryKey checks that an editor gets the doc, the words and the default of each key, and that a
// default with a value is valid.
func TestEveryKey(t *testing.T) {
	type property struct {
		Description string
		Default     any
	}
	var document struct {
		Defs map[string]struct{ Properties map[string]json.RawMessage } `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(schema.JSON(nil), &document))
	keys, words, defaults := 0, 0, 0
	for _, m := range slices.Concat(spec.TheLanguage().Mappings, spec.TheMessages().Mappings) {
		name := strings.ReplaceAll(m.Name, " ", "_")
		properties := document.Defs[name].Properties
		assert.Len(t, properties, len(m.Keys), m.Name)
		for i := range m.Keys {
			k := &m.Keys[i]
			place := m.Name + "." + k.Name
			var p property
			require.NoError(t, json.Unmarshal(properties[k.Name], &p), place)
			assert.NotEmpty(t, k.Doc(), place)
			assert.Contains(t, p.Description, k.Doc(), place)
			for _, word := range wordsOf(&k.Type) {
				assert.Contains(t, enumsOf(t, properties[k.Name]), word, place)
				words++
			}
			if k.Default != "" {
				assert.Contains(t, p.Description, "Default: "+k.Default+".", place)
			}
			if p.Default != nil {
				assert.Equal(t, k.Default, fmt.Sprint(p.Default), place)
				assert.NoError(t, at(t, name, k.Name).Validate(p.Default), place)
				defaults++
			}
			keys++
		}
	}
	t.Logf("%d keys, %d words, %d defaults with a value", keys, words, defaults)
	assert.True(t, keys > 100 && words > 100 && defaults > 30)
}

// at returns the schema of a key of a mapping.
func at(t *testing.T, mapping, key string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSON(nil)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("file:///errgen.schema.json", doc))
	s, err := c.Compile("file:///errgen.schema.json#/$defs/" + mapping + "/properties/" + key)
	require.NoError(t, err)
	return s
}

// wordsOf returns the closed set of words of a type.
func wordsOf(t *spec.Type) []string {
	words := slices.Clone(t.Words)
	for i := range t.Alts {
		words = append(words, wordsOf(&t.Alts[i])...)
	}
	if t.Elem != nil {
		words = append(words, wordsOf(t.Elem)...)
	}
	return words
}

// enumsOf returns the values of all enums in a schema.
func enumsOf(t *testing.T, text json.RawMessage) (values []any) {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if enum, ok := v["enum"].([]any); ok {
				values = append(values, enum...)
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	return values
}
