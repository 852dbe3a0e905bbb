package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Prices are what tokens cost, in US dollars for a million. The server does not say what a request cost, so that without
// prices the cost is unknown, which is not zero.
type Prices struct {
	Input  float64
	Output float64
	// CachedInput is for input that the server had read before; 0 is the price of Input.
	CachedInput float64
}

// tokens adds up what the requests of a call used.
type tokens struct {
	input, cached, output int64
	// known counts the requests that said what they used, asked all that got an answer.
	known, asked int
}

func (t *tokens) add(u *sdk.CompletionUsage) {
	t.asked++
	if u == nil {
		return
	}
	t.known++
	t.input += max(u.PromptTokens, 0)
	t.output += max(u.CompletionTokens, 0)
	t.cached += min(max(u.PromptTokensDetails.CachedTokens, 0), max(u.PromptTokens, 0))
}

// usage returns what the call used. Tokens that no request told are absent; the cost is, as soon as one did not.
func (t *tokens) usage(p *Prices) executor.Usage {
	if t.known == 0 {
		return executor.Usage{}
	}
	u := executor.Usage{InputTokens: taxonomy.Some(t.input), OutputTokens: taxonomy.Some(t.output)}
	if p != nil && t.known == t.asked {
		u.CostUSD = taxonomy.Some(p.cost(t))
	}
	return u
}

func (p *Prices) cost(t *tokens) float64 {
	cached := p.CachedInput
	if cached == 0 {
		cached = p.Input
	}
	const million = 1e6
	return (float64(t.input-t.cached)*p.Input + float64(t.cached)*cached + float64(t.output)*p.Output) / million
}
