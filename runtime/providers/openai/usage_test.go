package openai

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func used(in, out int64, usd ...float64) executor.Usage {
	u := executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out)}
	if len(usd) > 0 {
		u.CostUSD = taxonomy.Some(usd[0])
	}
	return u
}

func TestUsage(t *testing.T) {
	const m = 1_000_000
	const finished, told = `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	nothing, unknown := used(0, 0, 0), executor.Usage{}
	tool := pt.OpenAIMessage{Input: m, Output: m, Calls: []pt.ToolCall{{Name: "list_files"}}}.Reply()
	text := pt.OpenAIMessage{Text: "x", Input: m, Cached: m / 2, Output: m / 4}.Reply()
	soFar := pt.OpenAITruncated("x")
	for i, e := range soFar.Events {
		soFar.Events[i].Data = strings.Replace(e.Data, "{", `{"usage":{"prompt_tokens":1,"completion_tokens":1},`, 1)
	}
	for _, c := range []struct {
		what     string
		replies  []pt.Reply
		want     executor.Usage
		unpriced executor.Usage // without prices
	}{
		{"an answer", []pt.Reply{text}, used(m, m/4, 3.25), used(m, m/4)},
		{"a limit", []pt.Reply{pt.OpenAIRateLimit("1")}, nothing, nothing},
		{"a quota", []pt.Reply{pt.OpenAIQuota()}, nothing, nothing},
		{"a key that is not known", []pt.Reply{pt.OpenAIAuth()}, nothing, nothing},
		{"a prompt that is too long", []pt.Reply{pt.OpenAIContextLength()}, nothing, nothing},
		{"overloaded", []pt.Reply{pt.OpenAIOverloaded()}, nothing, nothing},
		{"a gateway's page", []pt.Reply{pt.GatewayHTML(502)}, nothing, nothing},
		{"no answer", []pt.Reply{pt.Reset()}, unknown, unknown},
		{"broken off", []pt.Reply{pt.OpenAITruncated("x").Ending(pt.EndReset)}, unknown, unknown},
		{"ended too early", []pt.Reply{pt.OpenAITruncated("x")}, unknown, unknown},
		{"ended too early, with what it was so far", []pt.Reply{soFar}, unknown, unknown},
		{"broken off with what it was so far", []pt.Reply{stream(finished, told).Ending(pt.EndReset)}, unknown,
			unknown},
		{"an error in the stream", []pt.Reply{pt.OpenAIStreamError("server_error", "", "no")}, unknown, unknown},
		{"a page that says it succeeded", []pt.Reply{pt.GatewayHTML(200)}, unknown, unknown},
		{"cut off by the limit of tokens",
			[]pt.Reply{pt.OpenAIMessage{Text: "x", FinishReason: "length", Input: m, Output: m}.Reply()},
			used(m, m, 10), used(m, m)},
		{"turns", []pt.Reply{tool, text}, used(2*m, m+m/4, 13.25), used(2*m, m+m/4)},
		{"refused in the second turn", []pt.Reply{tool, pt.OpenAIRateLimit("1")}, used(m, m, 10), used(m, m)},
		{"broken off in the second turn", []pt.Reply{tool, pt.OpenAITruncated("x")}, unknown, unknown},
		{"not told", []pt.Reply{pt.OpenAIMessage{Text: "x", NoUsage: true}.Reply()}, unknown, unknown},
		{"not told in the first turn",
			[]pt.Reply{pt.OpenAIMessage{Calls: []pt.ToolCall{{Name: "list_files"}}, NoUsage: true}.Reply(), text},
			unknown, unknown},
		{"not told in the second turn", []pt.Reply{tool, pt.OpenAIMessage{Text: "x", NoUsage: true}.Reply()}, unknown,
			unknown},
		{"not all is told", []pt.Reply{stream(finished, `{"choices":[],"usage":{"prompt_tokens":7}}`)}, unknown,
			unknown},
		{"numbers that cannot be",
			[]pt.Reply{stream(finished, `{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":1}}`)}, unknown,
			unknown},
		{"more from the cache than there is",
			[]pt.Reply{stream(
				finished,
				`{"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":0,`+
					`"prompt_tokens_details":{"cached_tokens":2000000}}}`)},
			used(m, 0, 0.5), used(m, 0)},
	} {
		t.Run(c.what, func(t *testing.T) {
			for prices, want := range map[*Prices]executor.Usage{
				nil: c.unpriced, {Input: 2, Output: 8, CachedInput: 0.5}: c.want,
			} {
				server, p := served(t, func(o *Options) { o.Prices = prices }, c.replies...)
				answer, _ := p.Call(t.Context(), request(t))
				assert.Zero(t, server.Left())
				assert.Equal(t, want, answer.Usage)
			}
		})
	}
	_, p := served(t, func(o *Options) { o.Prices = &Prices{Input: 2} }, text)
	answer, err := p.Call(t.Context(), request(t))
	require.NoError(t, err)
	assert.Equal(t, taxonomy.Some(2.0), answer.Usage.CostUSD, "cached input at the price of input")
}

func TestUsageOfWhatWasNotAsked(t *testing.T) {
	untrusted := pt.NewTLSServer(pt.OpenAIText("x"))
	t.Cleanup(untrusted.Close)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		what, url string
		ctx       context.Context
		req       executor.Request
	}{
		{"nobody listens", pt.Refused(), t.Context(), executor.Request{Dir: t.TempDir()}},
		{"a certificate that nobody knows", untrusted.URL, t.Context(), executor.Request{Dir: t.TempDir()}},
		{"over before it began", untrusted.URL, ended, executor.Request{Dir: t.TempDir()}},
		{"a conversation that is not known", untrusted.URL, t.Context(),
			executor.Request{Dir: t.TempDir(), Session: "other"}},
		{"a directory that is missing", untrusted.URL, t.Context(), executor.Request{Dir: "missing"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.req.Prompt = "do it"
			answer, err := provider(t, c.url, nil).Call(c.ctx, c.req)
			assert.True(t, err != nil || answer.Failure != "")
			assert.Equal(t, used(0, 0, 0), answer.Usage)
		})
	}
	assert.Zero(t, untrusted.Count())
}

func TestUsageOfACancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, p := served(t, func(o *Options) {
		o.Prices = &Prices{Input: 1, Output: 1}
		o.Client.Transport = &tracing{next: o.Client.Transport, sent: true, end: cancel}
	}, pt.Hang())
	answer, err := p.Call(ctx, request(t))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, executor.Usage{}, answer.Usage, "it may have been worked on")
}
