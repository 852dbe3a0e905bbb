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
		{"shorter when it is masked", "password: hunter2hunter2 x", 22, "password: [REDACTED] x",
			"password: [REDACTED] x"},
		{"a secret at the cut", "x ghp_abcdefghijklmnopqrstuvwxyz0123456789 y", 12, "x [REDACT…", "…DACTED] y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.begins, excerpt.Beginning(c.text, c.n, taxonomy.Scrub))
			assert.Equal(t, c.ending, excerpt.Ending(c.text, c.n, taxonomy.Scrub))
		})
	}
}

func TestHeadsAndTails(t *testing.T) {
	for _, c := range []struct {
		text       string
		n          int
		head, tail string
	}{
		{"", 10, "", ""},
		{"short", 5, "short", "short"},
		{"0123456789", 8, "01234567", "23456789"},
		{"0123456789", 0, "", ""},
		{"ééééé", 5, "éé", "éé"},
		{"a" + strings.Repeat("x", 20_000) + "z", 3, "axx", "xxz"},
		{"password: hunter2hunter2 x", 22, "password: [REDACTED] x", "password: [REDACTED] x"},
		{"x ghp_abcdefghijklmnopqrstuvwxyz0123456789 y", 9, "x [REDACT", "DACTED] y"},
	} {
		assert.Equal(t, c.head, excerpt.Head(c.text, c.n, taxonomy.Scrub))
		assert.Equal(t, c.tail, excerpt.Tail(c.text, c.n, taxonomy.Scrub))
	}
}

// Masking many secrets makes room for what is at the far end of what is looked at, where one of
// them is split.
func TestNoHalfOfASecretIsKept(t *testing.T) {
	const n = 4 << 10
	for _, secret := range []string{
		"sk-ant-api03-abcDEFghijkl1234567890HALF", "password: HALF-hunter2-HALF",
		"https://user:HALF-s3cr3t-HALF@example.org/",
		"Authorization: Bearer HALFabcdefghijklmnopqrstuvwxyzHALF", `{"api_key": "HALF-1234567890-HALF"}`,
		"-----BEGIN PRIVATE KEY-----\nHALFMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcHALF\n-----END PRIVATE KEY-----",
	} {
		for _, between := range []string{"\n", " and then\n", "\n" + strings.Repeat("prose ", 20) + "\n"} {
			text := strings.Repeat(secret+between, 600)
			for cut := range len(secret) + len(between) {
				for _, got := range []string{
					excerpt.Beginning(strings.Repeat("é", cut/2)+strings.Repeat("x", cut%2)+"\n"+text, n,
						taxonomy.Scrub),
					excerpt.Ending(text+strings.Repeat("x", cut), n, taxonomy.Scrub),
				} {
					assert.Contains(t, got, "…")
					checkMasked(t, got, n)
				}
				checkMasked(t, excerpt.Head(strings.Repeat("x", cut)+"\n"+text, n, taxonomy.Scrub), n)
				checkMasked(t, excerpt.Tail(text+strings.Repeat("x", cut), n, taxonomy.Scrub), n)
			}
		}
	}
}

func checkMasked(t *testing.T, got string, n int) {
	t.Helper()
	assert.NotContains(t, got, "HALF")
	assert.LessOrEqual(t, len(got), n)
	assert.True(t, utf8.ValidString(got))
}
