package providers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// without returns the reply with texts of its body removed.
func without(r pt.Reply, texts ...string) pt.Reply {
	for _, s := range texts {
		r.Body = strings.ReplaceAll(r.Body, s, `"nothing":`)
	}
	return r
}

// An unknown cost is not zero: a call whose cost is not known in full has none.
func TestUsage(t *testing.T) {
	unknown := executor.Usage{}
	type row struct {
		what   string
		script script
		want   executor.Usage
	}
	for _, provider := range apis {
		call := pt.ToolCall{Name: "list_files"}
		asks := http200(pt.AnthropicMessage{Input: 100, Output: 10, Calls: []pt.ToolCall{call}}.Reply())
		says := http200(pt.AnthropicMessage{Text: "x", Input: 200, Output: 20}.Reply())
		cached := http200(pt.AnthropicMessage{Text: "x", Input: 10, Output: 20, CacheRead: 1000,
			CacheWrite: 100}.Reply())
		inCache := used(1110, 20, (10*3+100*3.75+1000*0.3+20*15)/1e6)
		long := http200(pt.AnthropicMessage{Text: "x", StopReason: "max_tokens", Input: 200, Output: 20}.Reply())
		silent := http200(without(says.replies[0], `"usage":`))
		partly := http200(without(says.replies[0], `"usage":{"output_tokens":`))
		negative := http200(without(says.replies[0], `"input_tokens":200`))
		failed := fixture(provider, "truncated")
		inStream := "stream_overloaded"
		if provider == openaiAPI {
			asks = http200(pt.OpenAIMessage{Input: 100, Output: 10, Calls: []pt.ToolCall{call}}.Reply())
			says = http200(pt.OpenAIMessage{Text: "x", Input: 200, Output: 20}.Reply())
			cached = http200(pt.OpenAIMessage{Text: "x", Input: 1010, Output: 20, Cached: 1000}.Reply())
			inCache = used(1010, 20, (10*3+1000*0.3+20*15)/1e6)
			long = http200(pt.OpenAIMessage{Text: "x", FinishReason: "length", Input: 200, Output: 20}.Reply())
			silent = http200(pt.OpenAIMessage{Text: "x", NoUsage: true}.Reply())
			const finished = `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`
			partly = http200(pt.Stream(finished, `{"choices":[],"usage":{"prompt_tokens":7}}`))
			negative = http200(pt.Stream(finished, `{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":1}}`))
			inStream = "stream_server_error"
			// Some servers send the usage so far with each event.
			failed.replies[0].Body = strings.ReplaceAll(failed.replies[0].Body, "data: {",
				`data: {"usage":{"prompt_tokens":1,"completion_tokens":1},`)
		}
		for _, c := range []row{
			{"an answer", says, used(200, 20, (200*3+20*15)/1e6)},
			{"a cache", cached, inCache},
			{"two turns", asks.then(says), used(300, 30, (300*3+30*15)/1e6)},
			{"a limit", fixture(provider, "rate_limit"), used(0, 0, 0)},
			{"a wrong key", fixture(provider, "auth"), used(0, 0, 0)},
			{"a long prompt", fixture(provider, "context_length"), used(0, 0, 0)},
			{"a gateway", http200(pt.Fixture("gateway/bad_gateway")), used(0, 0, 0)},
			{"the limit of tokens", long, used(200, 20, (200*3+20*15)/1e6)},
			{"a limit in the second turn", asks.then(fixture(provider, "rate_limit")),
				used(100, 10, (100*3+10*15)/1e6)},
			{"no response", http200(pt.Reset()), unknown},
			{"a truncated stream", failed, unknown},
			{"a failure in the stream", fixture(provider, inStream), unknown},
			{"a page with status 200", http200(pt.Fixture("gateway/page")), unknown},
			{"a truncated stream in the second turn", asks.then(failed), unknown},
			{"a silent server", silent, unknown},
			{"a silent server in the second turn", asks.then(silent), unknown},
			{"part of the usage", partly, unknown},
			{"an impossible usage", negative, unknown},
		} {
			t.Run(provider+" "+c.what, func(t *testing.T) {
				for _, priced := range []bool{true, false} {
					want := c.want
					if !priced && want.CostUSD.Or(0) != 0 {
						want.CostUSD = taxonomy.Opt[float64]{}
					}
					s := open(t, provider, options{priced: priced}, c.script)
					answer, _ := s.Call(t.Context(), request(t))
					assert.Zero(t, s.server.Left())
					assert.InDelta(t, want.CostUSD.Or(-1), answer.Usage.CostUSD.Or(-1), 1e-12)
					want.CostUSD, answer.Usage.CostUSD = taxonomy.Opt[float64]{}, taxonomy.Opt[float64]{}
					assert.Equal(t, want, answer.Usage)
				}
			})
		}
	}
}

func TestClaudeUsage(t *testing.T) {
	result := func(rest string) script {
		return process(pt.CLIStep{Script: `echo '{"type":"result","is_error":false,` + rest + `"result":"ok"}'`})
	}
	for what, c := range map[string]struct {
		script script
		want   executor.Usage
	}{
		"an answer":              {process(costing(pt.CLIAnswer("ok"), 10, 20, 0.5)), used(10, 20, 0.5)},
		"a failure that cost":    {process(costing(pt.CLIFails("no"), 5, 6, 0.25)), used(5, 6, 0.25)},
		"a failure that did not": {fixture(claudeCLI, "overloaded"), used(0, 0, 0)},
		"nothing":                {result(""), executor.Usage{}},
		"null":                   {result(`"usage":null,"total_cost_usd":null,`), executor.Usage{}},
		"another type":           {result(`"usage":{"input_tokens":"x"},"total_cost_usd":"0.1",`), executor.Usage{}},
		"a cache": {result(`"usage":{"input_tokens":1,"cache_read_input_tokens":2,"output_tokens":7},`),
			used(3, 7)},
		"an exit":  {process(pt.CLIExit(1, "segmentation fault")), executor.Usage{}},
		"a signal": {process(pt.CLICrash("KILL")), executor.Usage{}},
	} {
		t.Run(what, func(t *testing.T) {
			answer, _ := open(t, claudeCLI, options{}, c.script).Call(t.Context(), request(t))
			assert.Equal(t, c.want, answer.Usage)
		})
	}
}

// costing returns the step with the cost of its result.
func costing(s pt.CLIStep, input, output int64, usd float64) pt.CLIStep {
	return s.With("total_cost_usd", usd).
		With("usage", map[string]any{"input_tokens": input, "output_tokens": output})
}
