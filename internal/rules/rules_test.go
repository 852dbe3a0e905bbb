package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/rules"
	"github.com/errgen/errgen/internal/spec"
)

// withoutExample are the ids whose fault is too long to print, or cannot be seen when it is.
var withoutExample = []string{"E-control", "E-encoding", "E-limit", "E-too-deep", "E-too-large", "E-too-many"}

func TestEveryFindingHasAPage(t *testing.T) {
	want := slices.Concat(spec.IDs(), check.IDs(), breaking.IDs())
	slices.Sort(want)
	assert.Equal(t, want, rules.IDs())
}

func TestPages(t *testing.T) {
	for _, id := range rules.IDs() {
		t.Run(id, func(t *testing.T) {
			page, ok := rules.Page(id)
			require.True(t, ok)
			assert.True(t, strings.HasPrefix(page, "# "+id+"\n\n"), "the page begins with its id")

			bad, good := example(page, "bad"), example(page, "good")
			if before := example(page, "before"); before != "" {
				assert.Contains(t, changes(t, before, bad), id, "the bad example")
				assert.Empty(t, changes(t, before, good), "the good example")
				return
			}
			require.NotEmpty(t, good)
			assert.Empty(t, ids(good), "the good example")
			if slices.Contains(withoutExample, id) {
				assert.Empty(t, bad)
				return
			}
			require.NotEmpty(t, bad)
			assert.Contains(t, ids(bad), id, "the bad example")
		})
	}
}

func TestPageOfNothing(t *testing.T) {
	for _, id := range []string{"", "E-nothing", "../rules", "E-tab.md"} {
		_, ok := rules.Page(id)
		assert.False(t, ok, id)
	}
	upper, ok := rules.Page("e-TAB")
	assert.True(t, ok)
	exact, _ := rules.Page("E-tab")
	assert.Equal(t, exact, upper)
}

// example returns the fenced example of a page, or "".
func example(page, kind string) string {
	fence := regexp.MustCompile("(?s)\n```yaml " + kind + "\n(.*?)```\n").FindStringSubmatch(page)
	if fence == nil {
		return ""
	}
	return fence[1]
}

// changes returns the ids of what changed between two examples, neither of which may have errors.
func changes(t *testing.T, before, now string) []string {
	t.Helper()
	var out []string
	for _, yaml := range []string{before, now} {
		for _, id := range ids(yaml) {
			assert.NotEqual(t, "E-", id[:2], "%s in %s", id, yaml)
		}
	}
	for _, c := range breaking.Compare(breaking.Read("before.yaml", whole(before)),
		breaking.Read("now.yaml", whole(now))) {
		out = append(out, c.ID)
	}
	return out
}

// ids returns the ids of what is found in an example.
func ids(yaml string) []string {
	_, findings := check.Load("taxonomy.yaml", whole(yaml))
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	return out
}

// whole adds behind an example what every taxonomy needs.
func whole(yaml string) []byte {
	for _, needed := range []string{"errgen: 1", "package: errs",
		"categories: {io: {codes: {EOF: {message: end of file}}}}"} {
		key, _, _ := strings.Cut(needed, ":")
		if !strings.HasPrefix(yaml, key+":") && !strings.Contains(yaml, "\n"+key+":") {
			yaml += needed + "\n"
		}
	}
	return []byte(yaml)
}
