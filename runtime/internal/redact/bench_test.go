package redact_test

import (
	"strings"
	"testing"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// BenchmarkScrub masks 10 KB of texts with many triggers.
func BenchmarkScrub(b *testing.B) {
	for _, c := range []struct{ name, line string }{
		{"tests", "--- FAIL: TestParse (0.02s): parse_test.go:41: got 3 tokens, want 4 for key: value\n"},
		{"compiler", "internal/spec/parse.go:120:14: cannot use b.index (variable of type int) as int_64 value\n"},
		{"log", `{"time":"2026-03-01T12:00:00Z","level":"INFO","msg":"built","dir":"a-b_c","bytes":120}` + "\n"},
		{"secret", "postgres://user:hunter22@db.example.org/x?token=abc123def: connection refused by the host\n"},
	} {
		text := strings.Repeat(c.line, 10_000/len(c.line))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redact.Scrub(text)
			}
		})
	}
}
