package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// secrets are put into texts that are then cut. No 4 bytes of a word of hidden may remain.
var secrets = []struct{ before, hidden, after string }{
	{"https://", "uQ7:pW3r9sX5kV", "@host"},
	{"postgres://", "uQ7:pW3@r9s:X5kV", "@host:5432/db"},
	{"https://", "uQ7pW3r9sX5kVzT1", "@host"},
	{"sk-ant-api03-", "uQ7pW3r9sX5kVzT1jH6", ""},
	{"github_pat_", "uQ7pW3r9sX5kVzT1jH6", ""},
	{"token_ghp_", "uQ7pW3r9sX5kVzT1jH6", ""},
	{"AKIA", "UQ7PW3R9SX5KVZT1", ""},
	{"hvs.", "uQ7pW3r9s.X5kVzT1jH6", ""},
	{"password=", "uQ7pW3r9sX5kV", ""},
	{"PASSWORD = ", "uQ7pW3r9sX5kV", " rest"},
	{`password: "`, "uQ7 pW3r9 sX5kV", `" rest`},
	{`token: "`, "uQ7pW3r9sX5kV", `" rest`},
	{`{"api_key": "`, "uQ7pW3r9sX5kV", `", "n": 1}`},
	{`{\"api_key\": \"`, "uQ7pW3r9sX5kV", `\", \"n\": 1}`},
	{`{"password": ["`, `uQ7pW3", "r9sX5kV`, `"]}`},
	{"Authorization: Bearer ", "uQ7pW3r9sX5kV", ""},
	{"authorization: Basic ", "dXNlcjpwYXNzd29yZA", "=="},
	{"BASIC ", "dXNlcjpwYXNzd29yZA", "=="},
	{"Authorization: Digest ", "uQ7pW3, r9s=X5kV", "\nHost: x"},
	{"sent Bearer ", "uQ7pW3r9sX5kV", ", got 401"},
	{"Cookie: ", "uQ7=pW3r9; sX5=kVzT1", "\nHost: x"},
	{"curl -s -u ", "uQ7:pW3r9sX5kV", " https://x"},
	{"mysql --password ", "uQ7pW3r9sX5kV", " -v"},
	{"GET /a?sig=", "uQ7pW3r9sX5kV", "&b=c"},
	{"", "eyJuQ7pW3r9sX5.eyJkVzT1jH6mN8.bG4cD2fE0", ""},
	{"-----BEGIN PRIVATE KEY-----\n", "uQ7pW3r9sX5kV\nzT1jH6mN8bG4\n", "-----END PRIVATE KEY-----\n"},
}

// partOf returns a part of hidden that s shows, or "".
func partOf(s, hidden string) string {
	for i := range len(hidden) - 3 {
		if part := hidden[i : i+4]; !strings.Contains(part, " ") && strings.Contains(s, part) {
			return part
		}
	}
	return ""
}

// A field without scrub shows its secrets. A later mask must still recognise a secret that was cut.
func TestNoPartOfASecretIsLeftAtACut(t *testing.T) {
	const limit = 120
	for _, s := range secrets {
		secret := s.before + s.hidden + s.after
		for at := range limit + 10 {
			for _, sep := range []string{" ", "\n"} {
				head := strings.Repeat("x", at) + sep + secret + sep + strings.Repeat("y", limit)
				tail := strings.Repeat("y", limit) + sep + secret + sep + strings.Repeat("x", at)
				for _, got := range []string{
					gen.Clean(limit).Text(head), gen.Clean(limit).Line(head),
					(gen.Clean(limit) | gen.KeepTail).Text(tail), (gen.Clean(limit) | gen.KeepTail).Line(tail),
				} {
					require.LessOrEqual(t, len(got), limit)
					require.Emptyf(t, partOf(taxonomy.Redact(got), s.hidden), "%q of %q", got, secret)
				}
			}
		}
	}
}

func TestNoPartOfALongSecretIsLeftAtACut(t *testing.T) {
	hidden := strings.Repeat("uQ7pW3r9sX5kVzT1jH6mN8bG4cD2fE0y\n", 200)
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + hidden + "-----END RSA PRIVATE KEY-----\n"
	long := strings.Repeat("y\n", 50_000)
	for at := 0; at < len(key); at += 13 {
		head := strings.Repeat("x", len(key)-at) + "\n" + key + long
		tail := long + key + strings.Repeat("x", len(key)-at)
		for _, got := range []string{gen.Clean(len(key)).Text(head), (gen.Clean(len(key)) | gen.KeepTail).Text(tail)} {
			require.NotContains(t, taxonomy.Redact(got), "uQ7")
		}
	}
}

func TestWholeSecretIsShownWithoutScrub(t *testing.T) {
	const limit = 160
	for _, s := range secrets {
		secret := s.before + s.hidden + s.after
		head := "x " + secret + " " + strings.Repeat("y", limit)
		assert.Contains(t, gen.Clean(limit).Text(head), secret)
		tail := strings.Repeat("y", limit) + " " + secret + " x"
		assert.Contains(t, (gen.Clean(limit) | gen.KeepTail).Text(tail), secret)
	}
}

func TestMessagesShowNoPartOfASecret(t *testing.T) {
	for at := range 220 {
		for _, s := range secrets {
			expected := strings.Repeat("x", at) + " " + s.before + s.hidden + s.after + strings.Repeat(" y", 100)
			err := errs.NewConfigInvalid("f", "v", expected)
			for _, said := range []string{err.Error(), string(err.AppendJSON(nil)), fmt.Sprintf("%+v", err)} {
				require.Emptyf(t, partOf(taxonomy.Redact(said), s.hidden), "%q", said)
			}
		}
	}
	said := errs.NewConfigInvalid("f", "v", strings.Repeat("x", 179)+" https://user:PASSWORD@host").Error()
	assert.Equal(t, `cannot run: setting f is "v", expected `+strings.Repeat("x", 179)+" https://…", said)
}

// The value of a setting is masked if the setting is a secret, even if the value looks like none.
func TestMessageMasksTheValueOfASecret(t *testing.T) {
	for _, tt := range []struct{ field, value, want string }{
		{"webhook_url", "https://example.org/T0/B0", "[REDACTED]"},
		{"notify.webhook", "https://example.org/T0", "[REDACTED]"},
		{"password", "hunter2", "[REDACTED]"},
		{"webhook", "on", "on"},
		{"notify[0].url", "ftp://example.org", "ftp://example.org"},
		{"retries", "-1", "-1"},
	} {
		err := errs.NewConfigInvalid(tt.field, tt.value, "a name")
		assert.Equal(t, fmt.Sprintf("cannot run: setting %s is %q, expected a name", tt.field, tt.want), err.Error())
		assert.Contains(t, fmt.Sprintf("%+v", err), tt.want)
		assert.NotContains(t, string(err.AppendJSON(nil)), "example.org/T0")
	}
}

func TestCuttingAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1<<10)
	for _, s := range secrets {
		expected := strings.Repeat("x", 190) + " " + s.before + s.hidden + s.after
		err := errs.NewConfigInvalid("f", "v", expected)
		assert.Zero(t, testing.AllocsPerRun(10, func() { buf = err.AppendMessage(buf[:0]) }))
	}
}

func BenchmarkCutMessage(b *testing.B) {
	const prose = "The setting takes the name of a provider, or a list of such names in the order in which they " +
		"are to be asked: see the schema. "
	buf := make([]byte, 0, 1<<10)
	for _, c := range []struct{ name, expected string }{
		{"whole", prose}, {"cut", strings.Repeat(prose, 16)},
		{"cut in a secret", strings.Repeat("x", 179) + " https://user:PASSWORD@host"},
	} {
		err := errs.NewConfigInvalid("f", "v", c.expected)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = err.AppendMessage(buf[:0])
			}
		})
	}
}

func BenchmarkCutTail(b *testing.B) {
	long := strings.Repeat(
		"It said that the model is overloaded at the moment, and that we should try it again: see "+
			"https://example.org/a=b. ", 160)
	for _, n := range []int{2 << 10, 16 << 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = (gen.Clean(1000) | gen.KeepTail).Text(long[:n])
			}
		})
	}
}
