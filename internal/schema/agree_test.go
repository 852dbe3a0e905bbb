package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/schema"
	"github.com/errgen/errgen/internal/spec"
)

// TestParserAndSchemaAgree puts values of every form at every place of a taxonomy that uses every
// key, and asks the parser and the schema whether they take the result. JSON is YAML, so both read
// the same. Neither looks from one key of the root at another, so the place stands in a taxonomy
// that has its key of the root and those that must be.
func TestParserAndSchemaAgree(t *testing.T) {
	src, err := os.ReadFile("../spec/testdata/valid/everything.yaml")
	require.NoError(t, err)
	doc, err := spec.Plain(src)
	require.NoError(t, err)
	needed, err := spec.Plain([]byte("errgen: 1\npackage: p\ncategories: {c: {codes: {A: {message: a}}}}\n"))
	require.NoError(t, err)
	language := compile(t, schema.JSON(nil))
	values := []any{nil, true, "text", json.Number("5"), []any{}, []any{"a"}, map[string]any{},
		map[string]any{"unheard_of": "a"}}
	tried, seen := 0, map[string]bool{}
	for key, value := range doc.(map[string]any) {
		root := map[string]any{key: value}
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
				if len(findings) == 0 && refused != nil && outOfBounds(text) {
					continue // numbers are checked later than form
				}
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

// outOfBounds reports that the rules of meaning refuse a number, or what does nothing.
func outOfBounds(text []byte) bool {
	_, findings := check.Load("taxonomy.json", text)
	return slices.ContainsFunc(
		findings, func(f diag.Finding) bool { return f.ID == "E-value" || f.ID == "E-missing-key" })
}

// TestBoundsAgree has numbers at the ends of what the language takes.
func TestBoundsAgree(t *testing.T) {
	const most = "1000000"
	language := compile(t, schema.JSON(nil))
	for _, tt := range []struct {
		policy, prevent string // with % for the number
		good, bad       []string
	}{
		{policy: "max_attempts: %", good: []string{"1", most}, bad: []string{"0", "-1", "1000001", "9999999999"}},
		{policy: "multiplier: %", good: []string{"1", "1.5", "99"}, bad: []string{"0.9", "0"}},
		{policy: "jitter: %", good: []string{"0", "1", "0.5", "full"}, bad: []string{"-0.1", "1.1"}},
		{policy: "adapt: {attempts: {min: %}}", good: []string{"1", "2"}, bad: []string{"0", "101"}},
		{policy: "adapt: {attempts: {max: %}}", good: []string{"4", "100"}, bad: []string{"0", "101", "2147483648"}},
		{policy: "adapt: {attempts: {max: 4}, target: %}", good: []string{"0.01", "0.99"},
			bad: []string{"0", "0.009", "0.991", "1", "-1"}},
		{policy: "adapt: {attempts: {max: 4}, window: %}", good: []string{"10", "1000"}, bad: []string{"9", "1001"}},
		{policy: "budget: {retries: %}", good: []string{"0", "0.1", "7"}, bad: []string{"-0.1"}},
		{policy: "budget: {retries: 1, reserve: %}", good: []string{"0", most}, bad: []string{"-1", "1000001"}},
		{policy: "budget: {breaker: {failures: %}}", good: []string{"1", "1000"}, bad: []string{"0", "1001"}},
		{policy: "budget: {breaker: {failures: 1, of: %}}", good: []string{"1", "1000"}, bad: []string{"0", "1001"}},
		{policy: "budget: {breaker: {failures: 1, successes: %}}", good: []string{"1", "1000"},
			bad: []string{"0", "1001"}},
		{prevent: "{concurrency: %}", good: []string{"1", most}, bad: []string{"0", "1000001"}},
		{prevent: "{concurrency: 1, likely: %}", good: []string{"0", "0.99"}, bad: []string{"-0.1", "0.991", "1"}},
		{prevent: "{%throttle: 1s}", good: []string{""}},
		{prevent: "{likely: 1%}", bad: []string{""}},
	} {
		for _, n := range slices.Concat(tt.good, tt.bad) {
			src := "errgen: 1\npackage: p\npolicies: {p: {" + strings.Replace(tt.policy, "%", n, 1) +
				"}}\nreactions: {r: {action: retry, policy: p}}\n" +
				"categories: {c: {retryable: true, reaction: r, codes: {A: {message: a"
			if tt.prevent != "" {
				src += ", prevent: " + strings.Replace(tt.prevent, "%", n, 1)
			}
			src += "}}}}\n"
			doc, err := spec.Plain([]byte(src))
			require.NoError(t, err)
			good := slices.Contains(tt.good, n)
			assert.Equal(t, good, language.Validate(doc) == nil, "schema: %s", src)
			m, findings := check.Load("taxonomy.yaml", []byte(src))
			assert.Equal(t, good, m != nil, "%s: %v", src, findings)
		}
	}
}

// eachPlace calls f for every value below v with a function that replaces it. The value is put back
// after.
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
