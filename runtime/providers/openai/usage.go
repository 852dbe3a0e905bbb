package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/errgen/errgen/runtime/providers/internal/chat"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Prices are what tokens cost, in US dollars for a million. The server does not say what a request
// cost, so that without prices the cost of an answer is unknown, which is not zero.
type Prices struct {
	Input  float64
	Output float64
	// CachedInput is for input that the server had read before; 0 is the price of Input.
	CachedInput float64
}

// tokensOf returns what a server says that a request used, absent if it does not say all of it.
func tokensOf(u *sdk.CompletionUsage) taxonomy.Opt[chat.Tokens] {
	if !u.JSON.PromptTokens.Valid() || !u.JSON.CompletionTokens.Valid() {
		return taxonomy.Opt[chat.Tokens]{}
	}
	cached := max(0, min(u.PromptTokensDetails.CachedTokens, u.PromptTokens))
	return taxonomy.Some(chat.Tokens{Input: u.PromptTokens - cached, CacheRead: cached, Output: u.CompletionTokens})
}

// used returns what the request used, absent if the server did not say it or the stream is not
// whole: some servers say with each event what it was so far.
func (r *reply) used() taxonomy.Opt[chat.Tokens] {
	if !r.whole || r.finish == "" {
		return taxonomy.Opt[chat.Tokens]{}
	}
	return r.usage
}

// cost returns what tokens cost; absent without prices.
func (p *Prices) cost(t chat.Tokens) taxonomy.Opt[float64] {
	if p == nil {
		return taxonomy.Opt[float64]{}
	}
	cached := p.CachedInput
	if cached == 0 {
		cached = p.Input
	}
	const million = 1e6
	return taxonomy.Some(
		(float64(t.Input)*p.Input + float64(t.CacheRead)*cached + float64(t.Output)*p.Output) / million)
}
