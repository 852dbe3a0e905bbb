package scope_test

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor/scope"
)

// The scope agrees with doublestar on every pattern that it accepts.
func FuzzScope(f *testing.F) {
	for _, seed := range [][2]string{
		{"src/**/secret", "src/a/secret"}, {"{a,b/{c,d}}/**", "b/d/x"}, {"a[b-d]c", "acc"}, {`\*[\]a-c]?`, "*]x"},
		{"**/", "a"},
		{"a/**/b/**", "a/b"}, {"*/**/*.go", "x/y.go"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		c := scope.Config{Allowed: []string{pattern}}
		s, err := scope.New(c)
		if err != nil {
			return
		}
		if got := verdict(s, path); got != "forbidden" {
			text := pattern
			if strings.HasSuffix(text, "/") {
				text += "**"
			}
			assert.Equal(t, doublestar.MatchUnvalidated(text, path), got == "allowed", "%q %q", pattern, path)
		}
		c.Forbidden, c.Allowed = c.Allowed, nil
		s, err = scope.New(c)
		assert.NoError(t, err)
		c.IgnoreCase = true
		if folding, err := scope.New(c); assert.NoError(t, err) && s.Watches(path) {
			assert.True(t, folding.Watches(path), "%q %q", pattern, path)
		}
	})
}
