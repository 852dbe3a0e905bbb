package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Prices are what tokens cost, in US dollars for a million. The service does not say what a request cost, so that without
// prices the cost is unknown, which is not zero.
type Prices struct {
	Input  float64
	Output float64
	// CacheWrite and CacheRead are for input that the service keeps, and has kept; 0 is the price of Input.
	CacheWrite float64
	CacheRead  float64
}

// usage is what the service says that a request used: totals, which later events correct.
type usage struct {
	input, cacheWrite, cacheRead, output int64
	told                                 bool
}

func (u *usage) start(from *sdk.Usage) {
	u.told = from.JSON.InputTokens.Valid() || from.JSON.OutputTokens.Valid()
	u.input, u.output = from.InputTokens, from.OutputTokens
	u.cacheWrite, u.cacheRead = from.CacheCreationInputTokens, from.CacheReadInputTokens
}

func (u *usage) update(from *sdk.MessageDeltaUsage) {
	if from.JSON.OutputTokens.Valid() {
		u.output, u.told = from.OutputTokens, true
	}
	if from.JSON.InputTokens.Valid() {
		u.input = from.InputTokens
	}
	if from.JSON.CacheCreationInputTokens.Valid() {
		u.cacheWrite = from.CacheCreationInputTokens
	}
	if from.JSON.CacheReadInputTokens.Valid() {
		u.cacheRead = from.CacheReadInputTokens
	}
}

// tokens adds up what the requests of a call used.
type tokens struct {
	usage
	// vague reports that a request did not say all that it used, so that the cost is unknown.
	vague bool
}

// add adds what a request used that got an answer, whole or not.
func (t *tokens) add(u usage, whole bool) {
	t.vague = t.vague || !whole || !u.told
	t.told = t.told || u.told
	t.input += max(u.input, 0)
	t.cacheWrite += max(u.cacheWrite, 0)
	t.cacheRead += max(u.cacheRead, 0)
	t.output += max(u.output, 0)
}

// usageOf returns what the call used, and cost. Input counts what was read from a cache or written to one, too.
func (t *tokens) usageOf(p *Prices) executor.Usage {
	if !t.told {
		return executor.Usage{}
	}
	u := executor.Usage{
		InputTokens:  taxonomy.Some(t.input + t.cacheWrite + t.cacheRead),
		OutputTokens: taxonomy.Some(t.output),
	}
	if p != nil && !t.vague {
		u.CostUSD = taxonomy.Some(p.cost(&t.usage))
	}
	return u
}

func (p *Prices) cost(u *usage) float64 {
	const million = 1e6
	price := func(tokens int64, price float64) float64 {
		if price == 0 {
			price = p.Input
		}
		return float64(tokens) * price / million
	}
	return price(u.input, p.Input) + price(u.cacheWrite, p.CacheWrite) + price(u.cacheRead, p.CacheRead) + float64(u.output)*p.Output/million
}
