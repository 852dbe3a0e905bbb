package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/text"
)

// What is kept of a long text ends anywhere, also in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN"} {
		for at := range len(secret) + 1 {
			begun := func(limit int) string {
				return strings.Repeat("x", limit-at-1) + " " + secret + " " + strings.Repeat("x", limit)
			}
			assert.NotContains(t, text.Quote(begun(maxQuoted), maxQuoted), "GIVEN")
			assert.NotContains(t, text.Beginning(begun(maxQuoted), maxQuoted), "GIVEN")
			assert.NotContains(t, cleanMessage(begun(maxMessage), "run"), "GIVEN")
		}
	}
	assert.Equal(t, "password=hunter22", cleanMessage("password=hunter22", "run"))
}
