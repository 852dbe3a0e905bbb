package redact_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// fragments are the pieces that the rules are about; texts made of them at random are where rules
// meet.
var fragments = []string{
	"token", "password", "api_key", "max_tokens", "pwd", "Authorization", "Secret", "=", "=", ":", ":", ": ", " = ",
	":=", "=>", "==",
	`"`, `"`, `'`, `\"`, `\`, " ", " ", "\n", ",", ";", "&", "/", "://", "@", ".", "-", "_", "…", "ж", "\xff",
	"[REDACTED]", "[", "]", "REDACTED",
	"Bearer ", "basic ", "digest ", "sk-", "sk-abcdefghij1234567890", "ghp_abcdefghij1234567890",
	"AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890",
	"eyJabcdefghij.", "eyJabcdefghij.abcdefghijk.a", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
	"-----END PRIVATE KEY-----", "abc", "abcdef", "a1", "aB3xyz",
	"http", "user", `\n`, `\\n`, `\u003c`, "%3D", "%25", "\x1b[31m", "\x1b", "[31m", `\\\"`, "--", "curl ", "-u ",
	"--password ", "hf_", "npm_", "ya29.", "SG.", "hvs.",
	"$", "${", "$ABC", "*", "PG", "max", "[\"", "\", \"", ":\\/\\/", "0123456789abcdef", "getUser2", "()",
	"dXNlcjpwYXNz",
	"Cookie: ", "Set-Cookie", "cookie", "sid=", "a=b; c=d", "sig", "signature", "&sig=", "?X-Amz-Signature=", "\x1b[0m",
	"\x1b[1;31m", "#",
	"null", "{", "}", "(", ")", "0",
	"-----END ", "-----END RSA PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ\n", "MIIEvQIBADANBgkqhkiG9w0BAQ\\n",
	"\n  ", "\r\n", "\x00", "\x01", "\x7f", "\u200b",
	"machine a.b login ", "machine a.b\n", "login ", " password ", "\x1b[K", "bearer ", "AGE-SECRET-KEY-1", "dckr_pat_",
	"authorization=",
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

// TestPlainCutOfFragments cuts texts without masking. The kept part of a secret must still be
// recognised as a secret.
func TestPlainCutOfFragments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(40) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		checkPlainCut(t, b.String(), 4+r.IntN(200), r.IntN(2) == 0)
	}
}

func checkPlainCut(t *testing.T, s string, limit int, tail bool) {
	t.Helper()
	if len(s) <= limit {
		return
	}
	before, kept, after := redact.KeptPlain(s, limit, tail)
	got := before + kept + after
	require.LessOrEqual(t, len(got), limit)
	offset := 0 // of got in s
	if tail {
		offset = len(s) - len(got)
	}
	seen := map[[2]int]bool{}
	for start, end := redact.Next(got, 0, 0); start >= 0; start, end = redact.Next(got, end, end) {
		seen[[2]int{start + offset, end + offset}] = true
	}
	from, to := offset+len(before), offset+len(before)+len(kept)
	for start, end := redact.Next(s, 0, 0); start >= 0; start, end = redact.Next(s, end, end) {
		if end > from && start < to {
			require.True(t, seen[[2]int{start, end}], "%q of %q, cut to %q, tail %t", s[start:end], s, got, tail)
		}
	}
}

func FuzzKeptPlain(f *testing.F) {
	for i, c := range slices.Concat(scrubCases, attackCases, gapCases) {
		f.Add(c.in, uint8(i%40+4), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, s string, limit uint8, tail bool) {
		if limit > 3 {
			checkPlainCut(t, s, int(limit), tail)
		}
	})
}
