package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// fragments are the pieces that the rules are about; texts made of them at random are where rules meet.
var fragments = []string{
	"token", "password", "api_key", "max_tokens", "pwd", "Authorization", "Secret", "=", "=", ":", ":", ": ", " = ", ":=", "=>", "==",
	`"`, `"`, `'`, `\"`, `\`, " ", " ", "\n", ",", ";", "&", "/", "://", "@", ".", "-", "_", "…", "ж", "\xff", "[REDACTED]", "[", "]", "REDACTED",
	"Bearer ", "basic ", "digest ", "sk-", "sk-abcdefghij1234567890", "ghp_abcdefghij1234567890", "AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890",
	"eyJabcdefghij.", "eyJabcdefghij.abcdefghijk.a", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "abc", "abcdef", "a1", "aB3xyz",
	"http", "user", `\n`, `\\n`, `\u003c`, "%3D", "%25", "\x1b[31m", "\x1b", "[31m", `\\\"`, "--", "curl ", "-u ", "--password ", "hf_", "npm_", "ya29.", "SG.", "hvs.",
	"$", "${", "$ABC", "*", "PG", "max", "[\"", "\", \"", ":\\/\\/", "0123456789abcdef", "getUser2", "()", "dXNlcjpwYXNz",
	"Cookie: ", "Set-Cookie", "cookie", "sid=", "a=b; c=d", "sig", "signature", "&sig=", "?X-Amz-Signature=", "\x1b[0m", "\x1b[1;31m", "#",
	"null", "{", "}", "(", ")", "0",
}

func TestScrubOfFragments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var b strings.Builder
		for range 1 + r.IntN(40) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		in := b.String()
		once := redact.Scrub(in)
		require.Equal(t, once, redact.Scrub(once), "of %q", in)
		limit, tail := 4+r.IntN(250), r.IntN(2) == 0
		if len(once) <= limit {
			continue
		}
		cut := redact.Cut(once, limit, tail)
		require.LessOrEqual(t, len(cut), limit)
		require.Equal(t, cut, redact.Scrub(cut), "of %q, cut to %d, tail %t", in, limit, tail)
	}
}
