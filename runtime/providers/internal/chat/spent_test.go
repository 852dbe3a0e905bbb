package chat

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// asked is a request and what its server said that it used.
type asked struct {
	status int
	used   taxonomy.Opt[Tokens]
}

func used(input, write, read, output int64) asked {
	return asked{200, taxonomy.Some(Tokens{input, write, read, output})}
}

func TestSpent(t *testing.T) {
	refused, silent := asked{status: 429}, asked{status: 200}
	priced := func(tokens Tokens) taxonomy.Opt[float64] {
		return taxonomy.Some(float64(tokens.Input + 10*tokens.CacheWrite + 100*tokens.CacheRead + 1000*tokens.Output))
	}
	free := func(Tokens) taxonomy.Opt[float64] { return taxonomy.Opt[float64]{} }
	usage := func(in, out int64, cost taxonomy.Opt[float64]) executor.Usage {
		return executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out), CostUSD: cost}
	}
	unpriced := taxonomy.Opt[float64]{}
	for _, c := range []struct {
		what     string
		requests []asked
		cost     func(Tokens) taxonomy.Opt[float64]
		want     executor.Usage
	}{
		{"no request", nil, priced, Nothing()},
		{"no request, no prices", nil, free, Nothing()},
		{"refused", []asked{refused}, priced, Nothing()},
		{"refused, no prices", []asked{refused}, free, Nothing()},
		{"one", []asked{used(1, 2, 3, 4)}, priced, usage(6, 4, taxonomy.Some(4321.0))},
		{"one, no prices", []asked{used(1, 2, 3, 4)}, free, usage(6, 4, unpriced)},
		{"an answer that is told to have used nothing, no prices", []asked{used(0, 0, 0, 0)}, free,
			usage(0, 0, unpriced)},
		{"several", []asked{used(1, 0, 0, 1), used(2, 0, 0, 1)}, priced, usage(3, 2, taxonomy.Some(2003.0))},
		{"refused behind one", []asked{used(1, 0, 0, 1), refused}, priced, usage(1, 1, taxonomy.Some(1001.0))},
		{"not told", []asked{silent}, priced, executor.Usage{}},
		{"not told behind one", []asked{used(1, 0, 0, 1), silent}, priced, executor.Usage{}},
		{"not told before one", []asked{silent, used(1, 0, 0, 1)}, priced, executor.Usage{}},
		{"not told and refused", []asked{silent, refused}, priced, executor.Usage{}},
		{"no answer", []asked{{}}, priced, executor.Usage{}},
		{"less than nothing", []asked{used(1, 0, -1, 1)}, priced, executor.Usage{}},
		{"more than there can be", []asked{used(1, 0, 0, maxTokens+1)}, priced, executor.Usage{}},
	} {
		t.Run(c.what, func(t *testing.T) {
			var s Spent
			for _, r := range c.requests {
				s.Add(&wire.Exchange{Status: r.status}, r.used)
			}
			assert.Equal(t, c.want, s.Usage(c.cost))
		})
	}
}
