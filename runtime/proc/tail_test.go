package proc_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/proc"
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
		{1, []string{"€€"}, "", "\xac"},
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

func FuzzTail(f *testing.F) {
	f.Add("abc\x00def", "ghi", 4)
	f.Add("äöü", "€", 3)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if limit < 0 || limit > 1<<10 {
			return
		}
		tail, all := proc.NewTail(limit), a+b+a
		for _, w := range []string{a, b, a} {
			_, _ = tail.Write([]byte(w))
		}
		got := tail.String()
		assert.True(t, strings.HasSuffix(all, got))
		assert.LessOrEqual(t, len(got), limit)
		if len(all) <= limit {
			assert.Equal(t, all, got)
		} else {
			assert.Greater(t, len(got), limit-utf8.UTFMax)
		}
	})
}

func TestSafeEnv(t *testing.T) {
	for name, value := range map[string]string{"HOME": "/home/x", "LC_ALL": "C", "ANTHROPIC_API_KEY": "key", "GIT_DIR": "/x",
		"LD_PRELOAD": "/x.so", "PASSED": "on"} {
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
