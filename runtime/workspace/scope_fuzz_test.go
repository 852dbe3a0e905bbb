package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/workspace"
)

func contextWithCause(t *testing.T, cause string) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(errors.New(cause)) }
}

// The scope agrees with doublestar on every pattern that it takes, but that a negated class never
// matches a slash; and a watched path is never below a directory that is not walked.
func FuzzScope(f *testing.F) {
	for _, seed := range [][2]string{
		{"src/**/secret", "src/a/secret"}, {"{a,b/{c,d}}/**", "b/d/x"}, {"a[!x]c", "a/c"}, {`\*[\]a-c]?`, "*]x"},
		{"**/", "a"},
		{"a/**/b/**", "a/b"}, {"*/**/*.go", "x/y.go"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		c := workspace.ScopeConfig{Allowed: []string{pattern}, Case: workspace.CaseSensitive, AllowGit: true}
		s, err := workspace.NewScope(c)
		if err != nil {
			return
		}
		if got := verdict(s, path); got != "forbidden" && !strings.Contains(pattern, "[") {
			text := pattern
			if strings.HasSuffix(text, "/") {
				text += "**"
			}
			assert.Equal(t, doublestar.MatchUnvalidated(text, path), got == "allowed", "%q %q", pattern, path)
		}
		c.Forbidden, c.Allowed = c.Allowed, nil
		if s, err = workspace.NewScope(c); assert.NoError(t, err) && s.Watches(path) {
			for dir := path; strings.Contains(dir, "/"); {
				dir = dir[:strings.LastIndexByte(dir, '/')]
				assert.True(t, s.WatchesBelow(dir), "%q %q", pattern, dir)
			}
		}
		c.Case = workspace.CaseInsensitive
		if folding, err := workspace.NewScope(c); assert.NoError(t, err) && s.Watches(path) {
			assert.True(t, folding.Watches(path), "%q %q", pattern, path)
		}
	})
}
