package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A long key ends anywhere, also in a secret.
func TestAPlaceShowsNoPartOfASecret(t *testing.T) {
	const secret = "https://user:GIVEN-s3cr3t-GIVEN@host/x"
	for at := range len(secret) + 1 {
		at := place{}.under(strings.Repeat("x", maxPath-at-1) + " " + secret + " and so on")
		assert.NotContains(t, at.path, "GIVEN")
		assert.LessOrEqual(t, len(at.path), maxPath+len("…"))
	}
	assert.Equal(t, `a["b c"]`, place{path: "a"}.under("b c").path)
}
