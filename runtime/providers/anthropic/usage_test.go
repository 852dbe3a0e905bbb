package anthropic_test

import (
	"context"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// without returns the reply with words of its events taken out.
func without(r providertest.Reply, words ...string) providertest.Reply {
	events := make([]providertest.Event, len(r.Events))
	for i, e := range r.Events {
		for _, w := range words {
			e.Data = strings.ReplaceAll(e.Data, w, `"nothing":`)
		}
		events[i] = e
	}
	r.Events = events
	return r
}

func used(in, out int64, usd ...float64) executor.Usage {
	u := executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out)}
	if len(usd) > 0 {
		u.CostUSD = taxonomy.Some(usd[0])
	}
	return u
}

func TestUsage(t *testing.T) {
	nothing, unknown := used(0, 0, 0), executor.Usage{}
	tool := providertest.AnthropicMessage{Input: 100, Output: 10,
		Calls: []providertest.ToolCall{{Name: "list_files"}}}.Reply()
	told := providertest.AnthropicMessage{Text: "x", Input: 200, Output: 20}.Reply()
	for _, c := range []struct {
		what     string
		replies  []providertest.Reply
		want     executor.Usage
		unpriced executor.Usage // without prices
	}{
		{"cache",
			[]providertest.Reply{providertest.AnthropicMessage{Text: "x", Input: 10, Output: 20, CacheRead: 1000,
				CacheWrite: 100}.Reply()},
			used(1110, 20, (10*3+100*3.75+1000*0.3+20*15)/1e6), used(1110, 20)},
		{"a limit", []providertest.Reply{providertest.AnthropicRateLimit("1")}, nothing, nothing},
		{"overloaded", []providertest.Reply{providertest.AnthropicOverloaded()}, nothing, nothing},
		{"a key that is not known", []providertest.Reply{providertest.AnthropicAuth()}, nothing, nothing},
		{"a prompt that is too long", []providertest.Reply{providertest.AnthropicContextLength()}, nothing, nothing},
		{"no answer", []providertest.Reply{providertest.Reset()}, unknown, unknown},
		{"broken off", []providertest.Reply{providertest.AnthropicTruncated("x")}, unknown, unknown},
		{"an error in the stream",
			[]providertest.Reply{providertest.AnthropicStreamError("overloaded_error", "Overloaded")}, unknown,
			unknown},
		{"a page that says it succeeded", []providertest.Reply{providertest.GatewayHTML(200)}, unknown, unknown},
		{"cut off by the limit of tokens",
			[]providertest.Reply{providertest.AnthropicMessage{Text: "x", StopReason: "max_tokens", Input: 200,
				Output: 20}.Reply()},
			used(200, 20, (200*3+20*15)/1e6), used(200, 20)},
		{"turns", []providertest.Reply{tool, told}, used(300, 30, (300*3+30*15)/1e6), used(300, 30)},
		{"refused in the second turn", []providertest.Reply{tool, providertest.AnthropicRateLimit("1")},
			used(100, 10, (100*3+10*15)/1e6), used(100, 10)},
		{"broken off in the second turn", []providertest.Reply{tool, providertest.AnthropicTruncated("x")}, unknown,
			unknown},
		{"not told", []providertest.Reply{without(told, `"usage":`)}, unknown, unknown},
		{"not told in the first turn", []providertest.Reply{without(tool, `"usage":`), told}, unknown, unknown},
		{"not told in the second turn", []providertest.Reply{tool, without(told, `"usage":`)}, unknown, unknown},
		{"input is not told", []providertest.Reply{without(told, `"input_tokens":`)}, unknown, unknown},
		{"only how it began", []providertest.Reply{without(told, `"usage":{"output_tokens":`)}, unknown, unknown},
	} {
		t.Run(c.what, func(t *testing.T) {
			for prices, want := range map[*anthropic.Prices]executor.Usage{
				nil: c.unpriced, {Input: 3, Output: 15, CacheWrite: 3.75, CacheRead: 0.3}: c.want,
			} {
				server := serve(t, c.replies...)
				p := provider(t, server.URL, func(o *anthropic.Options) { o.Prices = prices })
				answer, _ := p.Call(t.Context(), executor.Request{Prompt: "do it", Dir: t.TempDir()})
				assert.Zero(t, server.Left())
				same(t, want, answer.Usage)
			}
		})
	}
}

// same compares costs as far as sums of fractions can be.
func same(t *testing.T, want, got executor.Usage) {
	t.Helper()
	assert.Equal(t, want.CostUSD.IsZero(), got.CostUSD.IsZero(), "whether the cost is known")
	assert.InDelta(t, want.CostUSD.Or(0), got.CostUSD.Or(0), 1e-12)
	want.CostUSD, got.CostUSD = taxonomy.Opt[float64]{}, taxonomy.Opt[float64]{}
	assert.Equal(t, want, got)
}

func TestUsageOfWhatWasNotAsked(t *testing.T) {
	untrusted := providertest.NewTLSServer(providertest.AnthropicText("x"))
	t.Cleanup(untrusted.Close)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		what, url string
		ctx       context.Context
		req       executor.Request
	}{
		{"nobody listens", providertest.Refused(), t.Context(), executor.Request{Dir: t.TempDir()}},
		{"a certificate that nobody knows", untrusted.URL, t.Context(), executor.Request{Dir: t.TempDir()}},
		{"over before it began", untrusted.URL, ended, executor.Request{Dir: t.TempDir()}},
		{"a conversation that is not known", untrusted.URL, t.Context(),
			executor.Request{Dir: t.TempDir(), Session: "other"}},
		{"a directory that is missing", untrusted.URL, t.Context(), executor.Request{Dir: "missing"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.req.Prompt = "do it"
			answer, err := provider(t, c.url).Call(c.ctx, c.req)
			assert.True(t, err != nil || answer.Failure != "")
			assert.Equal(t, used(0, 0, 0), answer.Usage)
		})
	}
	assert.Zero(t, untrusted.Count())
}

func TestUsageOfACancelledCall(t *testing.T) {
	server := serve(t, providertest.Hang())
	ctx, cancel := context.WithCancel(t.Context())
	sent := httptrace.WithClientTrace(
		ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }})
	p := provider(t, server.URL, func(o *anthropic.Options) { o.Prices = &anthropic.Prices{Input: 1, Output: 1} })
	answer, err := p.Call(sent, executor.Request{Prompt: "do it", Dir: t.TempDir()})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, executor.Usage{}, answer.Usage, "it may have been worked on")
}
