package redact_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/redact"
)

var scrubCases = []struct{ in, want string }{
	// Nothing to mask.
	{"", ""},
	{"connection refused", "connection refused"},
	{"the token was missing", "the token was missing"},
	{"syntax error: unexpected token: expected ';'", "syntax error: unexpected token: expected ';'"},
	{"unexpected token: 'function'", "unexpected token: 'function'"},
	{"unexpected token: 'if (x2 > 10'", "unexpected token: 'if (x2 > 10'"},
	{"password: must be at least 8 characters", "password: must be at least 8 characters"},
	{"invalid password: required", "invalid password: required"},
	{"if token == nil {", "if token == nil {"},
	{"max_tokens=4096000 input_tokens: 1234567", "max_tokens=4096000 input_tokens: 1234567"},
	{`{"usage":{"output_tokens":1234567},"token":null,"secret":false}`,
		`{"usage":{"output_tokens":1234567},"token":null,"secret":false}`},
	{"secretary: Ms. Smith123", "secretary: Ms. Smith123"},
	{"monkey: banana123", "monkey: banana123"},
	{"use scikit: sk-learn-is-a-library-of-python", "use scikit: sk-learn-is-a-library-of-python"},
	{"task-force-1234567890123456789", "task-force-1234567890123456789"},
	{"Basic authentication required", "Basic authentication required"},
	{"Bearer realm missing", "Bearer realm missing"},
	{"basic functionality", "basic functionality"},
	{"PWD=/home/someone/project", "PWD=/home/someone/project"},
	{"https://example.org:8080/path", "https://example.org:8080/path"},
	{"https://user@example.org/", "https://user@example.org/"},
	{"note://x:y", "note://x:y"},
	{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
	{"-----BEGIN ", "-----BEGIN "},
	{"authorization: not permitted", "authorization: not permitted"},
	{"password=", "password="},
	{"password=a", "password=a"},
	{`password=""`, `password=""`},
	{"=: :// =", "=: :// ="},
	{"пароль неверен", "пароль неверен"},

	// Tokens that speak for themselves.
	{"key sk-abcdefghij1234567890 end", "key [REDACTED] end"},
	{"sk-ant-api03-abcDEF_ghi-1234567890", "[REDACTED]"},
	{"(sk-proj-abcdefghijklmnop12)", "([REDACTED])"},
	{"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[REDACTED]"},
	{"gho_abcdefghijklmnopqrst,ghs_abcdefghijklmnopqrst", "[REDACTED],[REDACTED]"},
	{"ghu_abcdefghijklmnopqrst ghr_abcdefghijklmnopqrst", "[REDACTED] [REDACTED]"},
	{"ghx_abcdefghijklmnopqrst", "ghx_abcdefghijklmnopqrst"},
	{"github_pat_11ABCDEFG0abcdefghij_klmn", "[REDACTED]"},
	{"glpat-abcdefghij1234567890", "[REDACTED]"},
	{"npm_abcdefghij1234567890 hf_abcdefghij1234567890", "[REDACTED] [REDACTED]"},
	{"sk_live_abcdefghij1234567890 rk_test_abcdefghij1234567890", "[REDACTED] [REDACTED]"},
	{"rk_live_abcdefghij1234567890 sk_test_abcdefghij1234567890", "[REDACTED] [REDACTED]"},
	{"whsec_abcdefghij1234567890ABCDEF", "[REDACTED]"},
	{"AKIAIOSFODNN7EXAMPLE ASIAIOSFODNN7EXAMPLE", "[REDACTED] [REDACTED]"},
	{"AKIASHORT xAKIAIOSFODNN7EXAMPLE", "AKIASHORT xAKIAIOSFODNN7EXAMPLE"},
	{"xoxb-123456789012-abc", "[REDACTED]"},
	{"AIzaSyA1234567890abcdefghijklmnopqrstuv", "[REDACTED]"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9", "[REDACTED]"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0", "[REDACTED]"},
	{"eyJhbGciOiJIUzI1NiJ9 eyJ.a eyJhbGciOiJIUzI1NiJ9.abc", "eyJhbGciOiJIUzI1NiJ9 eyJ.a eyJhbGciOiJIUzI1NiJ9.abc"},
	{"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nb", "a\n[REDACTED]\nb"},
	{"-----BEGIN PRIVATE KEY-----\nMIIEow cut of", "[REDACTED]"},
	{"-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIV", "[REDACTED]"},

	// Headers and URLs.
	{"Authorization: Bearer abcdefgh", "Authorization: Bearer [REDACTED]"},
	{"authorization: basic dXNlcjpwYXNz", "authorization: basic [REDACTED]"},
	{"Proxy-Authorization: Negotiate YIIabc", "Proxy-Authorization: Negotiate [REDACTED]"},
	{`Authorization: Digest username="u", response="6629fae4"` + "\nHost: x",
		"Authorization: Digest [REDACTED]\nHost: x"},
	{"Authorization: abc123def", "Authorization: [REDACTED]"},
	{"Authorization: Custom abc123def", "Authorization: Custom abc123def"},
	{`"Authorization": "Bearer abcdefgh"`, `"Authorization": "Bearer [REDACTED]"`},
	{"sent Bearer abc123def456, got 401", "sent Bearer [REDACTED], got 401"},
	{"BASIC dXNlcjpwYXNzd29yZA==", "BASIC [REDACTED]"},
	{"postgres://user:pass@host:5432/db?x=y", "postgres://[REDACTED]@host:5432/db?x=y"},
	{"https://x-access-token:p@ss@github.com/a", "https://[REDACTED]@github.com/a"},
	{"GET /a?token=abcdef123&b=c", "GET /a?token=[REDACTED]&b=c"},
	{"GET /a?access_token=abcdef&b=c", "GET /a?access_token=[REDACTED]&b=c"},

	// Keys and values.
	{"password=hunter2", "password=[REDACTED]"},
	{"PASSWORD = hunter22 rest", "PASSWORD = [REDACTED] rest"},
	{`passwd="a b" rest`, `passwd="[REDACTED]" rest`},
	{"password: hunter2!", "password: [REDACTED]"},
	{"secret: correctHorse", "secret: [REDACTED]"},
	{`{"api_key": "x"}`, `{"api_key": "[REDACTED]"}`},
	{`{"apiKey":"a\"b","n":1}`, `{"apiKey":"[REDACTED]","n":1}`},
	{`{\"api_key\": \"abc\", \"n\": 1}`, `{\"api_key\": \"[REDACTED]\", \"n\": 1}`},
	{`{"token": 123456789}`, `{"token": [REDACTED]}`},
	{"AWS_SECRET_ACCESS_KEY=abcdefghijk", "AWS_SECRET_ACCESS_KEY=[REDACTED]"},
	{"clientSecret=abcdefghijk", "clientSecret=[REDACTED]"},
	{"client_secret := 'abc'", "client_secret := '[REDACTED]'"},
	{"'token' => 'abc'", "'token' => '[REDACTED]'"},
	{"api-key: abcdef1234", "api-key: [REDACTED]"},
	{"Uid=sa;Pwd=abcdef;", "Uid=sa;Pwd=[REDACTED];"},
	{`token: "abc123def"`, `token: "[REDACTED]"`},
	{"token: " + strings.Repeat("x", 64), "token: [REDACTED]"},
	{`token: "` + strings.Repeat("x", 70) + `" y`, `token: "[REDACTED]" y`},
	{"password=abcdef-----BEGIN PRIVATE KEY-----\nMIIE", "password=[REDACTED][REDACTED]"},
	{`password="abc` + "\nnext", `password="[REDACTED]` + "\nnext"},
	{"password=пароль1", "password=[REDACTED]"},
	{"webhook_url: https://hooks.example.org/a/B1c2?x=1&y=2 next", "webhook_url: [REDACTED] next"},
	{`{"webhookUrl":"https://example.org/a","n":1}`, `{"webhookUrl":"[REDACTED]","n":1}`},
	{`{"webhookUrl":"https:\/\/example.org\/a"}`, `{"webhookUrl":"[REDACTED]"}`},
	{`{"webhooks":["https://example.org/a", "https://example.org/b"],"n":1}`, `{"webhooks":["[REDACTED]"],"n":1}`},
	{`{"webhookUrls":["https://example.org/a"],"n":1}`, `{"webhookUrls":["[REDACTED]"],"n":1}`},
	{"webhooks: [https://example.org/a, https://example.org/b] next", "webhooks: [[REDACTED]] next"},
	{"webhooks:- https://example.org/a1b2,", "webhooks:- [REDACTED],"}, // a comma ends the list
	{"webhook_urls:\n  - https://example.org/a\n  - https://example.org/b\nnext: 1",
		"webhook_urls:\n  - [REDACTED]\nnext: 1"},
	{"webhooks:\n- on\n- push", "webhooks:\n- on\n- push"},
	{"SLACK_WEBHOOK=https://example.org/T0/B0", "SLACK_WEBHOOK=[REDACTED]"},
	{"hooks: [https://example.org/T0, https://example.org/T1]", "hooks: [[REDACTED]]"},
	{"hooks: https://example.org/T0\nonHooks=https://example.org/T0", "hooks: [REDACTED]\nonHooks=[REDACTED]"},
	{"webhook: {url: https://example.org/T0}", "webhook: {url: [REDACTED]}"},
	{`{"webhook":{"url":"https://example.org/T0"}}`, `{"webhook":{"url":"[REDACTED]"}}`},
	{`{\"webhook\": {\"url\": \"https://example.org/T0\"}}`, `{\"webhook\": {\"url\": \"[REDACTED]\"}}`},
	{"{Webhook:{URL:https://example.org/T0 Name:x}}", "{Webhook:{URL:[REDACTED] Name:x}}"},
	{"webhook:\n  url: https://example.org/T0\nname: x", "webhook:\n  url: [REDACTED]\nname: x"},
	{"hooks:\n  - url: https://example.org/T0\n", "hooks:\n  - url: [REDACTED]\n"},
	{"[webhook]\nurl = \"https://example.org/T0\"", "[webhook]\nurl = \"[REDACTED]\""},
	{"webhook.url=https://example.org/T0 alert.hook.url: https://example.org/T0",
		"webhook.url=[REDACTED] alert.hook.url: [REDACTED]"},
	{"hook url=https://example.org/a webhook.imageUrl=https://example.org/a url: https://example.org/a",
		"hook url=https://example.org/a webhook.imageUrl=https://example.org/a url: https://example.org/a"},
	{"hooks: {url: gofmt, on: push} webhook: [REDACTED] url: https://example.org/a",
		"hooks: {url: gofmt, on: push} webhook: [REDACTED] url: https://example.org/a"},
	{"the webhook.\nURL: https://example.org/docs a hook. url: https://example.org/docs",
		"the webhook.\nURL: https://example.org/docs a hook. url: https://example.org/docs"},
	// Not found: see SECURITY.md.
	{`{"webhooks":[{"url":"https://example.org/T0"},{"url":"https://example.org/T1"}]}`,
		`{"webhooks":[{"url":"[REDACTED]"},{"url":"https://example.org/T1"}]}`},
	{"webhook[0].url=https://example.org/T0", "webhook[0].url=https://example.org/T0"},
	{"--hook-url https://example.org/T0", "--hook-url [REDACTED]"},
	{"hook: https://example.org/T0", "hook: [REDACTED]"},
	{"pre-commit hook: gofmt12 failed", "pre-commit hook: gofmt12 failed"},
	{`{"hook":"pre-commit","webhook":"on"}`, `{"hook":"pre-commit","webhook":"on"}`},
	{"hook: https://[REDACTED]", "hook: [REDACTED][REDACTED]"},
	{"dsn: root:abc@tcp(127.0.0.1:3306)/db", "dsn: [REDACTED](127.0.0.1:3306)/db"},
	{"dsn: https://host/db", "dsn: [REDACTED]"},
	{"dsn: not valid", "dsn: not valid"},
	{`{"connectionString":"Server=db;User=sa"}`, `{"connectionString":"[REDACTED]"}`},
	{"conn_string=host=db user=a password=abcdef", "conn_string=[REDACTED] user=a password=[REDACTED]"},
	{"connection_string: https://host/db", "connection_string: [REDACTED]"},
	{"password=[REDACTED] token: [REDACTED]x", "password=[REDACTED] token: [REDACTED]x"},
	{"sk-abcdefghij1234567890=sk-abcdefghij1234567890", "[REDACTED]=[REDACTED]"},
}

func TestScrub(t *testing.T) {
	for _, c := range scrubCases {
		got := redact.Scrub(c.in)
		assert.Equal(t, c.want, got)
		assert.Equal(t, got, redact.Scrub(got), "again: %s", c.in)
		assert.Equal(t, "<"+got, string(redact.Append([]byte("<"), c.in)))
	}
}

func TestScrubOfCleanTextAllocatesNothing(t *testing.T) {
	s := strings.Repeat("the token was missing: see http://example.org/a=b. ", 20)
	assert.Zero(t, testing.AllocsPerRun(100, func() { redact.Scrub(s) }))
}

// cut returns the three parts of Kept as one text.
func cut(s string, limit int, tail bool) string {
	before, kept, after := redact.Kept(s, limit, tail)
	return before + kept + after
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		tail  bool
		want  string
	}{
		{"abcdefgh", 6, false, "abc…"},
		{"abcdefgh", 6, true, "…fgh"},
		{"abcdefgh", 3, false, "abc"},
		{"abcdefgh", 3, true, "fgh"},
		{"жжжж", 6, false, "ж…"},
		{"жжжж", 6, true, "…ж"},
		{"ab[REDACTED]cd", 10, false, "ab…"},
		{"ab[REDACTED]cd", 13, true, "…cd"},
		{"ab[REDACTED]", 11, true, "…"},
		{"xxxxxsk-abcdefghij1234567890 tail", 31, true, "… tail"},
		{"xx[REDACTED]sk-abcdefghij1234567890", 26, true, "…"},
	} {
		got := cut(c.in, c.limit, c.tail)
		assert.Equal(t, c.want, got)
		assert.LessOrEqual(t, len(got), c.limit)
	}
}

func FuzzScrub(f *testing.F) {
	for _, c := range slices.Concat(scrubCases, attackCases, gapCases) {
		f.Add(c.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.Scrub(s)
		if twice := redact.Scrub(once); twice != once {
			t.Fatalf("not idempotent\n%q\n%q\n%q", s, once, twice)
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Fatalf("split a rune: %q %q", s, once)
		}
	})
}

func FuzzCut(f *testing.F) {
	for i, c := range slices.Concat(scrubCases, attackCases, gapCases) {
		f.Add(c.in, uint8(i+7), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, s string, limit uint8, tail bool) {
		s = redact.Scrub(s)
		if len(s) <= int(limit) {
			return
		}
		got := cut(s, int(limit), tail)
		if len(got) > int(limit) {
			t.Fatalf("too long: %d > %d", len(got), limit)
		}
		if again := redact.Scrub(got); again != got {
			t.Fatalf("not stable\n%q\n%q\n%q", s, got, again)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("split a rune: %q %q", s, got)
		}
	})
}

// TestScrubTerminates masks texts that a quadratic algorithm would search for hours. The limit of
// the test would end it.
func TestScrubTerminates(t *testing.T) {
	for _, unit := range []string{
		"a", "=", ":", "_", "-", "token:", "token=", "token: \"", "\"token\":\"", "sk-", "sk-a ", "eyJ", "eyJ-",
		"eyJa.", "-----BEGIN ",
		"-----BEGIN PRIVATE KEY-----", "://", "://a:", "a:b@", "bearer ", "bearer a", "Authorization: digest\n", "AKIA",
		"[REDACTED]",
		"token:\"[REDACTED]", "\\\"token\\\":\\\"", "ghp_", "xoxb-", "AIza", "password:    \t", "ж", "…", "\x80",
		"\\", "\\n", "\"token\":[\"a\",\"", "'token':['a','b\n", "hf_", "npm_", "_ghp_", "_AKIA", "SG.", "ya29.", ".",
		"-u ", "curl -u ", "--token ", "--token-", "bearer:",
		"%25", "\x1b[", "$", "password=$A", "token = a", "basic dXNl",
		"Cookie: ", "Cookie: a=", "cookie: a=\"", "Cookie: a=b\n", "&sig=", "?sig=a", "sig", "password=\x1b[0m",
		"\x1b[0m=",
		"-----END PRIVATE KEY-----", "\n-----END PRIVATE KEY-----", "MIIEvQIBADANBgkq\n-----END PRIVATE KEY-----",
		"MIIEvQIBADANBgkq\n", "\n ", "\\n-----END ",
		"machine a.b login ", "machine a.b login c password ", ".b login ", ".\n", ".b ", "password=a\x00",
		"password=a\x1b[0m", "authorization=bearer ",
	} {
		text := strings.Repeat(unit, (1<<20)/len(unit))
		once := redact.Scrub(text)
		assert.True(t, redact.Scrub(once) == once, unit)
	}
}
