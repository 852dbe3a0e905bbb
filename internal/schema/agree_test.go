package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

// TestParserAndSchemaAgree puts values of every form at every place of a taxonomy that uses every
// key, and checks that the parser and the schema agree on the result. JSON is YAML, so both read
// the same text. Neither compares keys of the root with each other, so the taxonomy has only the
// place's key of the root and the required ones.
func TestParserAndSchemaAgree(t *testing.T) {
	src, err := os.ReadFile("../spec/testdata/everything.yaml")
	require.NoError(t, err)
	doc, err := plain(src)
	require.NoError(t, err)
	needed, err := plain([]byte("errgen: 1\npackage: p\ncategories: {c: {codes: {A: {message: a}}}}\n"))
	require.NoError(t, err)
	language := compile(t, schema.JSON(nil))
	values := []any{nil, true, "text", json.Number("5"), []any{}, []any{"a"}, map[string]any{},
		map[string]any{"unheard_of": "a"}}
	tried, seen := 0, map[string]bool{}
	var roots []map[string]any
	for key, value := range doc.(map[string]any) {
		if key != "categories" {
			roots = append(roots, map[string]any{key: value})
			continue
		}
		for name, category := range value.(map[string]any) { // one by one is faster
			roots = append(roots, map[string]any{key: map[string]any{name: category}})
		}
	}
	for _, root := range roots {
		eachPlace(root, "", func(path string, replace func(v any)) {
			if seen[path] {
				return // another item of a list
			}
			seen[path] = true
			for _, v := range values {
				replace(v)
				whole := maps.Clone(needed.(map[string]any))
				maps.Copy(whole, root)
				text, err := json.Marshal(whole)
				require.NoError(t, err)
				_, findings := spec.Parse("taxonomy.json", text)
				refused := language.Validate(whole)
				if (len(findings) == 0) != (refused == nil) {
					assert.Fail(
						t, "they differ", fmt.Sprintf("%s = %v\nparser: %v\nschema: %v", path, v, findings, refused))
				}
				tried++
			}
		})
	}
	assert.Greater(t, tried, 1000)
}

// eachPlace calls f for every value below v with a function that replaces it. The value is restored
// afterwards.
func eachPlace(v any, path string, f func(path string, replace func(v any))) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			at := path + "." + k
			eachPlace(old, at, f)
			f(at, func(n any) { v[k] = n })
			v[k] = old
		}
	case []any:
		for i, old := range v {
			at := path + "[]"
			eachPlace(old, at, f)
			f(at, func(n any) { v[i] = n })
			v[i] = old
		}
	}
}
