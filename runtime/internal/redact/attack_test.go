package redact_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/redact"
)

const ghp = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// attackCases are secrets that were once shown and ordinary texts that were once masked.
var attackCases = []struct{ in, want string }{
	// Behind an escape or a colour, whose last letter is no part of the word that follows.
	{"{\"message\":\"rejected key:\\nsk-ant-api03-AbCdEf0123456789AbCdEf\\n\"}",
		`{"message":"rejected key:\n[REDACTED]\n"}`},
	{"\x1b[31m" + ghp, "\x1b[31m[REDACTED]"},
	{"\x1b[1;38;5;196m" + ghp + "\x1b[0m", "\x1b[1;38;5;196m[REDACTED]\x1b[0m"},
	{"\x1b(B" + ghp, "\x1b(B[REDACTED]"},
	{`\t` + ghp + ` \r` + ghp + ` \f` + ghp + ` \b` + ghp, `\t[REDACTED] \r[REDACTED] \f[REDACTED] \b[REDACTED]`},
	{`\\n` + ghp + ` \\\\n` + ghp, `\\n[REDACTED] \\\\n[REDACTED]`},
	{`\u003c` + ghp + ` \x3d` + ghp, `\u003c[REDACTED] \x3d[REDACTED]`},
	{`\u001b[31m` + ghp + ` \033[0;31m` + ghp + ` \e[m` + ghp,
		`\u001b[31m[REDACTED] \033[0;31m[REDACTED] \e[m[REDACTED]`},
	{`token%3D` + ghp + ` %253d` + ghp, `token%3D[REDACTED] %253d[REDACTED]`},
	{`x\nBearer abc123def456`, `x\nBearer [REDACTED]`},
	{`x\nAKIAIOSFODNN7EXAMPLE`, `x\n[REDACTED]`},
	{`x\nAIzaSyA1234567890abcdefghijklmnopqrstuv`, `x\n[REDACTED]`},
	{`x\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jV`, `x\n[REDACTED]`},
	{`x\npassword=hunter22\ntoken=abcdef1`, `x\npassword=[REDACTED]\ntoken=[REDACTED]`},
	{"\x1b[1mpassword=hunter22 \x1b[1mtoken=hunter22", "\x1b[1mpassword=[REDACTED] \x1b[1mtoken=[REDACTED]"},
	{"token_" + ghp + " my-AKIAIOSFODNN7EXAMPLE", "token_[REDACTED] my-[REDACTED]"},

	// JSON in JSON in JSON.
	{`{\\\"api_key\\\": \\\"abcdef123\\\"}`, `{\\\"api_key\\\": \\\"[REDACTED]\\\"}`},
	{`{\"password\":\"a\\\"b\",\"n\":1}`, `{\"password\":\"[REDACTED]\",\"n\":1}`},
	{`{\\\\\\\"token\\\\\\\":\\\\\\\"x\\\\\\\"}`, `{\\\\\\\"token\\\\\\\":\\\\\\\"[REDACTED]\\\\\\\"}`},
	{`{"password": ["x1y2z3"]}`, `{"password": ["[REDACTED]"]}`},
	{`{"password": ["x1", "y2"], "n": ["a"]}`, `{"password": ["[REDACTED]"], "n": ["a"]}`},
	{`{"Authorization":["Basic dXNlcjpwYXNz"]}`, `{"Authorization":["Basic [REDACTED]"]}`},
	{"map[Authorization:[Bearer abcdefgh]]", "map[Authorization:[Bearer [REDACTED]]]"},

	// Keys and values.
	{"PGPASSWORD=hunter22 DBPASSWORD=hunter22 dbpassword=hunter22",
		"PGPASSWORD=[REDACTED] DBPASSWORD=[REDACTED] dbpassword=[REDACTED]"},
	{`password: "two words1"`, `password: "[REDACTED]"`},
	{"secret_key: 'abc def'", "secret_key: '[REDACTED]'"},
	{"DefaultEndpointsProtocol=https;AccountKey=abcDEF012==;", "DefaultEndpointsProtocol=https;AccountKey=[REDACTED];"},
	{"mysql --password hunter22 --token abc123def -v", "mysql --password [REDACTED] --token [REDACTED] -v"},
	{"serve -password hunter22", "serve -password [REDACTED]"},
	{"x --api-key 'ab 12'", "x --api-key '[REDACTED]'"},
	{"curl -s -u user:pass https://x", "curl -s -u [REDACTED] https://x"},
	{`curl -u "user:pa ss" x`, `curl -u "[REDACTED]" x`},
	{"curl --user 'user:pass' https://x", "curl --user '[REDACTED]' https://x"},
	{"curl -u $USER:hunter22 x; curl -u ${USER}: x", "curl -u [REDACTED] x; curl -u ${USER}: x"},
	{`curl -u "${USER}:hunter22" x`, `curl -u "[REDACTED]" x`},

	// Headers and URLs.
	{"https://0123456789abcdef0123@host/x", "https://[REDACTED]@host/x"},
	{"https://abcdefghij0123456789@host:8080/x", "https://[REDACTED]@host:8080/x"},
	{`https:\/\/user:pass@host\/x`, `https:\/\/[REDACTED]@host\/x`},
	{`Bearer "abcdef123456"`, `Bearer "[REDACTED]"`},
	{"Bearer: abcdef123456", "Bearer: [REDACTED]"},
	{"Bearer abcdefghijklmnop", "Bearer [REDACTED]"},
	{"Basic YWRtaW46YWRtaW4=", "Basic [REDACTED]"},
	{"Authorization: BeArer…", "Authorization: BeArer…"}, // after a cut
	{"Basic dXNlcjpwYXNz", "Basic [REDACTED]"},

	// Tokens that speak for themselves.
	{"xapp-1-A012B3C4D5E-0123456789-abcdef", "[REDACTED]"},
	{"SG.abcDEF0123ghijklmnopqr.abcDEF0123ghijklmnopqrstuvwxyz0123456789ABC", "[REDACTED]"},
	{"ya29.a0AfH6SMBabcdefghij_KLM-1234567890.", "[REDACTED]."},
	{"ya29.c.b0Aaekm1Kabcdefghij", "[REDACTED]"},
	{"hvs.CAESIJabcdefghijklmnop0123", "[REDACTED]"},
	{"hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "[REDACTED]"},
	{"npm_abcdefghijABCDEFGHIJ0123456789abcdef", "[REDACTED]"},
	{"glpat-abcdefghijklmnopqrst", "[REDACTED]"},
	{"dop_v1_0123456789abcdef0123456789abcdef", "[REDACTED]"},

	// What compilers and agents say.
	{"unexpected token: getUser2", "unexpected token: getUser2"},
	{"Unexpected token: 'getUser'", "Unexpected token: 'getUser'"},
	{"Basic TypeScript and basic PostgreSQL", "Basic TypeScript and basic PostgreSQL"},
	{"npm_lifecycle_event_name_123 hf_hub_download_version_0_19",
		"npm_lifecycle_event_name_123 hf_hub_download_version_0_19"},
	{"token := lexer.Next2()", "token := lexer.Next2()"},
	{"token = parser.nextToken()", "token = parser.nextToken()"},
	{"nextToken = parser.nextToken()", "nextToken = parser.nextToken()"},
	{`Bearer error_description="x y"`, `Bearer error_description="x y"`},
	{"password: String!", "password: String!"},
	{"maxToken=200000 max_tokens=200000 max_token=200000", "maxToken=200000 max_tokens=200000 max_token=200000"},
	{"token=$GITHUB_TOKEN password=$DB_PASSWORD", "token=$GITHUB_TOKEN password=$DB_PASSWORD"},
	{`token=${X} password="${DB_PASSWORD}" secret: "$SECRET"`,
		`token=${X} password="${DB_PASSWORD}" secret: "$SECRET"`},
	{"password=$ecret99", "password=[REDACTED]"},
	{"privateKey: *rsa.PrivateKey2", "privateKey: *rsa.PrivateKey2"},
	{"use --password to set it, --token is optional", "use --password to set it, --token is optional"},
	{"docker run -u 1000:1000 x; sort -u a:b", "docker run -u 1000:1000 x; sort -u a:b"},
	{"https://firstname.lastname@example.org/", "https://firstname.lastname@example.org/"},
	// Cookies, signatures of URLs and coloured values.
	{"Cookie: session=hunter22; theme=dark\nHost: x", "Cookie: [REDACTED]\nHost: x"},
	{"< Set-Cookie: sid=hunter22; Path=/; HttpOnly\r\n< Date: x", "< Set-Cookie: [REDACTED]\r\n< Date: x"},
	{"cookie: a=b", "cookie: [REDACTED]"},
	{`Cookie: sid="hunter22"; b="c"` + "\nHost: x", "Cookie: [REDACTED]\nHost: x"},
	{`{"Cookie": "sid=hunter22; a=b", "n": 1}`, `{"Cookie": "[REDACTED]", "n": 1}`},
	{`{"Set-Cookie":["sid=hunter22; Path=/"],"n":1}`, `{"Set-Cookie":["[REDACTED]"],"n":1}`},
	{"map[Cookie:[sid=hunter22; a=b] Host:[x]]", "map[Cookie:[[REDACTED]] Host:[x]]"},
	{`{"log":"Cookie: sid=hunter22; a=b\nHost: x"}`, `{"log":"Cookie: [REDACTED]\nHost: x"}`},
	{`{"log":"Cookie: sid=hunter22"}`, `{"log":"Cookie: [REDACTED]"}`},
	{`curl -H 'Cookie: sid=hunter22; a=b' https://x`, `curl -H 'Cookie: [REDACTED]' https://x`},
	{"Cookie: ghp_abc=[REDACTED]; a=b", "Cookie: ghp_abc=[REDACTED]; a=b"},
	{"invalid cookie: name missing", "invalid cookie: name missing"},
	{"bad Cookie: ; Set-Cookie: , Cookie: =x Cookie: a= b", "bad Cookie: ; Set-Cookie: , Cookie: =x Cookie: a= b"},
	{"document.cookie = getCookie(name)", "document.cookie = getCookie(name)"},
	{"https://s3/x?X-Amz-Expires=300&X-Amz-Signature=deadbeef0123&b=1",
		"https://s3/x?X-Amz-Expires=300&X-Amz-Signature=[REDACTED]&b=1"},
	{"https://x/y?sv=1&sig=abc%2Bdef%3D&se=2", "https://x/y?sv=1&sig=[REDACTED]&se=2"},
	{"https://x/y?signature=abcdef0123#f &amp;Signature=abcdef0123",
		"https://x/y?signature=[REDACTED] &amp;Signature=[REDACTED]"},
	{"signature=abcdef0123 sig=abcdef0123 func signature: func(a, b)",
		"signature=abcdef0123 sig=abcdef0123 func signature: func(a, b)"},
	{"https://x/y?config=abcdef0123&design=abcdef0123&sig=", "https://x/y?config=abcdef0123&design=abcdef0123&sig="},
	{"password=\x1b[31mhunter22\x1b[0m", "password=\x1b[31m[REDACTED]\x1b[0m"},
	{"password: \x1b[1m\x1b[31mhunter22\x1b[0m", "password: \x1b[1m\x1b[31m[REDACTED]\x1b[0m"},
	{"\x1b[36mtoken=\x1b[0mabc123def x", "\x1b[36mtoken=\x1b[0m[REDACTED] x"},
	{"password=\x1b[REDACTED]abcdef", "password=\x1b[REDACTED]abcdef"},
	{"password=\x1b[31;", "password=\x1b[31;"},
	{"MSG.abcDEF0123ghijklmnopqr os.ReadFile v1.29.0", "MSG.abcDEF0123ghijklmnopqr os.ReadFile v1.29.0"},
}

func TestScrubOfAttacks(t *testing.T) {
	for _, c := range attackCases {
		got := redact.Scrub(c.in)
		assert.Equal(t, c.want, got)
		assert.Equal(t, got, redact.Scrub(got), "again: %s", c.in)
	}
}
