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

func TestSessions(t *testing.T) {
	talk := func(texts ...string) conversation {
		var c conversation
		for _, s := range texts {
			c = append(c, user(s))
		}
		return c
	}
	var s sessions
	_, known := s.get("x")
	assert.False(t, known)

	id := s.keep("", talk("a"))
	assert.NotEmpty(t, id)
	assert.Equal(t, id, s.keep(id, talk("a", "b")))
	got, known := s.get(id)
	assert.True(t, known)
	assert.Len(t, got, 2)

	assert.Empty(t, s.keep(id, conversation{{size: maxConversation + 1}}), "too long to be kept")
	_, known = s.get(id)
	assert.False(t, known)

	first := s.keep("", talk("first"))
	second := s.keep("", talk("second"))
	s.get(first)
	for range maxSessions - 1 {
		s.keep("", talk("x"))
	}
	_, known = s.get(second)
	assert.False(t, known, "the longest unused is forgotten")
	_, known = s.get(first)
	assert.True(t, known)
	assert.Len(t, s.byID, maxSessions)
	assert.Len(t, s.order, maxSessions)

	for range 2 * maxKept / maxConversation {
		s.keep("", conversation{{size: maxConversation}})
	}
	assert.LessOrEqual(t, s.size, maxKept)
	for _, id := range append([]string{}, s.order...) {
		s.forget(id)
	}
	assert.Zero(t, s.size)
}

func TestReduced(t *testing.T) {
	asks := &reply{calls: []*toolCall{{id: "1"}}}
	says := &reply{}
	says.text.WriteString("said")
	c := conversation{user("task"), assistant(asks), toolResult("1", "a long file"), assistant(says), user("more")}
	r := c.reduced()
	require.Len(t, r, 3, "tools are left out")
	assert.Less(t, r.size(), c.size())
	assert.Len(t, c, 5, "what others hold is not changed")
	rr := append(r, user("a"), user("b")).reduced()
	require.Len(t, rr, 3, "the older half of what followed the task is left out")
	assert.Equal(t, "task", rr[0].OfUser.Content.OfString.Value)
	assert.Equal(t, "b", rr[2].OfUser.Content.OfString.Value)
	for range 5 {
		rr = rr.reduced()
	}
	assert.Len(t, rr, 1, "the task stays")
	assert.Empty(t, conversation(nil).reduced())
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
