package executor

import (
	"strings"
	"testing"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMovePaths replaces paths of the person's working tree by those of the clone, and no others.
func TestMovePaths(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"no path":                     "no path",
		"/src/shop":                   "/c/tree",
		"Fix /src/shop/a.go:3.":       "Fix /c/tree/a.go:3.",
		"In /src/shop.":               "In /c/tree.",
		"`/src/shop/a` \"/src/shop\"": "`/c/tree/a` \"/c/tree\"",
		"cd /src/shop\nls":            "cd /c/tree\nls",
		"file:///src/shop/a":          "file:///c/tree/a",
		"DIR=/src/shop;":              "DIR=/c/tree;",
		"/src/shop-old /src/shop2":    "/src/shop-old /src/shop2",
		"/src/shop.git /src/shop_":    "/src/shop.git /src/shop_",
		"/home/src/shop x//src/shop":  "/home/src/shop x//src/shop",
	} {
		assert.Equal(t, want, movePaths(in, "/src/shop", "/c/tree"), in)
	}
}

// TestCheckOutputReachesAgent feeds the output of a failed check back, also if the code's text does
// not contain it.
func TestCheckOutputReachesAgent(t *testing.T) {
	const output = "--- FAIL: TestGreet\n    want Hello"
	for _, c := range []struct{ name, text, want string }{
		{"a text without it", "a check failed", "a check failed\n\n" + output},
		{"a text with its end", "a check failed: want Hello", "a check failed: want Hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, cfg, _ := play(story{
				reactions: reactions(),
				steps:     []callStep{{Writes: map[string]string{"a": "1"}, Answer: Answer{Signal: SignalDone}}},
				set: func(w *simulation, cfg *Config) {
					w.Fails["validate_pre_commit"] = []error{
						&taxonomy.Evidence{Source: "validator", Type: "exit", Text: c.text, Output: output},
					}
				},
			})
			e, err := New(cfg)
			require.NoError(t, err)
			e.Run(t.Context(), Task{Run: "r", ID: "1", Prompt: "Greet"})
			require.Len(t, w.Prompts, 2)
			assert.Contains(t, w.Prompts[1], c.want)
			assert.Equal(t, 1, strings.Count(w.Prompts[1], "want Hello"))
		})
	}
}
