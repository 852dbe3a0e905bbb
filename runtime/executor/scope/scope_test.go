package scope_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var verdicts = map[executor.Verdict]string{
	executor.Allowed: "allowed", executor.NeedsAsk: "ask", executor.Outside: "outside", executor.Forbidden: "forbidden",
}

func newScope(t *testing.T, c scope.Config) *scope.Scope {
	t.Helper()
	s, err := scope.New(c)
	require.NoError(t, err)
	return s
}

func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

func verdict(s *scope.Scope, path string) string {
	v, _ := s.Explain(path)
	return verdicts[v]
}

// A path is allowed exactly when the pattern, as the only allowed one, matches it.
func TestAllowedPatterns(t *testing.T) {
	tests := []struct {
		pattern string
		in      string
		out     string
	}{
		{"src/**/secret", "src/secret src/a/secret src/a/b/secret",
			"src src/a src/a/open src/secrets src/secret/x other/src/secret"},
		{"src/**", "src src/a src/a/b/c", "src2 srcs/a a/src"},
		{"src/", "src src/a src/a/b", "src2 a/src/b"},
		{"src", "src", "src/a src2"},
		{"src/*", "src/a src/.hidden", "src src/a/b"},
		{"*", "a .env", "a/b"},
		{"**", "a a/b .env", ""},
		{"**/", "a a/b", ""},
		{"**/*.go", "a.go a/b.go a/b/c.go", "a.gox a.go/b"},
		{"**/testdata/**", "testdata/a a/testdata/b/c testdata", "a/testdata2/b"},
		{"a/**/b/**/c", "a/b/c a/x/b/y/z/c a/b/b/c", "a/c a/b a/b/c/d"},
		{"a/**/", "a a/b a/b/c", "b"},
		{"{a,b/c}/*.{go,md}", "a/x.go b/c/x.md", "b/x.go a/x.txt b/c/d/x.go"},
		{"{**/a,b}", "a x/y/a b", "x/b"},
		{"a{,b}c", "ac abc", "abbc"},
		{"x{{1,2},3}", "x1 x2 x3", "x x12"},
		{"[a-c]?.md", "ax.md", "dx.md a.md axx.md"},
		{"a?c", "abc a-c", "a/c ac"},
		{`a\*b`, "a*b", "axb"},
		{`\!a`, "!a", "a"},
		{`\~`, "~", "a"},
		{`a[\]]b`, "a]b", "ab"},
		{"-rf", "-rf", "rf"},
		{"a b/c", "a b/c", "a"},
		{"ünï/*.cöd", "ünï/ä.cöd", "uni/a.cod"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			s := newScope(t, scope.Config{Allowed: []string{tt.pattern}})
			for _, path := range words(tt.in) {
				assert.Equal(t, "allowed", verdict(s, path), path)
			}
			for _, path := range words(tt.out) {
				assert.Equal(t, "outside", verdict(s, path), path)
			}
		})
	}
}

// words splits at blanks; "a b/c" is the one path of these tests that has one.
func words(s string) []string {
	if s == "a b/c" {
		return []string{s}
	}
	return strings.Fields(s)
}

// TestForbiddenPatterns: a plain name also covers the files below it.
func TestForbiddenPatterns(t *testing.T) {
	tests := []struct {
		pattern string
		in      string
		out     string
	}{
		{"src/**/secret", "src/secret src/a/secret src/a/secret/key", "src/a src/secrets"},
		{".env", ".env .env/x", "a/.env .envrc"},
		{"**/.env", ".env a/b/.env", ".env2"},
		{"**/node_modules", "node_modules/a/b x/node_modules/y", "node_modules2/a"},
		{"docs/*", "docs/a", "docs/a/b docs"},
		{"*.pem", "a.pem", "a/b.pem a.pem/x"},
		{"secrets/", "secrets secrets/a/b", "secrets2"},
		{`we\[ird`, "we[ird we[ird/x", "weird"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			forbids := newScope(
				t, scope.Config{Forbidden: []string{tt.pattern}})
			asks := newScope(t, scope.Config{Ask: []string{tt.pattern}})
			for _, path := range words(tt.in) {
				assert.Equal(t, "forbidden", verdict(forbids, path), path)
				assert.Equal(t, "ask", verdict(asks, path), path)
				assert.True(t, forbids.Watches(path), path)
				assert.False(t, asks.Watches(path), path)
			}
			for _, path := range words(tt.out) {
				assert.Equal(t, "allowed", verdict(forbids, path), path)
				assert.Equal(t, "allowed", verdict(asks, path), path)
				assert.False(t, forbids.Watches(path), path)
			}
		})
	}
}

func TestScopePrecedence(t *testing.T) {
	lists := scope.Config{
		Allowed: []string{"src/**", "go.mod"}, Forbidden: []string{"src/gen/**"},
		Ask: []string{"go.mod", "src/gen/**", "other/**"},
	}
	tests := []struct {
		path              string
		strict, ask, none string
	}{
		{"src/a.go", "allowed", "allowed", "allowed"},
		{"src/gen/a.go", "forbidden", "forbidden", "allowed"}, // also matches ask and allowed
		{"go.mod", "ask", "ask", "allowed"},
		{"other/a.go", "outside", "ask", "allowed"}, // and to be asked about
		{"docs/a.md", "outside", "ask", "allowed"},
		{".git/config", "forbidden", "forbidden", "forbidden"},
		{"../a", "forbidden", "forbidden", "forbidden"},
	}
	for _, tt := range tests {
		for mode, want := range map[scope.Mode]string{
			"": tt.strict, scope.Strict: tt.strict, scope.Ask: tt.ask, scope.Off: tt.none,
		} {
			c := lists
			c.Mode = mode
			if mode == scope.Off {
				c.Forbidden = nil // it is refused with them
			}
			assert.Equal(t, want, verdict(newScope(t, c), tt.path), "%s in mode %q", tt.path, mode)
		}
	}
}

func TestEmptyScopeAllowsAllButGit(t *testing.T) {
	s := newScope(t, scope.Config{})
	assert.Equal(t, "strict", s.Mode())
	assert.Equal(t, "allowed", verdict(s, "a/b"))
	assert.Equal(t, "forbidden", verdict(s, ".git/hooks/pre-commit"))
	assert.False(t, s.WatchesBelow(""))
}

func TestPathsThatAreNotInside(t *testing.T) {
	s := newScope(t, scope.Config{Allowed: []string{"**"}})
	for _, path := range []string{"", ".", "..", "../a", "a/../b", "a/../../b", "./a", "a/.", "a//b", "a/", "/",
		"/etc/passwd", "a\x00b"} {
		assert.Equal(t, "forbidden", verdict(s, path), "%q", path)
	}
	for _, path := range []string{"~/a", "-rf", "a\nb", `a"b`, "..a", "a..", "...", "\xff"} {
		assert.Equal(t, "allowed", verdict(s, path), "%q", path)
	}
}

func TestGitsOwnFiles(t *testing.T) {
	all := newScope(t, scope.Config{Mode: scope.Off})
	for _, path := range []string{
		".git", ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".Git", "git~1/config", "GIT~1",
		".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config", ".g\u200cit/config", "\u200d.git/config",
	} {
		assert.Equal(t, "forbidden", verdict(all, path), "%q", path)
	}
	for _, path := range []string{".github/workflows/ci.yml", ".gitignore", "git", "a.git/b", "gitt~1", "x.git"} {
		assert.Equal(t, "allowed", verdict(all, path), "%q", path)
	}
}

func TestCaseOfLetters(t *testing.T) {
	c := scope.Config{Forbidden: []string{"**/.env", "Keys/[A-C]*"}, IgnoreCase: true}
	s := newScope(t, c)
	for _, path := range []string{".ENV", "a/.Env", "keys/b1", "KEYS/B1", "\u212Aeyſ/a"} {
		assert.Equal(t, "forbidden", verdict(s, path), path)
		assert.True(t, s.Watches(path), path)
	}
	assert.True(t, s.WatchesBelow("KEYS"))
	c.IgnoreCase = false
	if runtime.GOOS == "linux" {
		assert.Equal(t, "allowed", verdict(newScope(t, c), ".ENV"))
	}
}

func TestPatternsThatCannotBeUsed(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"", "it is empty"},
		{" a", "trailing space"},
		{"a\t", "trailing space"},
		{"a\nb", "control character"},
		{"a\x00b", "control character"},
		{"\xff", "invalid UTF-8"},
		{"!a", "! has no meaning"},
		{"~/a", "~ has no meaning"},
		{"/etc/**", "absolute"},
		{"{/etc,a}", "absolute"},
		{"{a,/etc}", "absolute"},
		{"./a", ". or .."},
		{"a/../b", ". or .."},
		{"{a,..}/b", ". or .."},
		{"a//b", "a part that is empty"},
		{"src/**.go", "no more than *"},
		{"**a", "no more than *"},
		{"***", "no more than *"},
		{`src\foo`, "separated by /"},
		{`a\`, "backslash is at the end"},
		{"a[", "not closed"},
		{"a{b", "not closed"},
		{"a}b", "not closed"},
		{"[]", "not closed"},
		{"a[.-9]c", "matches a slash"},
		{"a[/]c", "matches a slash"},
		{"[!x]c", "matches a slash"},
		{strings.Repeat("a", 2000), "longer than"},
		{strings.Repeat("{a,b}", 4), "more than 3 braces"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			_, err := scope.New(scope.Config{Allowed: []string{tt.pattern}})
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := scope.New(scope.Config{
		Mode: "lax", Allowed: []string{"ok", "/abs"}, Forbidden: []string{"a["}, Ask: []string{"!x", "ok/**"},
	})
	settings := func(err error) (out []string) {
		joined, ok := err.(interface{ Unwrap() []error })
		require.True(t, ok)
		for _, err := range joined.Unwrap() {
			ev := evidenceOf(t, err)
			assert.Equal(t, []string{"config", "load_config", "invalid"}, []string{ev.Source, ev.Op, ev.Type})
			assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigInvalid)
			out = append(out, ev.Attribute("field")+" is "+ev.Attribute("value")+", expected "+ev.Attribute("expected"))
		}
		return out
	}
	assert.Equal(t, []string{
		"scope.mode is lax, expected strict, ask or off",
		"scope.allowed[1] is /abs, expected a usable pattern: it is absolute; paths are relative to the root of " +
			"the working tree",
		"scope.forbidden[0] is a[, expected a usable pattern: a bracket or brace is not closed, or a backslash " +
			"is at the end",
		"scope.ask[0] is !x, expected a usable pattern: ! has no meaning here; write \\! for a name that begins with it",
	}, settings(err))
	assert.Contains(t, errs.Classify(err).Error(), `scope.mode is "lax", expected strict, ask or off`)

	_, err = scope.New(scope.Config{Mode: scope.Off, Forbidden: []string{".env"}})
	assert.Equal(t, "scope.mode", evidenceOf(t, err).Attribute("field"))
}

func TestDecide(t *testing.T) {
	s := newScope(
		t, scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{"src/gen/"},
			Ask: []string{"src/go.mod"}})
	tests := []struct {
		name   string
		paths  []string
		action scope.Action
		files  []string
		reason string
		typ    string
		code   error
	}{
		{"nothing", nil, scope.Allow, nil, "all files are allowed", "", nil},
		{"allowed", []string{"src/a", "src/b"}, scope.Allow, []string{"src/a", "src/b"},
			"all files are allowed", "", nil},
		{"ask", []string{"src/a", "src/go.mod"}, scope.AskUser, []string{"src/go.mod"},
			"1 of 2 files need approval", "", nil},
		{"forbidden", []string{"src/a", "src/gen/x", "src/go.mod"}, scope.Block, []string{"src/gen/x"},
			"forbidden: 1, outside the allowed patterns: 0", "forbidden", errs.CodeScopeForbidden},
		{"outside", []string{"b", "src/a", "a"}, scope.Block, []string{"b", "a"},
			"forbidden: 0, outside the allowed patterns: 2", "outside_allowed", errs.CodeScopeOutsideAllowed},
		{"both", []string{"b", "src/gen/x", ".git/config", "a"}, scope.Block,
			[]string{"src/gen/x", ".git/config", "b", "a"},
			"forbidden: 2, outside the allowed patterns: 2", "forbidden", errs.CodeScopeForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := s.Decide(tt.paths)
			assert.Equal(t, tt.action, d.Action)
			assert.Equal(t, tt.files, d.Files)
			assert.Equal(t, tt.reason, d.Reason)
			if tt.typ == "" {
				assert.NoError(t, d.Err)
				return
			}
			var ev *taxonomy.Evidence
			require.ErrorAs(t, d.Err, &ev)
			assert.Equal(t, tt.typ, ev.Type)
			assert.Equal(t, tt.files, ev.Files)
			assert.Equal(t, "strict", ev.Attribute("scope_mode"))
			assert.ErrorIs(t, errs.Classify(d.Err), tt.code)
		})
	}
}

func TestJudge(t *testing.T) {
	s := newScope(t, scope.Config{Allowed: []string{"src/**"}, Ask: []string{"src/go.mod"}})
	got, err := s.Judge(t.Context(), []executor.Change{
		{Path: "src/a"}, {Path: "src/go.mod"}, {Path: "x"}, {Path: "src/b", Escapes: true},
		{Path: ".git/HEAD"},
	})
	require.NoError(t, err)
	assert.Equal(t, []executor.Verdict{
		executor.Allowed, executor.NeedsAsk, executor.Outside, executor.Forbidden, executor.Forbidden,
	}, got)
}

func TestJudgeStopsWithItsContext(t *testing.T) {
	s := newScope(t, scope.Config{})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := s.Judge(ctx, []executor.Change{{Path: "a"}})
	assert.EqualError(t, err, "enough")
}

func TestWatchesBelow(t *testing.T) {
	s := newScope(t, scope.Config{Forbidden: []string{"a/b/.env", "pkg/*/keys/**", "x/**/y", "*.pem", "z?/w"}})
	for _, dir := range []string{"", ".", "a", "a/b", "pkg", "pkg/q", "pkg/q/keys", "pkg/q/keys/r", "x", "x/1/2",
		"z1"} {
		assert.True(t, s.WatchesBelow(dir), dir)
	}
	for _, dir := range []string{"b", "a/c", "a/b/c", "pkg/q/locks", "node_modules", "a.pem", "z1/q", "z"} {
		assert.False(t, s.WatchesBelow(dir), dir)
	}
}

func BenchmarkScope(b *testing.B) {
	for _, form := range []string{"src/pkg%d/**", "**/*.gen%d.go", "**/vendor%d/**", "**/a%d/**/b/**/*.go",
		"**/*a*%d*b*", "{src,lib}/p%d/[a-z]*.go"} {
		var patterns []string
		for i := range 100 {
			patterns = append(patterns, fmt.Sprintf(form, i))
		}
		s, err := scope.New(scope.Config{Forbidden: patterns})
		require.NoError(b, err)
		b.Run(form, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Explain("src/pkg/internal/service/handler/user_controller.go")
			}
		})
	}
	worst := strings.Repeat("**/a/", 200) + "b"
	s, err := scope.New(
		scope.Config{Forbidden: []string{worst, strings.Repeat("**/*a*/", 140) + "b"}})
	require.NoError(b, err)
	long := strings.Repeat("a/", 2000) + "c"
	b.Run("worst", func(b *testing.B) {
		for b.Loop() {
			s.Explain(long)
		}
	})
}
