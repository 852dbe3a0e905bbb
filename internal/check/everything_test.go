package check_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/spec"
)

func TestEverythingLoads(t *testing.T) {
	src, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(t, err)
	m, findings := check.Load("everything.yaml", src)
	assert.Empty(t, show(findings))
	require.NotNil(t, m)
	assert.Len(t, m.Codes, 8)
	assert.Len(t, m.Profiles, 2)
}

// The file claims to use every key, and that is only worth something if it is so.
func TestEverythingUsesEveryKey(t *testing.T) {
	src, err := os.ReadFile("testdata/everything.yaml")
	require.NoError(t, err)
	for _, m := range spec.TheLanguage().Mappings {
		for _, key := range m.Names() {
			assert.Regexp(t, `(^|[\s{,])`+key+`:`, string(src), "%s of a %s", key, m.Name)
		}
	}
}
