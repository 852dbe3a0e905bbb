package openai

import (
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		want   []string
	}{
		{[]string{"I rea", "d it\nand wr", "ite\n\n", "last"}, []string{"I read it", "and write", "last"}},
		{[]string{"\n \n"}, nil},
		{[]string{strings.Repeat("x", maxLine+5), "y\nz"}, []string{strings.Repeat("x", maxLine), "z"}},
		{[]string{strings.Repeat("x", maxLine-1), "é"}, []string{strings.Repeat("x", maxLine-1)}},
	} {
		var got []string
		l := lines{tell: func(line string) { got = append(got, line) }}
		for _, p := range c.pieces {
			l.add(p)
		}
		l.flush()
		assert.Equal(t, c.want, got)
	}
}

func usageOf(input, cached, output int64) *sdk.CompletionUsage {
	u := &sdk.CompletionUsage{PromptTokens: input, CompletionTokens: output}
	u.PromptTokensDetails.CachedTokens = cached
	return u
}

func TestUsage(t *testing.T) {
	prices := &Prices{Input: 2, Output: 8, CachedInput: 0.5}
	for _, c := range []struct {
		what   string
		of     []*sdk.CompletionUsage
		prices *Prices
		want   executor.Usage
	}{
		{"nothing was asked", nil, prices, executor.Usage{}},
		{"the server did not say", []*sdk.CompletionUsage{nil}, prices, executor.Usage{}},
		{"no prices", []*sdk.CompletionUsage{usageOf(10, 0, 5)}, nil, executor.Usage{InputTokens: taxonomy.Some[int64](10), OutputTokens: taxonomy.Some[int64](5)}},
		{"all together", []*sdk.CompletionUsage{usageOf(1_000_000, 500_000, 250_000), usageOf(0, 0, 250_000)}, prices,
			executor.Usage{InputTokens: taxonomy.Some[int64](1_000_000), OutputTokens: taxonomy.Some[int64](500_000), CostUSD: taxonomy.Some(5.25)}},
		{"cached input at the price of input", []*sdk.CompletionUsage{usageOf(1_000_000, 500_000, 0)}, &Prices{Input: 2},
			executor.Usage{InputTokens: taxonomy.Some[int64](1_000_000), OutputTokens: taxonomy.Some[int64](0), CostUSD: taxonomy.Some(2.0)}},
		{"a cost that is not known wholly is not known", []*sdk.CompletionUsage{usageOf(10, 0, 5), nil}, prices,
			executor.Usage{InputTokens: taxonomy.Some[int64](10), OutputTokens: taxonomy.Some[int64](5)}},
		{"numbers that cannot be", []*sdk.CompletionUsage{usageOf(-5, 10, -1)}, prices,
			executor.Usage{InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0), CostUSD: taxonomy.Some(0.0)}},
	} {
		var tokens tokens
		for _, u := range c.of {
			tokens.add(u)
		}
		assert.Equal(t, c.want, tokens.usage(c.prices), c.what)
	}
}

func TestReducedHasNoTools(t *testing.T) {
	asks := &reply{calls: []*toolCall{{id: "1"}}}
	says := &reply{}
	says.text.WriteString("said")
	c := conversation{user("task"), assistant(asks), toolResult("1", "a long file"), assistant(says), user("more")}
	r := c.Reduced()
	require.Len(t, r, 3)
	assert.Equal(t, "task", r[0].Param.OfUser.Content.OfString.Value)
	assert.Equal(t, "said", r[1].Param.OfAssistant.Content.OfString.Value)
	assert.Equal(t, "more", r[2].Param.OfUser.Content.OfString.Value)
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	const key = "sk-secret\nsecret"
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "no model is named"},
		{Options{Model: "m", BaseURL: "localhost:1"}, "must begin with https://"},
		{Options{Model: "m", BaseURL: "https://user:secret@host/v1"}, "neither user, query nor fragment"},
		{Options{Model: "m", BaseURL: "https://host/v1?key=secret"}, "neither user, query nor fragment"},
		{Options{Model: "m", BaseURL: "https://ho st:secret"}, "cannot be read"},
		{Options{Model: "m", MaxTokens: -1}, "a limit of -1 tokens"},
		{Options{Model: "m", Key: key}, "characters that no key has"},
	} {
		_, err := New(c.options)
		require.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, "provider openai-api: ")
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestCredentialIsNotTheKey(t *testing.T) {
	credential := func(o Options) string {
		o.Model = "m"
		p, err := New(o)
		require.NoError(t, err)
		return p.Credential()
	}
	a := credential(Options{Key: "sk-0123456789"})
	assert.NotContains(t, a, "0123456789")
	assert.Equal(t, a, credential(Options{Key: "sk-0123456789"}))
	assert.NotEqual(t, a, credential(Options{Key: "sk-9876543210"}))
	assert.NotEqual(t, a, credential(Options{Key: "sk-0123456789", BaseURL: "https://example.com"}))
	assert.Equal(t, "team", credential(Options{Key: "sk-0123456789", Credential: "team"}))
}
