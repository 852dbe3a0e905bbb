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

func TestAnalyse(t *testing.T) {
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
		{`connection (refused|reset)`, "connection ", 18},
		{`Connection (?i:refused)`, "Connection ", 19},
		{`^fatal: .*$`, "fatal: ", 0},
		{`(?s)a.b.c`, "", 11},
		{`a{3}`, "aaa", 3},
		{`a{3,}`, "aaa", 0},
		{`a{2,4}bc`, "aabc", 6},
		{`(ab){0,2}`, "", 4},
		{`a{600}`, "aaaaaaaaaaaaaaaa", 0},
		{`[^\x00-\x{10FFFF}]|gone`, "gone", 4},
		{`é.tat`, "tat", 9},
		{`(?i)étage`, "Étage/i|étage/i", 6},
		{`(?i)task`, "task/i", 7},
		{"bad \uFFFD byte", " byte", 12},
		{`[Ss][Kk]ip`, "skip/i", 4},
		{`(?i)[ks]ip`, "kip/i|sip/i", 5},
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
			literals, reach, err := prefilter.Analyse(tt.expr)
			require.NoError(t, err)
			assert.Equal(t, tt.literals, show(literals))
			assert.Equal(t, tt.reach, reach)
		})
	}
}

func TestAnalyseOfNoExpression(t *testing.T) {
	_, _, err := prefilter.Analyse(`a(`)
	assert.ErrorContains(t, err, "missing closing )")
	_, err = prefilter.Pattern(`a(`)
	assert.Error(t, err)
}

func TestPatterns(t *testing.T) {
	p, err := prefilter.Pattern(`^quota`)
	require.NoError(t, err)
	assert.Equal(t, detect.Pattern{Expr: `^quota`, Literals: []detect.Literal{{Text: "quota"}}, Reach: 5}, p)
	assert.Equal(t,
		detect.Pattern{Plain: "No. [1]", Literals: []detect.Literal{{Text: "no. [1]", Fold: true}}, Reach: 7},
		prefilter.PlainPattern("No. [1]"))
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"ok", ""},
		{"Usage limit", "usage limit/i"},
		{"a.b", "a.b/i"},
		{"...", "..."},
		{"größe", "grÖße/i|grÖẞe/i|größe/i|gröẞe/i"},
		{"\xff\xfe\xfd", ""},
	} {
		assert.Equal(t, tt.want, show(prefilter.Plain(tt.text)), tt.text)
	}
}
