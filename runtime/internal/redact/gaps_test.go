package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/redact"
)

const armour = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n" +
	"VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu\nictGeurT8jNbvJZHtCSuYEvuNMoSfm76oqFvAp8Gy0iz5sxjZmSn\n" +
	"=aB3d\n"

var gapCases = []struct{ in, want string }{
	// The end of a private key whose beginning was cut off.
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

	// pass as a key, and as a word.
	{"pass=hunter22 smtp_pass=correcthorse SMTP_PASS=correcthorse",
		"pass=[REDACTED] smtp_pass=[REDACTED] SMTP_PASS=[REDACTED]"},
	{"user: admin\npass: hunter22\nsmtp_pass: hunter22", "user: admin\npass: [REDACTED]\nsmtp_pass: [REDACTED]"},
	{`{"pass":"x","dbPass":"y","db-pass":["z"],"pass": true}`,
		`{"pass":"[REDACTED]","dbPass":"[REDACTED]","db-pass":["[REDACTED]"],"pass": true}`},
	{`pass = "correct horse"; mailPass: 'x'`, `pass = "[REDACTED]"; mailPass: '[REDACTED]'`},
	{"x --pass hunter22 --db-pass hunter22", "x --pass [REDACTED] --db-pass [REDACTED]"},
	{"tests pass: 3, pass 2 of 5, pass=true pass=through", "tests pass: 3, pass 2 of 5, pass=true pass=through"},
	{"--- PASS: TestReadConfig2 (0.00s)", "--- PASS: TestReadConfig2 (0.00s)"},
	{"bypass=abcdef123 --pass-through abcdef123 compass: abcdef123",
		"bypass=abcdef123 --pass-through abcdef123 compass: abcdef123"},

	// Webhooks.
	{"post https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnop: 404",
		"post https://hooks.slack.com/services/[REDACTED]: 404"},
	{"https://discord.com/api/webhooks/123456789012345678/abc_DEF-ghi?wait=true",
		"https://discord.com/api/webhooks/[REDACTED]?wait=true"},
	{"https://discordapp.com/api/webhooks/123456789012345678/abcdef.",
		"https://discordapp.com/api/webhooks/[REDACTED]."},
	{"https://canary.discord.com/api/v10/webhooks/123456789012345678/abcdef",
		"https://canary.discord.com/api/v10/webhooks/[REDACTED]"},
	{"https://contoso.webhook.office.com/webhookb2/0a1b@2c3d/IncomingWebhook/4e5f/6a7b x",
		"https://contoso.webhook.office.com/[REDACTED] x"},
	{"https://prod-1.westus.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?sp=%2F&sig=aB3_dE6-",
		"https://prod-1.westus.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?sp=%2F&sig=[REDACTED]"},
	{"see https://hooks.slack.com/services/ and https://discord.com/api/webhooks/ID/TOKEN",
		"see https://hooks.slack.com/services/ and https://discord.com/api/webhooks/ID/TOKEN"},

	// Parameters of URLs.
	{"https://s3/k?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F2013%2Fus&X-Amz-Security-Token=IQoJb3Jp%2F&X-Amz-Date=1",
		"https://s3/k?X-Amz-Credential=[REDACTED]%2F2013%2Fus&X-Amz-Security-Token=[REDACTED]&X-Amz-Date=1"},
	{"https://storage.googleapis.com/b/o?X-Goog-Expires=9&X-Goog-Signature=0a1b2c3d&token=abcdef",
		"https://storage.googleapis.com/b/o?X-Goog-Expires=9&X-Goog-Signature=[REDACTED]&token=[REDACTED]"},
	{"https://maps.googleapis.com/maps/api/geocode/json?address=x&key=abcdefghij 403",
		"https://maps.googleapis.com/maps/api/geocode/json?address=x&key=[REDACTED] 403"},
	{"https://example.org/?key=abcdefghij https://a.googleapis.com/ ?key=abcdefghij",
		"https://example.org/?key=abcdefghij https://a.googleapis.com/ ?key=abcdefghij"},
	{"https://x/cb#access_token=abcdef&state=1", "https://x/cb#access_token=[REDACTED]&state=1"},

	// Authorization in JSON with a scheme of its own.
	{`f("Authorization: ", "x", 12) {"authorization": "not permitted"}`,
		`f("Authorization: ", "x", 12) {"authorization": "not permitted"}`},
	{`{"authorization": "Custom abc123def", "n": 1}`, `{"authorization": "[REDACTED]", "n": 1}`},
}

func TestIsSecretKey(t *testing.T) {
	for _, name := range []string{
		"password", "SMTP_PASS", "dbPass", "pass", "pwd", "AWS_SECRET_ACCESS_KEY", "X-Amz-Signature", "sig", "session",
	} {
		assert.True(t, redact.IsSecretKey(name), name)
	}
	for _, name := range []string{"", "key", "bypass", "compass", "pass-through", "max_tokens", "max_token", "author"} {
		assert.False(t, redact.IsSecretKey(name), name)
	}
}

// TestEndsOfNames guards the table that rejects most separators before a key is looked up.
func TestEndsOfNames(t *testing.T) {
	for _, name := range []string{
		"password", "passwd", "pwd", "pass", "passphrase", "secret", "credentials", "apikey", "accesskey", "secretkey",
		"privatekey", "accountkey", "token", "authtoken", "accesstoken", "refreshtoken",
	} {
		for _, key := range []string{name, strings.ToUpper(name)} {
			assert.Equal(t, key+"=[REDACTED]", redact.Scrub(key+"=aB3xyz789"))
			assert.Equal(t, `"`+key+`":"[REDACTED]"`, redact.Scrub(`"`+key+`":"x"`))
		}
	}
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
