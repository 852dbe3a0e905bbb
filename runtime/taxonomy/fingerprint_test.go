package taxonomy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func printOf(text string) string {
	return (&taxonomy.Evidence{Source: "s", Op: "call", Text: text}).Fingerprint()
}

func TestFingerprintIsTheSame(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"exit status 1 after 12 s", "exit status 2 after 1.5 s"},
		{"request 550e8400-e29b-41d4-a716-446655440000 failed", "request deadbeef-abcd-abcd-abcd-abcdefabcdef failed"},
		{"request req_011CSHoEeqs5C35K2UUqR7Fy failed", "request req_019XSHoEeqs5C35K2UUqR7aa failed"},
		{"open /home/a/x.go: denied", "open /tmp/b/c/y.go: denied"},
		{`open C:\a\b: denied`, `open D:\c: denied`},
		{"pkg/a.go:12:3: bad", "other/b.go:7: bad"},
		{"panic at 0xc000123abc", "panic at 0xff"},
		{"commit 1a2b3c4 is gone", "commit deadbeef is gone"},
		{"at 2026-01-02T03:04:05Z it broke", "at 2027-11-12T13:14:15Z it broke"},
		{"get https://a.example/x?y=1 failed", "get https://b.example/ failed"},
		{"\n\n  no such file\nmore 1", "no such file\nmore, and other"},
		{"port 127.0.0.1:8080 refused", "port 10.0.0.7:9 refused"},
		{"password=hunter2secret is wrong", "password=another9secret is wrong"},
		{`no "a b" (1)`, "no 'a b' [22]"},
		{"", " \n "},
	} {
		assert.Equal(t, printOf(tt.a), printOf(tt.b), "%q and %q", tt.a, tt.b)
	}
}

func TestFingerprintDiffers(t *testing.T) {
	all := map[string]string{}
	for _, e := range []*taxonomy.Evidence{
		{}, {Source: "a"}, {Op: "a"}, {Type: "a"}, {Code: "a"}, {Signal: "a"}, {Errno: "a"}, {Text: "a"},
		{Text: "no a"}, {Status: 429},
		{Status: 500}, {ExitCode: taxonomy.Some(0)}, {ExitCode: taxonomy.Some(1)}, {Text: "file not found"},
		{Text: "effaced"},
		{Code: "TS2304"}, {Code: "TS2305"}, {Source: "a", Op: "b"}, {Source: "ab"}, {Text: "/x is denied"},
		{Text: "/x is a directory"},
	} {
		p := e.Fingerprint()
		assert.Len(t, p, 16)
		assert.Empty(t, all[p], "%v", e)
		all[p] = e.Error() + "."
	}
}

func TestFingerprintOfWhatDoesNotMatter(t *testing.T) {
	a := &taxonomy.Evidence{Source: "s", Err: errors.New("it broke")}
	b := &taxonomy.Evidence{
		Source: "s", Text: "it broke", Output: "x", Files: []string{"y"}, Credential: "z",
		Attributes: map[string]string{"a": "b"},
	}
	assert.Equal(t, a.Fingerprint(), b.Fingerprint())
	assert.Empty(t, (*taxonomy.Evidence)(nil).Fingerprint())
	assert.Equal(t, printOf(strings.Repeat("é1 ", 1<<20)), printOf(strings.Repeat("é2 ", 1<<20)))
	self := &taxonomy.Evidence{}
	self.Err = self
	assert.NotEmpty(t, self.Fingerprint())
}

func FuzzFingerprint(f *testing.F) {
	f.Add("at 2026-01-02T03:04:05Z: /a/b 0x12 \xff")
	f.Fuzz(func(t *testing.T, text string) {
		assert.Len(t, printOf(text), 16)
		assert.Equal(t, printOf(text), printOf(taxonomy.Redact(text)), "what is masked already")
	})
}
