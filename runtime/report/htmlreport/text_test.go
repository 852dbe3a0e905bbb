package htmlreport

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"  plain  ":                          "plain",
		"two\nlines\tand a tab":              "two lines and a tab",
		"bell\a, escape\x1b[31m, delete\x7f": "bell␇, escape␛[31m, delete␡",
		"txt.\u202egpj":                      "txt.[U+202E]gpj",
		"a\u200bb\ufeff":                     "a[U+200B]b[U+FEFF]",
		"tag \U000e0041":                     "tag [U+E0041]",
		"family 👨\u200d👩":                    "family 👨\u200d👩",
		"مرحبا":                              "مرحبا",
		"bad \xff\xfe":                       "bad \uFFFD",
		"z\u0301\u0302\u0303\u0304\u0305":    "z\u0301\u0302\u0303\u0304",
		"<b>&amp;</b>":                       "<b>&amp;</b>",
	} {
		assert.Equal(t, want, line(in, 100), "%q", in)
	}
}

func TestBlockKeepsLines(t *testing.T) {
	assert.Equal(t, "a\n\tb\nc", block("a\r\n\tb\nc\n", 100))
}

func TestTextsAreCutAtTheirLimit(t *testing.T) {
	for _, unit := range []string{"a", "é", "👩", "\u202e", "<", " ", "\xff"} {
		for limit := 8; limit < 40; limit++ {
			got := line("x"+strings.Repeat(unit, 1000), limit)
			assert.LessOrEqual(t, len(got), limit, "%q at %d", unit, limit)
			assert.True(t, utf8.ValidString(got))
		}
	}
	assert.Equal(t, "abcde…", line("abcdefghijk", 8))
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567",
		-1234: "−1,234"} {
		assert.Equal(t, want, whole(n))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1k", 1500: "1.5k", 20_000_000: "20M", 3e9: "3G"} {
		assert.Equal(t, want, short(n))
	}
	for f, want := range map[float64]string{0: "0.0%", .0004: "<0.1%", .0005: "0.1%", .5: "50.0%", .9994: "99.9%",
		.9996: ">99.9%", 1: "100.0%"} {
		assert.Equal(t, want, percent(f))
	}
	for d, want := range map[time.Duration]string{
		0: "less than a second", 59 * time.Second: "59 s", time.Minute: "1 min", 61 * time.Second: "1 min 1 s",
		25*time.Hour + 3*time.Minute: "1 d 1 h", 24*time.Hour + 3*time.Minute: "1 d", -time.Hour: "less than a second",
	} {
		assert.Equal(t, want, strings.ReplaceAll(length(d), "\u00a0", " "), d)
	}
}
