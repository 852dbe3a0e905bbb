package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/errgen/errgen/runtime/providers/internal/chat"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Prices are what tokens cost, in US dollars for a million. The service does not say what a request
// cost, so that without prices the cost of an answer is unknown, which is not zero.
type Prices struct {
	Input  float64
	Output float64
	// CacheWrite and CacheRead are for input that the service keeps, and has kept; 0 is the price
	// of Input.
	CacheWrite float64
	CacheRead  float64
}

// usage is what the service says that a request used: totals, which later events correct.
type usage struct {
	tokens                  chat.Tokens
	inputTold, outputIsLast bool
}

// start takes what the service says as a message begins. Its output is that of the beginning.
func (u *usage) start(from *sdk.Usage) {
	u.inputTold = from.JSON.InputTokens.Valid()
	u.tokens = chat.Tokens{
		Input: from.InputTokens, CacheWrite: from.CacheCreationInputTokens, CacheRead: from.CacheReadInputTokens,
		Output: from.OutputTokens,
	}
}

func (u *usage) update(from *sdk.MessageDeltaUsage) {
	if from.JSON.OutputTokens.Valid() {
		u.tokens.Output, u.outputIsLast = from.OutputTokens, true
	}
	if from.JSON.InputTokens.Valid() {
		u.tokens.Input, u.inputTold = from.InputTokens, true
	}
	if from.JSON.CacheCreationInputTokens.Valid() {
		u.tokens.CacheWrite = from.CacheCreationInputTokens
	}
	if from.JSON.CacheReadInputTokens.Valid() {
		u.tokens.CacheRead = from.CacheReadInputTokens
	}
}

// used returns what the request used, absent if the message is not whole or the service did not say
// all of it.
func (r *reply) used() taxonomy.Opt[chat.Tokens] {
	if !r.whole || !r.usage.inputTold || !r.usage.outputIsLast {
		return taxonomy.Opt[chat.Tokens]{}
	}
	return taxonomy.Some(r.usage.tokens)
}

// cost returns what tokens cost; absent without prices.
func (p *Prices) cost(t chat.Tokens) taxonomy.Opt[float64] {
	if p == nil {
		return taxonomy.Opt[float64]{}
	}
	const million = 1e6
	price := func(tokens int64, price float64) float64 {
		if price == 0 {
			price = p.Input
		}
		return float64(tokens) * price / million
	}
	return taxonomy.Some(
		price(t.Input, p.Input) + price(t.CacheWrite, p.CacheWrite) + price(t.CacheRead, p.CacheRead) + float64(
			t.Output)*p.Output/million)
}
