package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

const armour = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" +
	"VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu\nictGeurT8jNbvJZHtCSuYEvuNMoSfm76oqFvAp8Gy0iz5sxjZmSn\n" +
	"=aB3d\n"

var gapCases = []struct{ in, want string }{
	// What is left of a private key whose beginning was cut off.
	{armour + "-----END RSA PRIVATE KEY-----\nok", "[REDACTED]\nok"},
	{armour + "-----END PGP PRIVATE KEY BLOCK-----", "[REDACTED]"},
	{"…" + armour + "-----END PRIVATE KEY-----", "…[REDACTED]"},
	{"wrote the key:\n" + armour + "-----END PRIVATE KEY-----", "wrote the key:\n[REDACTED]"},
	{"wrote the key below\n" + armour + "-----END PRIVATE KEY-----", "wrote the key below\n[REDACTED]"},
	{strings.ReplaceAll(armour, "\n", "\r\n") + "-----END PRIVATE KEY-----\r\nok", "[REDACTED]\r\nok"},
	{"key: |\n  " + strings.ReplaceAll(armour, "\n", "\n  ") + "-----END PRIVATE KEY-----", "key: |\n  [REDACTED]"},
	{`"` + strings.ReplaceAll(armour, "\n", `\n`) + `-----END PRIVATE KEY-----\n"`, `"[REDACTED]\n"`},
	{`"a: \n` + strings.ReplaceAll(armour, "\n", `\n`) + `-----END PRIVATE KEY-----\n"`, `"a: \n[REDACTED]\n"`},
	{"Version: x\n\n" + armour + "-----END PGP PRIVATE KEY BLOCK-----", "Version: x\n\n[REDACTED]"},
	{armour + "-----END CERTIFICATE-----\n" + armour + "-----END PRIVATE KEY-----",
		armour + "-----END CERTIFICATE-----\n[REDACTED]"},
	{armour + "-----END PUBLIC KEY-----", armour + "-----END PUBLIC KEY-----"},
	{armour + "-----END PGP PUBLIC KEY BLOCK-----", armour + "-----END PGP PUBLIC KEY BLOCK-----"},
	{"it ends with\n-----END PRIVATE KEY-----", "it ends with\n-----END PRIVATE KEY-----"},
	{"expected '-----END PRIVATE KEY-----'", "expected '-----END PRIVATE KEY-----'"},
	{armour + "-----END PRIV", armour + "-----END PRIV"},
	{"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: x\n\n" + armour, "[REDACTED]"},
	{"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + armour + "-----END PGP PUBLIC KEY BLOCK-----",
		"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + armour + "-----END PGP PUBLIC KEY BLOCK-----"},

	// Authorization as an assignment.
	{"authorization=bearer abcdefgh", "authorization=bearer [REDACTED]"},
	{"authorization: bearer abcdefgh", "authorization: bearer [REDACTED]"},
	{"Authorization=Basic dXNlcjpwYXNz&a=b", "Authorization=Basic [REDACTED]&a=b"},
	{`authorization="bearer abcdefgh" a`, `authorization="bearer [REDACTED]" a`},
	{`authorization = "Bearer " + token`, `authorization = "Bearer " + token`},
	{`authorization="two words here"`, `authorization="[REDACTED]"`},
	{"authorization=abcdefgh", "authorization=[REDACTED]"},
	{"authorization=bearer", "authorization=bearer"},
	{"authorization = basic authentication", "authorization = basic authentication"},

	// Further tokens.
	{"AGE-SECRET-KEY-1QQPZ0A8V7XK0QQPZ0A8V7XK0QQPZ0A8V7XK0QQPZ0A8V7XK0QQPZ0A8V7", "[REDACTED]"},
	{"# AGE-SECRET-KEY-1...", "# AGE-SECRET-KEY-1..."},
	{"docker login with dckr_pat_AbCdEfGhIjKlMnOpQrStUvWxYz0 ok", "docker login with [REDACTED] ok"},
	{"dckr_oat_AbCdEfGhIjKlMnOpQrStUvWxYz0", "[REDACTED]"},

	// Control characters in a value.
	{"password=ab\x00rest x", "password=[REDACTED] x"},
	{"password=ab\x01\x02rest\x7fmore\nx", "password=[REDACTED]\nx"},
	{"Cookie: sid=hunter22\x00rest; a=b\nHost: x", "Cookie: [REDACTED]\nHost: x"},
	{"https://user:pa\x00ss@host/", "https://[REDACTED]@host/"},
	{"password=hun\x1b[1mter\x1b[0m22\x1b[0m x", "password=[REDACTED]\x1b[0m x"},
	{"password=hun\u200bter22 x", "password=[REDACTED] x"},
	{"password=abc\x00 def\x00", "password=abc\x00 def\x00"},
	{"password = getPassword() // password: none", "password = [REDACTED]() // password: none"},
}

func TestScrubOfGaps(t *testing.T) {
	for _, c := range gapCases {
		got := redact.Scrub(c.in)
		assert.Equal(t, c.want, got)
		assert.Equal(t, got, redact.Scrub(got), "again: %s", c.in)
		line, _, _ := strings.Cut(got, "\n")
		line, _, _ = strings.Cut(line, "\r")
		assert.Equal(t, line, string(redact.AppendLine(nil, c.in)), "line: %s", c.in)
	}
}
