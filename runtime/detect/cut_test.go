package detect_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
)

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		name, in string
		n        int
		want     string
	}{
		{"shorter", "abc", 4, "abc"},
		{"as long", "abc", 3, "abc"},
		{"the end", "abcdef", 2, "ef"},
		{"nothing", "abc", 0, ""},
		{"less than nothing", "abc", -1, ""},
		{"before a character", "aé", 2, "é"},
		{"inside of two bytes", "éa", 2, "a"},
		{"inside of three bytes", "日a", 2, "a"},
		{"inside of four bytes", "😀ab", 3, "ab"},
		{"inside of the last character", "日", 2, ""},
		{"bytes that are no UTF-8 are kept", "\xff\xfe\xfd", 2, "\xfe\xfd"},
		{"bytes that only continue", "\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80"},
		{"half a character before a whole one", "\xe2\x84é", 2, "é"},
	} {
		assert.Equal(t, c.want, detect.CutText(c.in, c.n), c.name)
	}
	text := strings.Repeat("aé日😀", 9)
	for n := range len(text) {
		cut := detect.CutText(text, n)
		assert.True(t, utf8.ValidString(cut), n)
		assert.True(t, strings.HasSuffix(text, cut), n)
		assert.Less(t, n-len(cut), utf8.UTFMax, n)
	}
}

// cutSecrets are texts with a part that must not be seen.
var cutSecrets = map[string][2]string{
	"a key's value":    {"password=hunter2pw-hunter2pw", "hunter2pw"},
	"a bearer token":   {"Authorization: Bearer abcdef1234567890SECRETTOKEN", "SECRETTOKEN"},
	"a URL's password": {"postgres://user:hunter2pw@db.example.com:5432/x", "hunter2pw"},
	"a known token":    {"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "6912E7710c83"},
	"a key with a kind": {"sk-ant-api03-Q7wErTyUiOpAsDfGhJkLzXcVbNm1234567890QwErTyUiOpAsDfGhJkLzXcVbNm1234567890-Ab" +
		"CdEfAA", "XcVbNm1234567890"},
	"a private key": {"-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEhunter2pwhunter2pw\n", 90) +
		"-----END RSA PRIVATE KEY-----", "hunter2pw"},
	"a value in a quote": {`{"password": "hunter2pw hunter3pw"}`, "hunter3pw"},
}

// cutAt returns a text with a secret at the place where it is cut to limit bytes. The cut removes
// off bytes of the secret.
func cutAt(secret string, off, limit int, filler string) string {
	rest := limit - (len(secret) - off)
	return strings.Repeat("lorem ipsum ", 3000) + secret + strings.Repeat(filler, rest/len(filler)+1)[:rest]
}

// TestCutInsideASecret cuts texts inside each secret, wherever the package cuts one.
func TestCutInsideASecret(t *testing.T) {
	const limit, body = detect.DefaultTextLimit, 1 << 20
	explain := func(raw any) string {
		e := mailRules().Explain(raw, nil)
		j, _ := json.Marshal(e)
		return e.Err.Error() + e.Evidence.Text + e.String() + string(j)
	}
	for _, c := range []struct {
		name  string
		limit int
		shown func(text string) string
	}{
		{"a text", limit, func(text string) string { return explain(text) }},
		{"an error", limit, func(text string) string { return explain(errors.New(text)) }},
		{"CutMasked", limit, func(text string) string { return detect.CutMasked(text, limit) }},
		{"bytes", body, func(text string) string { return detect.Of([]byte(text)).Text }},
		{"a body", body, func(text string) string { return detect.Of(json.RawMessage(text)).Text }},
		{"a value", body, func(text string) string { return detect.Of(map[string]any{"message": text}).Text }},
	} {
		for name, secret := range cutSecrets {
			step := max(1, len(secret[0])/25)
			if c.limit == body {
				step = len(secret[0]) / 2
			}
			for off := 1; off < len(secret[0]); off += step {
				for _, filler := range []string{" z", "\nz"} {
					shown := c.shown(cutAt(secret[0], off, c.limit, filler))
					require.NotContains(t, shown, secret[1], "%s, %s, %d", c.name, name, off)
					require.NotEmpty(t, shown)
				}
			}
		}
	}
	assert.Equal(t, "password=hunter22", detect.CutMasked("password=hunter22", 17), "a text that is not cut")
}

// Masks shorten a text, which must not reveal a part that is farther away.
func TestCutWithManySecrets(t *testing.T) {
	secret := cutSecrets["a private key"][0] + "\n"
	for off := range 40 {
		text := strings.Repeat("x", 9<<10) + strings.Repeat(secret, 20) + strings.Repeat("x", off*61)
		assert.NotContains(t, detect.CutMasked(text, 4<<10), "hunter2pw", off)
	}
}

// Rules search the unmasked text. Only the evidence is masked.
func TestCutTextIsSearchedUnmasked(t *testing.T) {
	text := strings.Repeat("x ", 20000) + "password=hunter2pw: try again"
	e := mailRules().Explain(text, nil)
	assert.Equal(t, detect.Matched, e.Outcome)
	assert.True(t, strings.HasSuffix(e.Evidence.Text, "password=[REDACTED] try again"),
		e.Evidence.Text[len(e.Evidence.Text)-60:])
}
