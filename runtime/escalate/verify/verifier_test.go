package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tree writes files, by path; a path that ends with a slash is a directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func verifier(t *testing.T, o verify.Options) *verify.Verifier {
	t.Helper()
	v, err := verify.New(o)
	require.NoError(t, err)
	return v
}

// look looks into one criterion in a tree, and returns what the evidence says on one line; "met"
// for none.
func look(t *testing.T, dir string, k plan.Criterion) string {
	t.Helper()
	all := verifier(t, verify.Options{Dir: dir}).Criteria(t.Context(), []plan.Criterion{k})
	if len(all) == 0 {
		return "met"
	}
	require.Len(t, all, 1)
	ev := all[0]
	assert.Equal(t, "check criteria", ev.Source+" "+ev.Op)
	assert.True(t, ev.ExitCode.IsZero(), "a criterion that is not met is no failed command")
	assert.Empty(t, ev.Errno)
	assert.NoError(t, ev.Err)
	return fmt.Sprintf("%s: %s | %s", ev.Type, ev.Attribute("expected"), ev.Attribute("actual"))
}

// brief returns what rules look at, and the text.
func brief(ev *taxonomy.Evidence) string {
	parts := []string{ev.Type}
	if ev.Errno != "" {
		parts = append(parts, ev.Errno)
	}
	if code, ok := ev.ExitCode.Get(); ok {
		parts = append(parts, fmt.Sprint("exit ", code))
	}
	if ev.Signal != "" {
		parts = append(parts, ev.Signal)
	}
	return strings.Join(parts, " ") + ": " + ev.Text
}

func TestNewNeedsATree(t *testing.T) {
	_, err := verify.New(verify.Options{})
	assert.EqualError(t, err, "verifier: no directory is given")
	_, err = verify.New(verify.Options{Dir: filepath.Join(t.TempDir(), "none")})
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = verify.New(verify.Options{Dir: filepath.Join(tree(t, map[string]string{"f": ""}), "f")})
	assert.ErrorContains(t, err, "verifier: open the tree")
}

// A tree that has gone is no success of anything.
func TestTheTreeIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.Mkdir(dir, 0o755))
	v := verifier(t, verify.Options{Dir: dir})
	require.NoError(t, os.Remove(dir))
	assert.Equal(t, "ENOENT", v.Criteria(t.Context(), []plan.Criterion{{Kind: plan.Exists, Path: "f"}})[0].Errno)
	assert.Equal(
		t, "ENOENT", v.Prerequisites(t.Context(), []plan.Prerequisite{{Kind: plan.File, Name: "f"}})[0].Failed.Errno)
	assert.Empty(t, v.Criteria(t.Context(), nil))
}

func sorted(lines []string) []string { sort.Strings(lines); return lines }
