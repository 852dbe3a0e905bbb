package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// What an occurrence takes from evidence, where several attributes say the same, or half of it.
func TestWhatEvidenceSays(t *testing.T) {
	with := func(attributes ...string) *taxonomy.Evidence {
		e := &taxonomy.Evidence{Source: "github", Op: "call", Code: "rate_limited", Status: 429,
			Attributes: map[string]string{}}
		for i := 0; i < len(attributes); i += 2 {
			e.Attributes[attributes[i]] = attributes[i+1]
		}
		return e
	}
	assert.Equal(t, "rate_limited", New(with(), Options{}).SourceCode,
		"D51: the source's own code is more than its status")
	assert.Equal(t, "call", New(with(), Options{}).Source.Component, "D55")
	assert.Equal(t, "octokit", New(with("component", "octokit"), Options{}).Source.Component, "D55")
	assert.Equal(t, "api.example.org", New(with("host", "api.example.org"), Options{}).Source.Endpoint, "D56")
	assert.Equal(t, "https://a.example/b", New(with("host", "h", "url", "https://a.example/b?token=x#y"), Options{}).
		Source.Endpoint, "D56")
	assert.Nil(t, New(with("owner", "o", "entity_number", "7"), Options{}).Repository, "D60: owner and name, or none")
	assert.Nil(t, New(with("repo", "r"), Options{}).Repository, "D60")
	for _, number := range []string{"-5", "0", "7.5", "seven", "99999999999999999999"} {
		assert.Equal(
			t, &Repository{Owner: "o", Repo: "r"},
			New(with("owner", "o", "repo", "r", "entity_number", number), Options{}).Repository, "D61: %s", number)
	}
}

// What is given besides is masked and bounded from the beginning, before any sink sees it.
func TestNewMasksWhatIsGiven(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	o := New(errors.New("e"), Options{Facts: Facts{Metadata: map[string]any{
		"header": "Bearer " + secret, "nested": map[string]any{"deep": []any{secret}},
		"long": strings.Repeat("a", 1<<20),
	}}})
	require.NotEmpty(t, o.Metadata, "D66")
	assert.NotContains(t, o.Metadata["header"], secret)
	assert.NotContains(t, o.Metadata["nested"].(map[string]any)["deep"].([]any)[0], secret)
	assert.LessOrEqual(t, len(o.Metadata["long"].(string)), 4<<10)
}
