package prefilter_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/prefilter"
)

// holds fails the test where a match of expr in text has none of its literals.
func holds(t *testing.T, expr, text string) {
	re, err := regexp.Compile(expr)
	if err != nil || len(expr) > 1000 || len(text) > 4096 {
		return
	}
	pattern, err := prefilter.Pattern(expr)
	require.NoError(t, err)
	if strings.ContainsAny(text, "\u017f\u212a") {
		return
	}
	for _, longest := range []bool{false, true} {
		if longest {
			re.Longest()
		}
		for _, at := range re.FindAllStringIndex(text, -1) {
			match := text[at[0]:at[1]]
			found := len(pattern.Literals) == 0
			for _, l := range pattern.Literals {
				require.GreaterOrEqual(t, len(l.Text), prefilter.MinLiteral)
				found = found || strings.Contains(match, l.Text) || l.Fold && strings.Contains(lower(match), l.Text)
			}
			require.True(t, found, "%q matches %q, which has none of %s", expr, match, show(pattern.Literals))
		}
	}
}

// lower folds ASCII, byte by byte.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []struct{ expr, text string }{
		{`(?i)\brate.?limit`, "Rate Limit, rate-limited"},
		{`(foo|ba[rz]+)?x{2,3}(?i:sk)`, "foobarzxxSK barxxxſK"},
		{`(?i)straße|ÉTAT`, "STRAẞE état"},
		{"\uFFFDabc", "\xffabc"},
		{`[^a]bc`, "\xf0\x9f\x98\x80bc"},
		{`(?:(?:a|b)c){2,3}d?`, "acbcacd"},
	} {
		f.Add(seed.expr, seed.text)
	}
	f.Fuzz(holds)
}

func FuzzPlain(f *testing.F) {
	f.Add("Usage limit", "USAGE LIMIT reached")
	f.Add("größe", "GRÖẞE")
	f.Fuzz(func(t *testing.T, plain, text string) {
		holds(t, "(?i)"+regexp.QuoteMeta(plain), text)
		holds(t, "(?i)"+regexp.QuoteMeta(plain), strings.ToUpper(plain)+text)
	})
}

// Random expressions with a text that each of them matches.
func TestPatternOfRandomExpressions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		expr, match := random(rnd, 4)
		re, err := regexp.Compile(expr)
		require.NoError(t, err, expr)
		require.True(t, re.MatchString(match), "%q does not match %q", expr, match)
		holds(t, expr, match)
		holds(t, expr, "rate LIMIT "+match+match+" Timed out")
	}
}

var (
	words   = []string{"rate", "Limit", " ", "timed out", "a", "é", "日本", "42", "k", "S", "-", "\uFFFD"}
	classes = []struct{ expr, match string }{{"[ab]", "b"}, {"[-_ ]", "-"}, {".", "\xff"}, {`\d`, "7"}, {"[Ss]", "S"},
		{`[^\n]`, "日"}, {`(?i:[ks])`, "K"}}
)

func random(rnd *rand.Rand, depth int) (expr, match string) {
	kind := rnd.IntN(9)
	if depth == 0 {
		kind = rnd.IntN(3)
	}
	switch kind {
	case 0, 1:
		w := words[rnd.IntN(len(words))]
		return regexp.QuoteMeta(w), w
	case 2:
		class := classes[rnd.IntN(len(classes))]
		return class.expr, class.match
	}
	expr, match = random(rnd, depth-1)
	more, moreMatch := random(rnd, depth-1)
	switch kind {
	case 3:
		return "(?:" + expr + "|" + more + ")", moreMatch
	case 4:
		return "(?i:" + expr + ")" + more, strings.ToUpper(match) + moreMatch
	case 5:
		return "(?:" + expr + ")?" + more, moreMatch
	case 6:
		return "(?:" + expr + "){1,3}" + more, match + match + moreMatch
	case 7:
		return "(" + expr + ")+" + more, match + match + moreMatch
	}
	return expr + more, match + moreMatch
}
