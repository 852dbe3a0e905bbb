package emit_test

import (
	"encoding/json"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/emit"
	"github.com/errgen/errgen/internal/explain"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

// keysForPeople change neither the generated package and its tests nor findings and explanations.
var keysForPeople = map[string]string{
	"operation.errors":        "errgenvet compares it",
	"code.remove_after":       "errgen unused compares it with the day",
	"signature.doc":           "errgen explain prints it",
	"signature.seen":          "errgen explain prints it",
	"reserved code.reason":    "errgen explain prints it",
	"range of numbers.reason": "errgen explain prints it",
}

// otherValues replace values which are those of an absent key, or which are valid, so that a check
// has nothing to find.
var otherValues = []struct{ key, old, new string }{
	{"category.recoverability", "recoverability: retryable\n    reaction", "recoverability: recoverable\n    reaction"},
	{"code overlay.retryable", "PATH_LOCKED: {", "UPLOAD_FAILED: {"},
	{"code.audience", "audience: public\n        message", "audience: internal\n        message"},
	{"field.audience", "audience: public, doc: The deployment", "audience: internal, doc: The deployment"},
	{"taxonomy.audience", "audience: internal\nstack", "audience: public\nstack"},
	{"detection.severity", "severity: true, recoverability: true}\n", "severity: false, recoverability: true}\n"},
	{"detection.recoverability", "recoverability: true}\n", "recoverability: false}\n"},
	{"example of a signature.want", "want: {limit: '100'}", "want: {limit: '99'}"},
	{"signature.not_examples", "'docs: the pulls left'", "'error: pulls: 100 of 100'"},
	{"example.want", "want: {reaction: smaller}", "want: {reaction: halt}"},
	{"want.reaction", "want: {reaction: smaller}", "want: {reaction: halt}"},
	{"want.context", "{pause: 45s}", "{pause: 46s}"},
	{"want.retryable", "want: {retryable: true", "want: {retryable: false"},
	{"want.recoverability", "true, recoverability: retryable, severity", "true, recoverability: recoverable, severity"},
	{"want.severity", "recoverability: retryable, severity: high", "recoverability: retryable, severity: low"},
	{"range of delays.max", "delay: {min: 2s, max: 10s}", "delay: {min: 2s, max: 5s}"},
	{"retry.backoff", "backoff: exponential, jitter: none", "backoff: constant, jitter: none"},
	{"retry.jitter", "backoff: exponential, jitter: none", "backoff: exponential, jitter: full"},
	{"reserved.codes", "[BUILDER_HUNG", "[BUILDER_LOST"},
	{"reserved.numbers", "numbers: [13", "numbers: [10"},
	{"taxonomy.reserved", "numbers: [13", "numbers: [10"},
	{"taxonomy.numbers", "number: -1", "number: 10"},
	{"range of numbers.to", "{from: 100, to: 200", "{from: 9, to: 10"},
	{"range of numbers.category", "{from: 9, category: builder}", "{from: 20, category: builder}"},
}

// TestEveryKeyHasAnEffect removes each key of a taxonomy that has them all. testdata/keys.txt lists
// what then differs: the findings, the generated package, its tests, or the explanations. So a key
// cannot be forgotten on its way to one of them. A change of the list is a change of the language.
func TestEveryKeyHasAnEffect(t *testing.T) {
	content, err := os.ReadFile("../spec/testdata/everything.yaml")
	require.NoError(t, err)
	src := string(content)
	changed := make(map[string]map[string]bool)
	removeKeys(t, src, "", changed)
	for _, x := range otherValues {
		require.Contains(t, src, x.old, x.key)
		removeKeys(t, strings.Replace(src, x.old, x.new, 1), x.key, changed)
	}

	var list strings.Builder
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		what := slices.Sorted(maps.Keys(changed[key]))
		if keysForPeople[key] == "" {
			assert.NotEmpty(t, what, "nothing depends on the key %s: generate, explain or check must read it", key)
		}
		list.WriteString(strings.TrimSpace(key+": "+strings.Join(what, " ")) + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/keys.txt", []byte(list.String()), 0o644))
	}
	golden, err := os.ReadFile("testdata/keys.txt")
	require.NoError(t, err)
	assert.Equal(t, string(golden), list.String(), "go test ./internal/emit -update writes the list anew")
}

// removal is the taxonomy without a key.
type removal struct {
	key string
	doc *yaml.Node
}

// effectKinds are the kinds of effects of a key.
var effectKinds = []string{"findings", "package", "tests", "explanations"}

// removeKeys adds to changed the kinds of effects that differ without a key of the taxonomy. It
// removes each occurrence of the key, or the first ones of every key, one at a time.
func removeKeys(t *testing.T, src, key string, changed map[string]map[string]bool) {
	t.Helper()
	const maxOccurrences = 2
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(src), &doc))
	before := effects(t, &doc)
	count := make(map[string]int)
	var removals []removal
	root := &spec.Type{Form: spec.FormMapping, Mapping: spec.TheLanguage().Root}
	eachKey(doc.Content[0], root, func(name string, n *yaml.Node, at int) {
		count[name]++
		if key == "" && count[name] > maxOccurrences || key != "" && key != name {
			return
		}
		all := n.Content
		n.Content = slices.Delete(slices.Clone(all), at, at+2)
		removals = append(removals, removal{name, clone(&doc)})
		n.Content = all
	})
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for _, r := range removals {
		slots <- true
		wg.Go(func() {
			defer func() { <-slots }()
			after := effects(t, r.doc)
			mu.Lock()
			defer mu.Unlock()
			if changed[r.key] == nil {
				changed[r.key] = make(map[string]bool)
			}
			for _, kind := range effectKinds {
				isMade := before[kind] != "" && after[kind] != "" || kind == "findings"
				if isMade && after[kind] != before[kind] {
					changed[r.key][kind] = true
				}
			}
		})
	}
	wg.Wait()
}

// clone returns a deep copy of a node.
func clone(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = clone(c)
	}
	return &out
}

// eachKey visits the keys of a value, each with the name of its mapping: "code.since".
func eachKey(n *yaml.Node, typ *spec.Type, visit func(key string, mapping *yaml.Node, at int)) {
	for i := range typ.Alts {
		eachKey(n, &typ.Alts[i], visit)
	}
	switch {
	case n.Kind == yaml.SequenceNode && typ.Elem != nil:
		for _, item := range n.Content {
			eachKey(item, typ.Elem, visit)
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			name, value := n.Content[i].Value, n.Content[i+1]
			if typ.Form == spec.FormMap {
				eachKey(value, typ.Elem, visit)
			} else if typ.Mapping != nil && typ.Mapping.Key(name) != nil {
				visit(typ.Mapping.Name+"."+name, n, i)
				eachKey(value, &typ.Mapping.Key(name).Type, visit)
			}
		}
	}
}

// effects returns the findings of a taxonomy, the generated package and its tests, and the
// explanations. If the taxonomy has errors, only the findings can differ.
func effects(t *testing.T, doc *yaml.Node) map[string]string {
	src, err := yaml.Marshal(doc)
	assert.NoError(t, err)
	m, findings := check.Load("everything.yaml", src)
	out := make(map[string]string)
	for _, f := range findings {
		out["findings"] += f.ID + " " + f.Message + "\n"
	}
	if m == nil {
		return out
	}
	withoutSource(m)
	for _, f := range emit.Files(m, emit.Options{Tests: true}) {
		kind := "package"
		if strings.HasSuffix(f.Name, "_test.go") {
			kind = "tests"
		}
		out[kind] += string(f.Content)
	}
	explained := []any{explain.Names(m)}
	for _, c := range m.Codes {
		explained = append(explained, explain.CodeOf(m, c))
	}
	for _, c := range m.Categories {
		explained = append(explained, explain.CategoryOf(m, c))
	}
	for _, o := range m.Operations {
		explained = append(explained, explain.OperationOf(m, o))
	}
	for _, r := range m.Reactions {
		explained = append(explained, explain.ReactionOf(m, nil, r.Value))
	}
	b, err := json.Marshal(explained)
	assert.NoError(t, err)
	out["explanations"] = string(b)
	return out
}

// withoutSource removes the texts of the taxonomy that are copied unread.
func withoutSource(m *model.Package) {
	for _, r := range m.Rules {
		r.Doc = ""
	}
	for _, c := range m.Codes {
		for _, x := range c.Examples {
			x.Doc = ""
		}
	}
}
