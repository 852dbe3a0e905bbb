package main

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// strategies run what the taxonomy's reactions recover with. If the taxonomy names a strategy that
// recovery.Standard does not have, this does not compile until it has a method here.
type strategies struct{ *recovery.Standard }

var _ errs.Strategies = strategies{}

// Recover runs the strategy that a failure's reaction names.
func (s strategies) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	return errs.Recover(ctx, s, failed)
}

// recoverer returns the strategies of a skill, which report to shows.
func (s *session) recoverer(ctx context.Context, sk *skill, shows *shows) (executor.Recoverer, error) {
	o, err := sk.tools(ctx)
	if err != nil {
		return nil, err
	}
	o.Lanes, o.Clock, o.MaxWait, o.Recorded, o.Waiting = s.lanes, s.clock, maxWait, shows.recorded, shows.waiting
	standard, err := recovery.New(o)
	if err != nil {
		return nil, fmt.Errorf("%s: tools: %w", sk.path, err)
	}
	return strategies{standard}, nil
}
