package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/excerpt"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestExcerpts(t *testing.T) {
	for _, c := range []struct {
		name, text     string
		n              int
		begins, ending string
	}{
		{"nothing", "", 10, "", ""},
		{"all of it", "short", 5, "short", "short"},
		{"a part", "0123456789", 8, "01234…", "…56789"},
		{"no half of a letter", "ééééé", 8, "éé…", "…éé"},
		{"no room", "0123456789", 2, "", ""},
		{"room for nothing else", "0123456789", 3, "…", "…"},
		{"much more of it", "ab" + strings.Repeat("x", 9000) + "yz", 6, "abx…", "…xyz"},
		{"shorter when it is masked", "password: hunter2hunter2 x", 22, "password: [REDACTED] x", "password: [REDACTED] x"},
		{"a secret at the cut", "x ghp_abcdefghijklmnopqrstuvwxyz0123456789 y", 12, "x [REDACT…", "…DACTED] y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.begins, excerpt.Beginning(c.text, c.n, taxonomy.Scrub))
			assert.Equal(t, c.ending, excerpt.Ending(c.text, c.n, taxonomy.Scrub))
		})
	}
}

// Masking many secrets makes room for what is at the far end of what is looked at, where one of them is split.
func TestNoHalfOfASecretIsKept(t *testing.T) {
	const n = 4 << 10
	for _, secret := range []string{
		"sk-ant-api03-abcDEFghijkl1234567890HALF", "password: HALF-hunter2-HALF", "https://user:HALF-s3cr3t-HALF@example.org/",
		"Authorization: Bearer HALFabcdefghijklmnopqrstuvwxyzHALF", `{"api_key": "HALF-1234567890-HALF"}`,
		"-----BEGIN PRIVATE KEY-----\nHALFMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcHALF\n-----END PRIVATE KEY-----",
	} {
		for _, between := range []string{"\n", " and then\n", "\n" + strings.Repeat("prose ", 20) + "\n"} {
			text := strings.Repeat(secret+between, 400)
			for cut := range len(secret) + len(between) {
				for _, got := range []string{
					excerpt.Beginning(strings.Repeat("é", cut/2)+strings.Repeat("x", cut%2)+"\n"+text, n, taxonomy.Scrub),
					excerpt.Ending(text+strings.Repeat("x", cut), n, taxonomy.Scrub),
				} {
					assert.NotContains(t, got, "HALF", "%s%q, cut %d", secret, between, cut)
					assert.LessOrEqual(t, len(got), n)
					assert.Contains(t, got, "…")
					assert.True(t, utf8.ValidString(got))
				}
			}
		}
	}
}
