package spec_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// TestPlaces reads the text at the place of each scalar again, and compares it with the value.
func TestPlaces(t *testing.T) {
	src, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(t, err)
	taxonomy, findings := spec.Parse("everything.yaml", src)
	require.Empty(t, findings)
	seen := make(map[diag.Span]bool)
	var visit func(v reflect.Value, path string)
	visit = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() && v.Type() != reflect.TypeFor[*diag.Source]() {
				visit(v.Elem(), path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		case reflect.Struct:
			span, value := v.FieldByName("Span"), v.FieldByName("V")
			if lit, ok := v.Interface().(spec.Literal); ok && lit.Items == nil && lit.Keys == nil {
				value = reflect.ValueOf(lit.Text)
			}
			if span.IsValid() && value.IsValid() {
				at := span.Interface().(diag.Span)
				checkPlace(t, taxonomy.Source, at, value, path)
				seen[at] = true
				return
			}
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					visit(v.Field(i), path+"."+f.Name)
				}
			}
		}
	}
	visit(reflect.ValueOf(taxonomy).Elem(), "")
	delete(seen, diag.Span{})
	assert.Greater(t, len(seen), 500)
}

// checkPlace compares a value with the text at its place.
func checkPlace(t *testing.T, source *diag.Source, at diag.Span, value reflect.Value, path string) {
	if !at.Valid() {
		assert.True(t, value.IsZero(), path)
		return
	}
	text := string([]rune(source.From(at.Line, at.Col))[:at.Len])
	if text == "|" {
		return // the text is below
	}
	var scalar string
	require.NoError(t, yaml.Unmarshal([]byte(text), &scalar), "%s: %s", path, text)
	if strings.Contains(path, ".Detect[") && (scalar == "state" || scalar == "exit") {
		return // a rule has the value of the constant
	}
	if d, ok := value.Interface().(time.Duration); ok {
		want, err := time.ParseDuration(scalar)
		require.NoError(t, err)
		assert.Equal(t, want, d, path)
		return
	}
	assert.Equal(t, fmt.Sprint(value.Interface()), scalar, path)
}

// TestEverythingUsesEveryKey keeps the fixture complete.
func TestEverythingUsesEveryKey(t *testing.T) {
	src, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(t, err)
	var doc any
	require.NoError(t, yaml.Unmarshal(src, &doc))
	used := map[string]bool{}
	collect(doc, &spec.Type{Form: spec.FormMapping, Mapping: spec.TheLanguage().Root}, used)
	used["taxonomy.include"] = true // testdata/script/include.txtar
	sameAs := map[string]bool{"reaction overlay": true, "counter-example": true}
	for _, m := range spec.TheLanguage().Mappings {
		for _, name := range m.Names() {
			assert.True(t, used[m.Name+"."+name] || sameAs[m.Name], "%s.%s", m.Name, name)
		}
	}
}

// collect notes the keys that a value uses.
func collect(v any, t *spec.Type, used map[string]bool) {
	for i := range t.Alts {
		collect(v, &t.Alts[i], used)
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if t.Elem != nil {
				collect(item, t.Elem, used)
			}
		}
	case map[string]any:
		for name, value := range v {
			switch {
			case t.Form == spec.FormMap:
				collect(value, t.Elem, used)
			case t.Mapping != nil && t.Mapping.Key(name) != nil:
				used[t.Mapping.Name+"."+name] = true
				collect(value, &t.Mapping.Key(name).Type, used)
			}
		}
	}
}

func TestNames(t *testing.T) {
	const src = `errgen: 1
package: a
sources: {press: x, other: y}
groups: {g: x}
policies: {p: {max_attempts: 2}}
reactions: {r: {action: retry, policy: p, then: block}}
categories:
  c:
    codes:
      A:
        message: a
        groups: [g]
        reaction: {action: retry, policy: q}
        detect: [{source: {not: press, prefix: [o]}, attributes: {a: b}}]
        examples: [{source: press, op: commit, attributes: {a: b}, want: {reaction: r}}]
profiles: {n: {codes: {A: {reaction: {permanent: s}}, '@g': {http: 404}}, recovery: {allowed: [x]}}}
`
	taxonomy, findings := spec.Parse("t", []byte(src))
	require.Empty(t, findings)
	var got []string
	taxonomy.Names(func(n spec.Name) {
		text := string(n.Ref) + " " + n.V
		switch {
		case n.Declares:
			text = "+" + text
		case n.Prefix:
			text += "*"
		}
		got = append(got, text)
	})
	assert.Equal(t, []string{
		"+source press", "+source other", "+group g", "+policy p", "+reaction r", "policy p", "reaction block",
		"+category c", "+code A", "group g", "policy q", "source press", "source o*", "attribute a",
		"source press", "op commit", "attribute a", "reaction r", "+profile n", "overlay A", "reaction s", "overlay @g",
		"strategy x",
	}, got)
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		path    string
		mapping string // "" for an unknown path
		value   string
	}{
		{"reactions.then", "reaction", "the name of a reaction, or a mapping (reaction)"},
		{"reactions.again.then", "reaction", "the name of a reaction, or a mapping (reaction)"},
		{"policies.jitter", "policy", "a number, 0 to 1, or one of none, full, decorrelated"},
		{"policies.adapt.attempts.min", "range of attempts", "a whole number, 1 to 100"},
		{"categories.codes.detect.exit_code", "detect rule",
			"a whole number, at least 0, a list, or a mapping of min, max, not, constant, present"},
		{"code.message", "code", "text"},
		{"detect_rule.is", "detect rule", "text, a list, or a mapping of not, prefix, constant, present"},
		{"categories", "taxonomy", "a mapping of names, each with a mapping (category)"},
		{"profiles.codes.retryable", "code overlay", "true or false"},
		{"when", "code", "a list, each item a mapping (when branch)"},
		{"then", "reaction", "the name of a reaction, or a mapping (reaction)"},
		{"codes.message", "code", "text"},
		{"codes.GONE.retryable", "code", "true or false"},
		{"log.message", "log", "text"},
		{"message", "",
			"several keys have this path: message: use one of reactions.log.message, categories.codes.message"},
		{"code.mesage", "", `did you mean "message"?`},
		{"nothing", "", `"nothing" is not a key of the language`},
		{"package.doc", "", `"package.doc" is not a key of the language`},
		{"", "", "is not a key"},
	} {
		doc, err := spec.Explain(tt.path)
		if tt.mapping == "" {
			assert.ErrorContains(t, err, tt.value, tt.path)
			continue
		}
		require.NoError(t, err, tt.path)
		assert.Equal(t, tt.mapping, doc.Mapping, tt.path)
		assert.Equal(t, tt.value, doc.Value, tt.path)
	}
}

// TestKeysAreDocumented wants a description of each key, in one or two sentences.
func TestKeysAreDocumented(t *testing.T) {
	for _, m := range spec.TheLanguage().Mappings {
		assert.NotEmpty(t, m.Doc(), m.Name)
		for i := range m.Keys {
			k := &m.Keys[i]
			assert.Regexp(t, `^[A-Zg].*[.)]$`, k.Doc(), "%s.%s", m.Name, k.Name)
		}
	}
}
