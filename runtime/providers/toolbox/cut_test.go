package toolbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/text"
)

// What is kept of a long text begins and ends anywhere, also in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN"} {
		for at := range len(secret) + 1 {
			begun := func(limit int) string {
				return strings.Repeat("x", limit-at-1) + " " + secret + " " + strings.Repeat("x", limit)
			}
			assert.NotContains(t, text.Quote(begun(200), maxQuoted), "GIVEN")
			assert.NotContains(t, Label("run_command", []byte(`{"command": "`+begun(maxShown)+`"}`)), "GIVEN")
			s := &searching{t: &Toolbox{limits: Limits{Entries: 10, Read: 1 << 20}}}
			require.False(t, s.keep("a.go", 1, []byte(begun(maxShown))))
			assert.NotContains(t, s.found[0], "GIVEN")

			c := newClip(1000)
			_, _ = c.Write(
				[]byte(begun(500) + strings.Repeat("y", 5000) + " " + secret + " " + strings.Repeat("x", 499-at)))
			assert.NotContains(t, c.String(), "GIVEN")
		}
	}
}
