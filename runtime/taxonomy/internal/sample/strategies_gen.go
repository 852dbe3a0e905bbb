package sample

import (
	"context"

	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// StrategyReduceContext names the strategy: run again with a shorter prompt.
const StrategyReduceContext = "reduce_context"

// Strategies are what reactions can recover with.
type Strategies interface {
	// ReduceContext: run again with a shorter prompt.
	ReduceContext(ctx context.Context, failure taxonomy.Failed) error
}

// Recover runs the strategy that the failure's reaction names.
func Recover(ctx context.Context, s Strategies, failure taxonomy.Failed) error {
	switch failure.Reaction.Strategy {
	case StrategyReduceContext:
		return s.ReduceContext(ctx, failure)
	default:
		return gen.UnknownStrategy(failure.Reaction.Strategy)
	}
}
