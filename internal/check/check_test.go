package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

func TestIDs(t *testing.T) {
	seen := make(map[string]bool)
	for _, id := range append(check.IDs(), spec.IDs()...) {
		assert.Regexp(t, `^[EW](-[a-z]+)+$`, id)
		assert.False(t, seen[id], "%s is used twice", id)
		seen[id] = true
	}
}

func TestSeverityFollowsFromTheID(t *testing.T) {
	_, findings := check.Load("taxonomy.yaml", whole(`
groups: {net: A.}
categories:
  io: {codes: {EOF: {message: 'the {x}.', retryable: true}}}
`))
	require.NotEmpty(t, findings)
	for _, f := range findings {
		assert.Equal(t, f.ID[0] == 'W', f.Severity == diag.Warning, f.ID)
	}
}

func TestTooManyGroups(t *testing.T) {
	var groups, used strings.Builder
	for i := range 65 {
		fmt.Fprintf(&groups, "  g%d: A group.\n", i)
		fmt.Fprintf(&used, "g%d, ", i)
	}
	_, findings := check.Load("taxonomy.yaml", whole("groups:\n"+groups.String()+
		"categories: {io: {codes: {EOF: {message: end, groups: ["+used.String()+"]}}}}\n"))
	assert.Equal(t, "66:3+3 E-limit a taxonomy has at most 64 groups", show(findings))
}

func TestTooManyWords(t *testing.T) {
	var words strings.Builder
	for i := range 255 {
		fmt.Fprintf(&words, "w%d, ", i)
	}
	_, findings := check.Load("taxonomy.yaml", whole("fields: {kind: {enum: ["+words.String()+"]}}\n"+
		"categories: {io: {codes: {EOF: {message: end}}}}\n"))
	require.Len(t, findings, 1)
	assert.Equal(t, "an enum has at most 254 words", findings[0].Message)
}

func TestTooManyCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds under the race detector")
	}
	many := &spec.Taxonomy{Categories: []spec.Category{{Codes: make([]spec.Code, 65536)}}}
	for i := range many.Categories[0].Codes {
		many.Categories[0].Codes[i].Name = spec.Text{V: fmt.Sprintf("C%d", i), Set: true,
			Span: diag.Span{Line: i + 1, Col: 1}}
	}
	findings := check.Check(many, resolve.Build(many))
	require.NotEmpty(t, findings)
	last := findings[len(findings)-1]
	assert.Equal(t, "65536:1 E-limit a taxonomy has at most 65535 codes", show([]diag.Finding{last}))
}

// An empty tree, as a file without a mapping leaves it, gives the rules nothing to say.
func TestCheckOfNothing(t *testing.T) {
	empty := &spec.Taxonomy{}
	assert.Empty(t, check.Check(empty, resolve.Build(empty)))
}

func TestLoadIsDeterministic(t *testing.T) {
	src := whole(`
groups: {a: A., b: B.}
reactions: {again: {action: retry}}
profiles: {p: {codes: {'*': {reaction: again}, '@a': {reaction: again}, io: {retryable: true}}}}
categories:
  io: {codes: {EOF: {message: end, groups: [a]}, LATE: {message: late, groups: [a, b]}}}
`)
	_, first := check.Load("taxonomy.yaml", src)
	require.NotEmpty(t, first)
	for range 20 {
		_, again := check.Load("taxonomy.yaml", src)
		require.Equal(t, first, again)
	}
}

// TestGroupsDeclaredFirstWin overlays a code by two of its groups. The reaction that the later
// group would give lacks its hint, so a finding would show that it had won.
func TestGroupsDeclaredFirstWin(t *testing.T) {
	for _, tt := range []struct{ groups, want string }{
		{"{a: A., b: B.}", ""},
		{"{b: B., a: A.}", "E-hint-field"},
	} {
		_, findings := check.Load("taxonomy.yaml", whole(`
groups: `+tt.groups+`
policies: {p: {max_attempts: 2}}
reactions: {wait: {action: retry, policy: p, honor_retry_after: true}}
categories:
  io: {codes: {EOF: {message: end, retryable: true, reaction: {action: retry}, groups: [a, b]}}}
profiles: {strict: {codes: {'@b': {reaction: wait}, '@a': {reaction: abort}}}}
`))
		var ids []string
		for _, f := range findings {
			if f.Severity == diag.Error {
				ids = append(ids, f.ID)
			}
		}
		assert.Equal(t, tt.want, strings.Join(ids, " "), tt.groups)
	}
}
