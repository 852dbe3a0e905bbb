package detect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestNormalize(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":                     {"", ""},
		"single quotes":               {"Cannot find module 'left-pad'", "Cannot find module 'X'"},
		"double quotes":               {`unknown flag "--frce"`, `unknown flag "X"`},
		"backquotes":                  {"expected `;`, found `}`", "expected `X`, found `X`"},
		"nothing in quotes":           {"module '' is missing", "module 'X' is missing"},
		"quotes in quotes":            {`read 'a "b" c': gone`, "read 'X': gone"},
		"an apostrophe":               {"can't find 'x', couldn't try", "can't find 'X', couldn't try"},
		"a quote that is not closed":  {`unexpected token " in 12`, `unexpected token " in N`},
		"digits":                      {"exit status 12 after 1.5s", "exit status N after N.Ns"},
		"digits in words":             {"E1234: tab4you", "EN: tabNyou"},
		"many digits":                 {"read 1234567890 bytes", "read N bytes"},
		"a hash":                      {"commit 3f2a9bc1 not found", "commit HASH not found"},
		"a hash of letters":           {"object deadbeef", "object HASH"},
		"a hash in capitals":          {"object DEADBEEF01", "object HASH"},
		"a hash is found before N":    {"at 12ab34cd", "at HASH"},
		"too short for a hash":        {"at 12ab34c", "at NabNc"},
		"a hash with a prefix":        {"at 0x7ffd1234abcd", "at NxHASH"},
		"words of hexadecimal digits": {"added a faded facade", "added a faded facade"},
		"a UUID":                      {"run 550e8400-e29b-41d4-a716-446655440000: lost", "run UUID: lost"},
		"a UUID in capitals":          {"550E8400-E29B-41D4-A716-446655440000", "UUID"},
		"longer than a UUID":          {"550e8400-e29b-41d4-a716-446655440000x", "HASH-eNb-NdN-aN-Nx"},
		"a path":                      {"open /tmp/run-17/out.txt: permission denied", "open /PATH: permission denied"},
		"a path with a place":         {"/srv/app/main.go:12:5: undefined: x", "/PATH:N:N: undefined: x"},
		"a path from here":            {"src/a/b.ts(3,7): error TS2304", "PATH(N,N): error TSN"},
		"a path from home":            {"~/go/bin missing", "/PATH missing"},
		"a path of Windows":           {`C:\Users\me\x.txt is locked`, `C:\PATH is locked`},
		"no path of Windows":          {`0:\0, 12:\x`, `N:\N, N:\x`},
		"a root of Windows":           {`C:\ is full`, `C:\ is full`},
		"a path at a sentence's end":  {"see /var/log/x.", "see /PATH."},
		"no path": {"and/or, application/json, n/a, 1/2, /",
			"and/or, application/json, n/a, N/N, /"},
		"an address": {"Get https://api.example.com/v1/x: EOF",
			"Get https://api.example.com/vN/x: EOF"},
		"an address with a port": {"dial tcp 10.0.0.1:443: connect: refused",
			"dial tcp N.N.N.N:N: connect: refused"},
		"a time":                {"2026-01-02T03:04:05Z lost", "N-N-NTN:N:NZ lost"},
		"lines":                 {"  one\r\n\ttwo\n\n", "one two"},
		"colours":               {"\x1b[31;1merror\x1b[0m: lost", "error: lost"},
		"an escape alone":       {"a\x1b", "a"},
		"an escape without end": {"a\x1b[31", "a"},
		"controls":              {"a\x00b\x7fc\u0085d\u202ee\u2028f", "a b c d e f"},
		"invalid UTF-8":         {"a\xff\xfeb", "a b"},
		"what is masked":        {"token=[REDACTED] refused", "token=[REDACTED] refused"},
		"long":                  {strings.Repeat("ä", 200), strings.Repeat("ä", 100)},
		"a quote at the cut":    {strings.Repeat("x", 98) + " 'bcd' y", strings.Repeat("x", 98) + " '"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, detect.Normalize(tt.text)) })
	}
}

// Normalize replaces long parts before it cuts the text.
func TestNormalizeLooksBehindTheCut(t *testing.T) {
	assert.Equal(t, "'X' is gone", detect.Normalize("'"+strings.Repeat("a b ", 1000)+"' is gone"))
	assert.Equal(t, "'"+strings.Repeat("x", 99), detect.Normalize("'"+strings.Repeat("x", 100<<20)+"' is gone"))
}

func TestLiterals(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":        {"", nil},
		"all":            {"usage limit reached", []string{"usage limit reached"}},
		"around quotes":  {"Cannot find module 'x' in here", []string{"Cannot find module", "in here"}},
		"around numbers": {"took 12 s, commit 3f2a9bc1 lost", []string{"took", "s, commit", "lost"}},
		"around a path":  {"open /tmp/a/b: no such file", []string{"open", "no such file"}},
		"around a mask":  {"password=[REDACTED] refused", []string{"password", "refused"}},
		"lines":          {"one\n  two", []string{"one two"}},
		"punctuation":    {"--- [] ---", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, detect.Literals(tt.text)) })
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"", "'a' \"b\" `c`", "can't 'x", "12ab34cd 550e8400-e29b-41d4-a716-446655440000",
		"/a/b/../c. C:\\x\\ x/a.5 ~/b/c",
		"\x1b[31mred\x00\xff\u202e", strings.Repeat("'", 300), strings.Repeat("/a.", 90),
		strings.Repeat("a", 98) + " 'b' c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := detect.Normalize(s)
		assert.Equal(t, once, detect.Normalize(once))
		assert.LessOrEqual(t, utf8.RuneCountInString(once), 100)
		assert.True(t, utf8.ValidString(once))
		assert.NotContains(t, once, "\n")
		for _, part := range detect.Literals(s) {
			assert.NotEmpty(t, part)
			assert.False(t, strings.ContainsAny(part, "0123456789\n\x00\x1b"), part)
		}
	})
}
