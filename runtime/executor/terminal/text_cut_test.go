package terminal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is looked at of a long text ends anywhere, also in a secret.
func TestNoPartOfASecretIsShown(t *testing.T) {
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-\x1b[1mGIVENDEFghijkl1234567890GIVEN"} {
		for at := range len(secret) + 1 {
			got := clean(strings.Repeat("x", maxText-at-1) + " " + secret + strings.Repeat(" x", at*200))
			assert.NotContains(t, got, "GIVEN")
			assert.LessOrEqual(t, len(got), maxText)
		}
	}
}
