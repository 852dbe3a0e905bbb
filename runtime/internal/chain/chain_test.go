package chain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/internal/chain"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestChoose(t *testing.T) {
	reactions := func(actions ...taxonomy.Action) func(int) *taxonomy.Reaction {
		return func(i int) *taxonomy.Reaction {
			if i >= len(actions) {
				return nil
			}
			return &taxonomy.Reaction{Name: "own", Action: actions[i]}
		}
	}
	const retry, operation, escalate = taxonomy.Retry, taxonomy.RetryOperation, taxonomy.Escalate
	for _, tt := range []struct {
		name      string
		at        func(int) *taxonomy.Reaction
		from      int
		exhausted int // reactions that are exhausted
		index     int
		reaction  string
		action    taxonomy.Action
	}{
		{"the first one", reactions(retry, escalate), 0, 0, 0, "own", retry},
		{"the second one", reactions(retry, escalate), 0, 1, 1, "own", escalate},
		{"after a retry", reactions(operation, retry), 0, 2, 2, "block", taxonomy.Block},
		{"after an escalation", reactions(escalate), 0, 1, 1, "block", taxonomy.Block},
		{"after a strategy", reactions(taxonomy.Recover), 0, 1, 1, "abort", taxonomy.Abort},
		{"no reaction", reactions(), 0, 0, 0, "abort", taxonomy.Abort},
		{"from an index", reactions(operation, retry), 1, 0, 1, "own", retry},
		{"from the end", reactions(operation, retry), 2, 0, 2, "block", taxonomy.Block},
		{"from the end of a strategy", reactions(taxonomy.Recover), 1, 0, 1, "abort", taxonomy.Abort},
		{"a long chain", func(int) *taxonomy.Reaction { return &taxonomy.Reaction{Action: retry} }, 0, 99,
			taxonomy.MaxChain, "abort", taxonomy.Abort},
	} {
		i, r := chain.Choose(tt.from, tt.at, func(i int, _ *taxonomy.Reaction) bool { return i < tt.exhausted })
		assert.Equal(t, tt.index, i, tt.name)
		assert.Equal(t, []any{tt.reaction, tt.action}, []any{r.Name, r.Action}, tt.name)
	}
}
