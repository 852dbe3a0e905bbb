package detect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
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

// cutAt returns a text that is longer than limit by its beginning and off bytes of a secret that
// stands where it is cut.
func cutAt(secret string, off, limit int, filler string) string {
	rest := limit - (len(secret) - off)
	return strings.Repeat("lorem ipsum ", 3000) + secret + strings.Repeat(filler, rest/len(filler)+1)[:rest]
}

func TestCutInsideOfASecret(t *testing.T) {
	for name, secret := range cutSecrets {
		core := secret[1]
		step := max(1, len(secret[0])/25)
		for off := 1; off < len(secret[0]); off += step {
			for _, filler := range []string{" z", "\n"} {
				text := cutAt(secret[0], off, 4096, filler)
				err := mailRules().Classify(text, []detect.Option{detect.TextLimit(4096)})
				e := mailRules().Explain(errors.New(text), []detect.Option{detect.TextLimit(4096)})
				j, _ := json.Marshal(e)
				for _, shown := range []string{err.Error(), e.Evidence.Text, e.String(), string(j)} {
					if assert.NotContains(t, shown, core, fmt.Sprintf("%s, %d", name, off)) {
						continue
					}
					return
				}
				assert.LessOrEqual(t, len(e.Evidence.Text), 4096)
			}
		}
	}
}

// What masks make shorter must not bring up what is farther away.
func TestCutWithManySecrets(t *testing.T) {
	secret := cutSecrets["a private key"][0] + "\n"
	for off := range 40 {
		text := strings.Repeat("x", 9<<10) + strings.Repeat(secret, 20)
		text += strings.Repeat("x", off*61)
		e := mailRules().Explain(text, []detect.Option{detect.TextLimit(4 << 10)})
		assert.NotContains(t, e.Evidence.Text, "hunter2pw", off)
	}
}

func TestCutOfABody(t *testing.T) {
	for name, secret := range cutSecrets {
		body := cutAt(secret[0], len(secret[0])/2, 1<<20, " z")
		ev := detect.Of([]byte(body))
		assert.NotContains(t, ev.Text, secret[1], name)
		assert.LessOrEqual(t, len(ev.Text), 1<<20)
		var of taxonomy.Evidence
		detect.Body(&of, []byte(body))
		assert.NotContains(t, of.Text, secret[1], name)
	}
}

func TestCutOfAValue(t *testing.T) {
	for name, secret := range cutSecrets {
		for _, value := range []any{cutAt(secret[0], len(secret[0])/2, 1<<20, " z"),
			errors.New(cutAt(secret[0], len(secret[0])/2, 1<<20, " z"))} {
			ev := detect.Of(map[string]any{"message": value})
			assert.NotContains(t, ev.Text, secret[1], name)
			assert.NotEmpty(t, ev.Text)
		}
	}
}

func TestCutMasked(t *testing.T) {
	assert.Equal(t, "password=hunter22", detect.CutMasked("password=hunter22", 17))
	assert.Equal(t, "abc", detect.CutMasked("abc", 4))
	for name, secret := range cutSecrets {
		for off := range len(secret[0]) {
			got := detect.CutMasked(cutAt(secret[0], off, 4096, "\n"), 4096)
			assert.NotContains(t, got, secret[1], name)
			assert.LessOrEqual(t, len(got), 4096)
		}
	}
}

// What is searched is the text as it is: only what goes on is masked.
func TestCutTextIsSearchedAsItIs(t *testing.T) {
	text := strings.Repeat("x ", 20000) + "password=hunter2pw: try again"
	e := mailRules().Explain(text, nil)
	assert.Equal(t, detect.Matched, e.Outcome)
	assert.True(t, strings.HasSuffix(e.Evidence.Text, "password=[REDACTED] try again"),
		e.Evidence.Text[len(e.Evidence.Text)-60:])
}
