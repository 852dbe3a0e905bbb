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
	}{
		{``, ""},
		{`ab`, ""},
		{`abc`, "abc"},
		{`(?i)abc`, "abc/i"},
		{`(?i)ABC`, "abc/i"},
		{`(?i)503`, "503"},
		{`(?i)\brate.?limit`, "limit/i"},
		{`rate[ _-]?limit`, "ratelimit|rate limit|rate-limit|rate_limit"},
		{`read \d+ bytes`, " bytes"},
		{`read \d{1,3} bytes`, " bytes"},
		{`\d+`, ""},
		{`\d{3}`, ""},
		{`[45]\d\d error`, " error"},
		{`foo|barbaz`, "foo|barbaz"},
		{`foo|ba`, ""},
		{`(foo|bar)+`, "foo|bar"},
		{`(foo)?`, ""},
		{`(foo)?bar`, "bar"},
		{`(foo)*barn`, "barn"},
		{`x*`, ""},
		{`(?:\b)*quota`, "quota"},
		{`connection (refused|reset)`, "connection refused|connection reset"},
		{`Connection (?i:refused)`, "connection refused/i"},
		{`^fatal: .*$`, "fatal: "},
		{`(?s)a.b.c`, ""},
		{`a{3}`, "aaa"},
		{`a{3,}`, "aaa"},
		{`a{2,4}bc`, ""},
		{`(ab){0,2}`, ""},
		{`a{600}`, "aaaaaaaaaaaaaaaa"},
		{`[^\x00-\x{10FFFF}]|gone`, ""},
		{`é.tat`, "tat"},
		{`(?i)étage`, "tage/i"},
		{`(?i)task`, "task/i"},
		{"bad \uFFFD byte", " byte"},
		{`[Ss][Kk]ip`, "SKip|Skip|sKip|skip"},
		{`(?i)[ks]ip`, "kip/i|sip/i|ſip/i|\u212aip/i"},
		{`日本語`, "日本語"},
		{`(?i)日本語`, "日本語"},
		{`(timeout|timed out)`, "timeout|timed out"},
		{`abc|xabcx`, "abc"},
		{strings.Repeat("0123456789", 5), "01234567890123456789012345678901"},
		{`[0-9a-f]{40}`, ""},
		{`\x{D800}`, ""},
	} {
		t.Run(tt.expr, func(t *testing.T) {
			p, err := prefilter.Pattern(tt.expr)
			require.NoError(t, err)
			assert.Equal(t, tt.expr, p.Expr)
			assert.Equal(t, tt.literals, show(p.Literals))
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
	}{
		{"", ""},
		{"ok", ""},
		{"Usage limit", "usage limit/i"},
		{"a.b", "a.b/i"},
		{"...", "..."},
		{"größe", ""},
		{"größte", ""},
		{"\xff\xfe\xfd", ""},
	} {
		p := prefilter.PlainPattern(tt.text)
		assert.Equal(t, [2]string{"", tt.text}, [2]string{p.Expr, p.Plain})
		assert.Equal(t, tt.literals, show(p.Literals), tt.text)
	}
}

// A reference in an expression is the lead, wherever the pattern is.
func TestPackedLeads(t *testing.T) {
	assert.Equal(t, []string{"a(?3)x(?3)", "x(?3)", "zz"}, prefilter.PackLeads([]string{"azzxzz", "xzz", "zz"}))
	packed := prefilter.Pack([]detect.Pattern{
		{Expr: "bzz", Literals: []detect.Literal{{Text: "bzz", Fold: true}, {Text: "y"}}},
		{Plain: "c.", Lead: 2},
	}, []string{"a", "zz"})
	assert.Equal(t, "0 b(?2)\t~bzz\t=y\t\t2 (?i)c\\.", string(packed))
	assert.Empty(t, prefilter.Pack(nil, nil))
}
