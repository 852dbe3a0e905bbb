package handler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// maxTries bounds what no policy bounds. It is more than any policy asks for, and keeps a reaction
// that tries again at once and without a policy from doing so for ever.
const maxTries = 10_000

// Handler handles operations. It is safe for concurrent use; operations know nothing of each other
// but what Lanes, Gate, Adaptive, Preventer and Learners share.
type Handler struct {
	cfg   Config
	clock retry.Clock
	// run is the configuration of a run, but for the operation.
	run executor.Config
}

// New returns a handler. The error names everything that is wrong with the configuration at once.
func New(cfg Config) (*Handler, error) {
	problems := cfg.problems()
	cfg.Grace = cmp.Or(cfg.Grace, DefaultGrace)
	cfg.Random = shared(cfg.Random)
	if profile := cfg.Table.Overlay; profile != nil && !profile.Retry.Enabled {
		cfg.Gate = nil
	}
	h := &Handler{cfg: cfg, clock: cfg.Clock, run: executor.Config{
		Table: cfg.Table, Classify: cfg.Classify, Recoverer: cfg.Recoverer,
		Gate: cfg.Gate, Adaptive: cfg.Adaptive, Preventer: cfg.Preventer, Checker: cfg.Checker, Learners: cfg.Learners,
		Lanes: cfg.Lanes, Clock: cfg.Clock, Random: cfg.Random,
		Limits: executor.Limits{Iterations: maxTries, Failures: maxTries, Iteration: math.MaxInt64,
			Check: max(0, cfg.Timeout), Grace: cfg.Grace},
		Prompt: func(executor.PromptInput) string { return "" },
	}}
	if h.clock == nil {
		h.clock = retry.System
	}
	probe := h.run
	probe.Provider = &provider{op: &Op{}}
	_, err := executor.New(probe)
	if err := errors.Join(problems, err); err != nil {
		return nil, fmt.Errorf("configure handler: %w", err)
	}
	return h, nil
}

// shared returns a random source that several runs can use at once.
func shared(r retry.Random) retry.Random {
	if r == nil {
		return nil
	}
	var mu sync.Mutex
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r()
	}
}

// Handle does an operation, and about its failures what the taxonomy says, until it succeeds or
// nothing is left to be done. When ctx ends, it stops the operation and returns. It never panics,
// and returns at the latest when Grace is over, waits of strategies included, as far as these end
// with their context.
func (h *Handler) Handle(ctx context.Context, op Op) Outcome {
	if ctx == nil {
		return Outcome{Err: fmt.Errorf("handle %s: there is no context", op.Name)}
	}
	if op.Do == nil {
		return Outcome{Err: fmt.Errorf("handle %s: there is nothing to do", op.Name)}
	}
	p := &provider{op: &op, timeout: h.cfg.Timeout, grace: h.cfg.Grace}
	w := newWatcher(ctx, h, &op)
	cfg := h.run
	cfg.Provider, cfg.Observer = p, w.observer()
	e, err := executor.New(cfg)
	if err != nil {
		return Outcome{Err: fmt.Errorf("handle %s: %w", op.Name, err)}
	}
	result := e.Run(ctx, executor.Task{ID: op.Name})
	return outcomeOf(ctx, &op, result, p.calls, w)
}

func outcomeOf(ctx context.Context, op *Op, result *executor.Result, calls int, w *watcher) Outcome {
	out := Outcome{Occurrence: w.last(), Calls: calls, Result: result}
	if result.Status == executor.StatusCompleted {
		out.Recovered = result.ErrorCount > 0
		return out
	}
	out.Err = result.Err
	if result.Status == executor.StatusCancelled && ctx.Err() != nil {
		out.Err = context.Cause(ctx)
	}
	if out.Err == nil {
		out.Err = fmt.Errorf("handle %s: it ended with %s", op.Name, result.EndReason)
	}
	return out
}
