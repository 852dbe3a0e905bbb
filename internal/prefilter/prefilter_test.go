package prefilter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/prefilter"
	"github.com/errgen/errgen/runtime/detect"
)

// show writes literals as a list; those that fold end in /i.
func show(literals []detect.Literal) string {
	var out []string
	for _, l := range literals {
		if l.Fold {
			l.Text += "/i"
		}
		out = append(out, l.Text)
	}
	return strings.Join(out, "|")
}

func TestPattern(t *testing.T) {
	for _, tt := range []struct {
		expr     string
		literals string
		reach    int
	}{
		{``, "", 0},
		{`ab`, "", 2},
		{`abc`, "abc", 3},
		{`(?i)abc`, "abc/i", 3},
		{`(?i)ABC`, "abc/i", 3},
		{`(?i)503`, "503", 3},
		{`(?i)\brate.?limit`, "limit/i", 13},
		{`rate[ _-]?limit`, "ratelimit|rate limit|rate-limit|rate_limit", 10},
		{`read \d+ bytes`, " bytes", 0},
		{`read \d{1,3} bytes`, " bytes", 14},
		{`\d+`, "", 0},
		{`\d{3}`, "", 3},
		{`[45]\d\d error`, " error", 9},
		{`foo|barbaz`, "foo|barbaz", 6},
		{`foo|ba`, "", 3},
		{`(foo|bar)+`, "foo|bar", 0},
		{`(foo)?`, "", 3},
		{`(foo)?bar`, "bar", 6},
		{`(foo)*barn`, "barn", 0},
		{`x*`, "", 0},
		{`(?:\b)*quota`, "quota", 5},
		{`connection (refused|reset)`, "connection refused|connection reset", 18},
		{`Connection (?i:refused)`, "connection refused/i", 19},
		{`^fatal: .*$`, "fatal: ", 0},
		{`(?s)a.b.c`, "", 11},
		{`a{3}`, "aaa", 3},
		{`a{3,}`, "aaa", 0},
		{`a{2,4}bc`, "", 6},
		{`(ab){0,2}`, "", 4},
		{`a{600}`, "aaaaaaaaaaaaaaaa", 0},
		{`[^\x00-\x{10FFFF}]|gone`, "", 4},
		{`é.tat`, "tat", 9},
		{`(?i)étage`, "tage/i", 6},
		{`(?i)task`, "task/i", 7},
		{"bad \uFFFD byte", " byte", 12},
		{`[Ss][Kk]ip`, "SKip|Skip|sKip|skip", 4},
		{`(?i)[ks]ip`, "kip/i|sip/i|ſip/i|\u212aip/i", 5},
		{`日本語`, "日本語", 9},
		{`(?i)日本語`, "日本語", 9},
		{`(timeout|timed out)`, "timeout|timed out", 9},
		{`abc|xabcx`, "abc", 5},
		{strings.Repeat("0123456789", 5), "01234567890123456789012345678901", 50},
		{`[0-9a-f]{40}`, "", 40},
		{`\x{D800}`, "", 3},
		{`.{512}`, "", 0},
		{`.{128}`, "", 512},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			p, err := prefilter.Pattern(tt.expr)
			require.NoError(t, err)
			assert.Equal(t, tt.expr, p.Expr)
			assert.Equal(t, tt.literals, show(p.Literals))
			assert.Equal(t, tt.reach, p.Reach)
		})
	}
}

func TestPatternDoesNotCompile(t *testing.T) {
	_, err := prefilter.Pattern(`a(`)
	assert.ErrorContains(t, err, "missing closing )")
}

func TestPlainPattern(t *testing.T) {
	for _, tt := range []struct {
		text, literals string
		reach          int
	}{
		{"", "", 0},
		{"ok", "", 4},
		{"Usage limit", "usage limit/i", 12},
		{"a.b", "a.b/i", 3},
		{"...", "...", 3},
		{"größe", "", 8},
		{"größte", "", 9},
		{"\xff\xfe\xfd", "", 0},
	} {
		p := prefilter.PlainPattern(tt.text)
		assert.Equal(t, [2]string{"", tt.text}, [2]string{p.Expr, p.Plain})
		assert.Equal(t, tt.literals, show(p.Literals), tt.text)
		assert.Equal(t, tt.reach, p.Reach, tt.text)
	}
}
