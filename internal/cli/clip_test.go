package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// A message shows what the taxonomy does not scrub; what masks it later must know a secret in it
// for one.
func TestClippedTextShowsNoPartOfASecret(t *testing.T) {
	const secret = "https://user:GIVEN-s3cr3t-GIVEN@host/x"
	for at := range len(secret) + 1 {
		text := strings.Repeat("x", maxMessage-at-1) + " " + secret + " and so on"
		got := clip(text, maxMessage)
		assert.NotContains(t, taxonomy.Scrub(got), "GIVEN")
		assert.LessOrEqual(t, len(got), maxMessage)
	}
	assert.Equal(t, secret, clip(secret, maxMessage))
	assert.Equal(t, "ab…", clip("abécdef", 6))
}
