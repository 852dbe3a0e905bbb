package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The functions here are the samples of docs/executor.md and docs/state.md. TestBlocks in docs
// finds them.

func run(ctx context.Context, dir, states, prompt string) (*executor.Result, error) {
	guard, err := scope.New(
		scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{".env", "**/*.pem"}})
	if err != nil {
		return nil, err
	}
	tree, err := workspace.New(ctx, dir, "nightly-42", workspace.Options{})
	if err != nil {
		return nil, err
	}
	checks, err := validate.New(validate.Config{
		Dir: tree.Dir(), PreCommit: []validate.Command{{Args: []string{"go", "test", "./..."}}},
	})
	if err != nil {
		return nil, err
	}
	claude, err := claudecli.New(claudecli.Options{})
	if err != nil {
		return nil, err
	}
	e, err := executor.New(executor.Config{
		Table:     errs.Table,
		Classify:  detect.Classifier(errs.Explain),
		Decode:    func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider:  claude,
		Workspace: tree,
		Guard:     guard,
		Validator: checks,
		Store:     filestore.New(states),
		Observer:  executor.Slog(slog.Default(), errs.Table),
		Deliver:   executor.DeliverCommits,
	})
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, executor.Task{Run: "nightly-42", ID: "42", Title: "Name the units", Prompt: prompt}), nil
}

func runTogether(ctx context.Context, claude executor.Provider, history *state.Store, tasks []executor.Task) error {
	adaptive := retry.NewAdaptive(errs.Table.Taxonomy.Policies...)
	err := history.Outcomes(ctx, time.Now().AddDate(0, -1, 0), func(o retry.Outcome) error {
		adaptive.Learn(o)
		return nil
	})
	if err != nil {
		return err
	}
	e, err := executor.New(executor.Config{
		Table:     errs.Table,
		Classify:  detect.Classifier(errs.Explain),
		Provider:  claude,
		Admission: executor.Admission{Breaker: breaker.New(breaker.Options{}), Adaptive: adaptive},
	})
	if err != nil {
		return err
	}
	var runs sync.WaitGroup
	for _, task := range tasks {
		runs.Go(func() { e.Run(ctx, task) })
	}
	runs.Wait()
	return nil
}

func fetch(ctx context.Context, call func(context.Context) error) error {
	err := retry.Do(ctx, call, retry.ByTable(errs.Table))
	if failed, ok := errors.AsType[*retry.Error](err); ok && failed.Reaction.Action == taxonomy.Block {
		return fmt.Errorf("parked after %d calls: %w", failed.Calls, err)
	}
	return err
}

func unattended() (taxonomy.Table, error) {
	table, err := errs.Table.Profile(errs.ProfileUnattended)
	if err != nil {
		return taxonomy.Table{}, err
	}
	calls := 2
	return table.Override(taxonomy.Overrides{
		Codes:    map[string]string{"validation": "stop"},
		Policies: map[string]taxonomy.Numbers{"api": {MaxAttempts: &calls}},
	})
}

func runStored(ctx context.Context, path string, claude executor.Provider, task executor.Task) (
	*executor.Result, error) {
	store, err := state.Open(ctx, path, state.Options{Table: errs.Table})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	e, err := executor.New(executor.Config{
		Table:    errs.Table,
		Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: claude,
		Store:    store.RunStore(),
		Admission: executor.Admission{
			Lanes:  store.Lanes(),
			Budget: store.Budget(state.BudgetOptions{}),
		},
		Prompt: store.Prompt(state.PromptOptions{MaxAttempts: 3}),
		Limits: executor.Limits{Attempts: 3},
	})
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, task), nil
}

func fund(ctx context.Context, store *state.Store) error {
	five := state.Limit{Amount: state.Amount{CostUSD: taxonomy.Some(5.0)}, Note: "agreed on Monday"}
	if err := store.SetBudget(ctx, state.ScopeAll, five); err != nil {
		return err
	}
	return store.SetBudget(
		ctx, state.ScopeTask, state.Limit{Amount: state.Amount{Tokens: taxonomy.Some[int64](200_000)}})
}
