//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
)

// demanding is a plan whose second step nobody carries out.
const demanding = "# T\n## Step 1\nWrite a.md.\n### Success criteria\n- exists: a.md\n" +
	"## Step 2\nWrite b.md.\n### Success criteria\n- exists: b.md\n"

// easier is what an agent would have the plan say.
const easier = "# T\n## Step 1\nWrite a.md.\n### Success criteria\n- exists: a.md\n" +
	"## Step 2\nWrite b.md.\n### Success criteria\n- exists: a.md\n"

func put(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// withPlan returns a working tree that has a plan, and a file of tiers with its script elsewhere in
// it. The lowest tier changes a file besides what it is asked for.
func withPlan(t *testing.T, changed string) (dir string) {
	t.Helper()
	dir = project(t)
	put(t, filepath.Join(dir, "plans", "plan.md"), demanding)
	put(t, filepath.Join(dir, "tiers.yaml"), "haiku: {provider: scripted, script: scripts/haiku.yaml}\n")
	script := "replies:\n  - step: \"1\"\n    do: [{write: a.md, text: a}, {write: " + changed + ", text: " +
		quotedYAML(easier) + "}]\n    say: 'STEP DONE {mark}'\n" +
		"  - step: \"2\"\n    say: 'STEP DONE {mark}'\n"
	put(t, filepath.Join(dir, "scripts", "haiku.yaml"), script)
	put(t, filepath.Join(dir, "plans", "scripts", "haiku.yaml"), script)
	put(t, filepath.Join(dir, ".gitignore"), "*.ignored\n")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message=plan")
	return dir
}

func quotedYAML(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }

// A tier changes nothing that decides what counts, or who does what: the work with which it does
// does not count. B-O10
func TestDecidingFilesAreKept(t *testing.T) {
	tests := []struct{ name, plan, tiers, changed string }{
		{"the plan", "plans/plan.md", "", "plans/plan.md"},
		{"a script beside the plan", "plans/plan.md", "", "plans/scripts/haiku.yaml"},
		{"a script that would be played then", "plans/plan.md", "", "plans/scripts/opus.yaml"},
		{"the tiers", "plans/plan.md", "tiers.yaml", "tiers.yaml"},
		{"a script that the tiers name", "plans/plan.md", "tiers.yaml", "scripts/haiku.yaml"},
		{"a plan that a link leads to", "link.md", "tiers.yaml", "plans/plan.md"},
		{"a plan that git ignores", "plan.ignored", "tiers.yaml", "plan.ignored"},
		{"a plan of an odd name", "[a] b*.md", "tiers.yaml", `"[a] b*.md"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := withPlan(t, tt.changed)
			name := filepath.Join(dir, tt.plan)
			switch tt.plan {
			case "link.md":
				require.NoError(t, os.Symlink("plans/plan.md", name))
			case "plan.ignored", "[a] b*.md":
				put(t, name, demanding)
			}
			changed := filepath.Join(dir, strings.Trim(tt.changed, `"`))
			before, _ := os.ReadFile(changed)
			args := []string{"-dir", dir, name}
			if tt.tiers != "" {
				args = append(args, "-tiers", filepath.Join(dir, tt.tiers))
			}
			r, code := result(t, args...)
			assert.NotEqual(t, exitDone, code)
			require.NotEmpty(t, r.Steps[0].Attempts)
			first := r.Steps[0].Attempts[0]
			assert.False(t, first.Counts)
			assert.Contains(t, first.Message, "forbidden")
			assert.Contains(t, first.Message, filepath.Base(strings.Trim(tt.changed, `"`)))
			assert.NotEqual(t, escalate.StepDone, r.Steps[0].State)
			after, _ := os.ReadFile(changed)
			assert.Equal(t, string(before), string(after))
		})
	}
}

// A person may edit the plan while the run is blocked; that is not put back.
func TestPersonEditsThePlan(t *testing.T) {
	dir := withPlan(t, "c.md")
	name, state := filepath.Join(dir, "plans", "plan.md"), t.TempDir()
	r, code := result(t, "-dir", dir, "-state", state, name)
	require.Equal(t, exitBlocked, code, r.Error)
	require.Equal(t, escalate.StepDone, r.Steps[0].State)
	put(t, name, easier)
	got := do(t.Context(), "-dir", dir, "-state", state, "-answer", "a.md is enough", name)
	assert.Equal(t, exitDone, got.code, got.out+got.hints)
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, easier, string(b))
	assert.Contains(t, got.out, "the plan has changed", "what counts is another thing now")
}

func TestScopeFlags(t *testing.T) {
	plan := staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}, {write: docs/b.md, text: " +
			"all}]\n    say: 'STEP DONE {mark}'\n"})
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"nothing is said", nil, exitDone},
		{"both are allowed", []string{"-allow", "a.md", "-allow", "docs/**"}, exitDone},
		{"one is allowed", []string{"-allow", "a.md"}, exitBlocked},
		{"another is forbidden", []string{"-forbid", "c.md"}, exitDone},
		{"one is forbidden", []string{"-forbid", "c.md", "-forbid", "docs/**"}, exitBlocked},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, code := result(t, append([]string{"-dir", project(t), plan}, tt.args...)...)
			assert.Equal(t, tt.code, code, r.Error)
		})
	}
}

func TestWayTo(t *testing.T) {
	root := t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	put(t, filepath.Join(root, "v1", "plan.md"), "")
	for link, target := range map[string]string{
		"current": "v1", "plan.md": "current/plan.md", "absolute": filepath.Join(root, "plan.md"),
		"v1/up": "../plan.md", "self": "self", "gone": "none/plan.md",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	tests := []struct {
		name string
		want []string
	}{
		{"v1/plan.md", []string{"v1/plan.md"}},
		{"current/plan.md", []string{"current", "v1/plan.md"}},
		{"plan.md", []string{"plan.md", "current", "v1/plan.md"}},
		{"absolute", []string{"absolute", "plan.md", "current", "v1/plan.md"}},
		{"v1/up", []string{"v1/up", "plan.md", "current", "v1/plan.md"}},
		{"v1/../current/plan.md", []string{"current", "v1/plan.md"}},
		{"gone", []string{"gone", "none/plan.md"}},
		{"none/plan.md", []string{"none/plan.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := patternsFor(root, filepath.Join(root, tt.name))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	_, err = patternsFor(root, filepath.Join(root, "self"))
	assert.ErrorContains(t, err, "symbolic links lead to it")
	elsewhere, err := patternsFor(filepath.Join(root, "v1"), filepath.Join(root, "gone"))
	require.NoError(t, err)
	assert.Empty(t, elsewhere, "nothing of it is in the tree")
}

// A pattern that is made of a path is one, and matches it.
func FuzzLiteral(f *testing.F) {
	for _, path := range []string{"a.md", "[a] b*.md", "!a", " a ", "a\nb", "{a,b}", `a\b`, "\xff", "a\u00a0", "-",
		"docs/plan.md"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if len(path) > 200 || !filepath.IsLocal(path) || filepath.Clean(path) != path || path == "." ||
			strings.ContainsRune(path, 0) {
			t.Skip()
		}
		s, err := scope.New(scope.Config{Forbidden: []string{scope.Literal(path)}})
		require.NoError(t, err)
		v, why := s.Explain(path)
		assert.Equal(t, executor.Forbidden, v, why)
	})
}
