package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/text"
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
			assert.Equal(t, c.begins, text.Beginning(c.text, c.n))
			assert.Equal(t, c.ending, text.Ending(c.text, c.n))
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
		assert.Equal(t, c.head, text.Head(c.text, c.n))
		assert.Equal(t, c.tail, text.Tail(c.text, c.n))
	}
}

// If masks shorten the text, half a secret at the end of the searched part must not be kept.
func TestNoHalfOfASecretIsKept(t *testing.T) {
	const n = 4 << 10
	for _, secret := range []string{
		"sk-ant-api03-abcDEFghijkl1234567890HALF", "password: HALF-hunter2-HALF",
		"https://user:HALF-s3cr3t-HALF@example.org/",
		"Authorization: Bearer HALFabcdefghijklmnopqrstuvwxyzHALF", `{"api_key": "HALF-1234567890-HALF"}`,
		"-----BEGIN PRIVATE KEY-----\nHALFMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcHALF\n-----END PRIVATE KEY-----",
	} {
		for _, between := range []string{"\n", " and then\n", "\n" + strings.Repeat("prose ", 20) + "\n"} {
			secrets := strings.Repeat(secret+between, 600)
			for cut := range len(secret) + len(between) {
				for _, got := range []string{
					text.Beginning(strings.Repeat("é", cut/2)+strings.Repeat("x", cut%2)+"\n"+secrets, n),
					text.Ending(secrets+strings.Repeat("x", cut), n),
				} {
					assert.Contains(t, got, "…")
					checkMasked(t, got, n)
				}
				checkMasked(t, text.Head(strings.Repeat("x", cut)+"\n"+secrets, n), n)
				checkMasked(t, text.Tail(secrets+strings.Repeat("x", cut), n), n)
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

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		n          int
		want       string
	}{
		{"white space", "  a\n\tb  \u00a0c ", 20, "a b c"},
		{"commands to a terminal", "a\x1b[31mb\u202ec\x00d", 20, "a [31mb c d"},
		{"invalid UTF-8", "a\xffb", 20, "a\uFFFDb"},
		{"a long line", "0123456789", 8, "01234…"},
		{"much white space", strings.Repeat(" \n", 10) + "0 1\n\n\n\n\n2 3", 8, "0 1 2 3"},
		{"more white space than is read", "0" + strings.Repeat(" ", 100) + "1", 8, "0 …"},
		{"a secret", "password: hunter2hunter2", 40, "password: [REDACTED]"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, text.OneLine(c.text, c.n)) })
	}
}

func TestQuote(t *testing.T) {
	assert.Equal(t, `"a\tb"`, text.Quote("a\tb", 3))
	assert.Equal(t, `"éé"…`, text.Quote("ééé", 5))
	assert.Equal(t, `"password: [REDACTED]"`, text.Quote("password: hunter2hunter2", 40))
}

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"a b/é.go": "a b/é.go", "": `""`, " a": `" a"`, `a"`: `"a\""`, `a\b`: `"a\\b"`, "a\nb": `"a\nb"`,
		"\xff": `"\xff"`,
	} {
		assert.Equal(t, want, text.Name(name))
	}
}

func TestBothEnds(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"0123456789", 10, "0123456789"},
		{"0123456789", 9, "…456789"},
		{"0123456789abcdefghijklmnopqrstuvwxyz", 20, "01…\n…pqrstuvwxyz"},
	} {
		assert.Equal(t, c.want, text.BothEnds(c.text, c.n))
	}
}

func TestCount(t *testing.T) {
	assert.Equal(t, "0 files", text.Count(0, "file"))
	assert.Equal(t, "1 file", text.Count(int64(1), "file"))
}
