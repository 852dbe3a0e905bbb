package proc_test

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestTailAndHead(t *testing.T) {
	for _, c := range []struct {
		limit      int
		writes     []string
		head, tail string
	}{
		{4, nil, "", ""},
		{4, []string{"abc"}, "abc", "abc"},
		{4, []string{"abc", "def", "", "g"}, "abcd", "defg"},
		{4, []string{"abcdefghij"}, "abcd", "ghij"},
		{4, []string{"abcdefgh", "ij"}, "abcd", "ghij"},
		{4, []string{"ab", "cdefghij", "k"}, "abcd", "hijk"},
		{4, []string{"äöü"}, "äö", "öü"},
		{3, []string{"äöü"}, "ä", "ü"},
		{1, []string{"€€"}, "", ""},
		{4, []string{"a\xffb"}, "a\xffb", "a\xffb"},
		{24, []string{"password: hunter2 ", "and much more"}, "password: [REDACTED] and", "[REDACTED] and much more"},
		{40, []string{"password: hunter2 ", "and much more"}, "password: hunter2 and much more",
			"password: hunter2 and much more"},
		{0, []string{"abc"}, "", ""},
	} {
		head, tail := proc.NewHead(c.limit), proc.NewTail(c.limit)
		total := 0
		for _, w := range c.writes {
			n, err := head.Write([]byte(w))
			assert.NoError(t, err)
			assert.Equal(t, len(w), n)
			n, err = tail.Write([]byte(w))
			assert.NoError(t, err)
			assert.Equal(t, len(w), n)
			total += n
		}
		assert.Equal(t, c.head, head.String(), "%d %q", c.limit, c.writes)
		assert.Equal(t, c.tail, tail.String(), "%d %q", c.limit, c.writes)
		assert.Equal(t, int64(total), head.Total())
		assert.Equal(t, int64(total), tail.Total())
	}
}

// TestNoPartOfASecretIsKept: writes have any length, and the cut can be anywhere in a secret.
func TestNoPartOfASecretIsKept(t *testing.T) {
	const limit = 64
	given := "GIVEN\u00a0value of the environment GIVEN"
	mask := func(s string) string { return strings.ReplaceAll(s, given, "[REDACTED]") }
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("GIVENpXUYQ4h1BPt2cKpkgNG\n", 240) +
		"-----END RSA PRIVATE KEY-----"
	for _, secret := range []string{
		"https://user:GIVEN-s3cr3t-GIVEN@host/x", "sk-ant-api03-GIVENDEFghijkl1234567890GIVEN",
		`{"api_key": "GIVEN-1234567890-GIVEN"}`,
		"Authorization: Digest GIVEN, b=GIVEN", "password: GIVEN-hunter2-GIVEN", "curl -u GIVEN:GIVEN", given, key,
	} {
		step := 1 + len(secret)/200
		for at := 0; at <= len(secret)+limit; at += step {
			for _, around := range []string{"y", "so it goes\n", "https://user:hunter2@host/\n"} {
				around := strings.Repeat(around, 20_000/len(around))
				text := around + " " + secret + " " + strings.Repeat("x", at)
				tail := proc.NewTail(limit)
				write(tail, text, at)
				checkKept(t, tail.Masked(mask), limit, secret)
				if secret != given {
					checkKept(t, tail.String(), limit, secret)
				}
				head := proc.NewHead(limit)
				write(head, strings.Repeat("x", at)+" "+secret+" "+around, at)
				checkKept(t, head.Masked(mask), limit, secret)
			}
		}
	}
}

func write(w io.Writer, text string, at int) {
	piece := 1 + (at*97)%5000
	for ; len(text) > piece; text = text[piece:] {
		_, _ = io.WriteString(w, text[:piece])
	}
	_, _ = io.WriteString(w, text)
}

func checkKept(t *testing.T, got string, limit int, secret string) {
	t.Helper()
	require.NotContains(t, got, "GIVEN", secret)
	require.NotContains(t, taxonomy.Redact(got), "hunter2")
	require.LessOrEqual(t, len(got), limit)
	require.True(t, utf8.ValidString(got))
}

func TestMasksAreAppliedToAll(t *testing.T) {
	tail, head := proc.NewTail(64), proc.NewHead(64)
	for _, w := range []io.Writer{tail, head} {
		_, _ = io.WriteString(w, "password: hunter2 and given")
	}
	mask := func(s string) string { return strings.ReplaceAll(s, "given", "[REDACTED]") }
	assert.Equal(t, "password: hunter2 and [REDACTED]", tail.Masked(mask))
	assert.Equal(t, "password: hunter2 and [REDACTED]", head.Masked(mask))
}

func FuzzTail(f *testing.F) {
	f.Add("abc\x00def", "ghi", 4)
	f.Add("äöü", "€", 3)
	f.Add("password=", "hunter22", 20)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if limit < 0 || limit > 1<<10 {
			return
		}
		tail, head, all := proc.NewTail(limit), proc.NewHead(limit), a+b+a
		for _, w := range []string{a, b, a} {
			_, _ = tail.Write([]byte(w))
			_, _ = head.Write([]byte(w))
		}
		if len(all) <= limit {
			assert.Equal(t, all, tail.String())
			assert.Equal(t, all, head.String())
			return
		}
		assert.LessOrEqual(t, len(tail.String()), limit)
		assert.LessOrEqual(t, len(head.String()), limit)
		if utf8.ValidString(all) && taxonomy.Redact(all) == all {
			assert.True(t, strings.HasSuffix(all, tail.String()))
			assert.True(t, strings.HasPrefix(all, head.String()))
			assert.Greater(t, len(tail.String()), limit-utf8.UTFMax)
			assert.Greater(t, len(head.String()), limit-utf8.UTFMax)
		}
	})
}

func TestSafeEnv(t *testing.T) {
	for name, value := range map[string]string{
		"HOME": "/home/x", "LC_ALL": "C", "ANTHROPIC_API_KEY": "key", "GIT_DIR": "/x", "LD_PRELOAD": "/x.so",
		"PASSED": "on",
	} {
		t.Setenv(name, value)
	}
	env := proc.SafeEnv("PASSED", "UNSET_VARIABLE", "GIVEN=a=b")
	for _, want := range []string{"HOME=/home/x", "LC_ALL=C", "PASSED=on", "GIVEN=a=b"} {
		assert.Contains(t, env, want)
	}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		assert.NotContains(t, []string{"ANTHROPIC_API_KEY", "GIT_DIR", "LD_PRELOAD", "UNSET_VARIABLE"}, name)
	}
}
