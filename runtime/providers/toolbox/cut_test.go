package toolbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is kept of a long text begins and ends anywhere, also in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	for _, secret := range []string{"https://user:GIVEN-s3cr3t-GIVEN@host/x",
		"sk-ant-api03-GIVENDEFghijkl1234567890GIVEN"} {
		for at := range len(secret) + 1 {
			begun := func(limit int) string {
				return strings.Repeat("x", limit-at-1) + " " + secret + " " + strings.Repeat("x", limit)
			}
			assert.NotContains(t, quoted(begun(200)), "GIVEN")
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

func TestBeginnings(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"password=hunter22", 20, "password=hunter22"},
		{"a\xffb", 20, "a\uFFFDb"},
		{"password=hunter22 and more", 24, "password=[REDACTED] and "},
		{"ééé", 3, "é"},
		{"\xff\xff\xff", 2, ""},
	} {
		got := beginning(c.in, c.n)
		assert.Equal(t, c.want, got)
		assert.True(t, utf8.ValidString(got))
	}
}
