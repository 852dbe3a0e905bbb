package scenarios_test

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// The functions here are what docs/executor.md shows; TestDocsSamples holds the two together.

func run(ctx context.Context, dir, prompt string) (*executor.Result, error) {
	scope, err := workspace.NewScope(workspace.ScopeConfig{Allowed: []string{"src/**"}, Forbidden: []string{".env", "**/*.pem"}})
	if err != nil {
		return nil, err
	}
	tree, err := workspace.Open(ctx, dir, workspace.Options{Watch: scope})
	if err != nil {
		return nil, err
	}
	checks, err := workspace.NewValidator(workspace.ValidatorConfig{
		Dir: dir, PreCommit: []workspace.Command{{Args: []string{"go", "test", "./..."}}},
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
		Guard:     scope,
		Validator: checks,
		Journal:   filejournal.New(filepath.Join(dir, ".git", "runs")),
		Observer:  executor.Slog(slog.Default(), errs.Table),
		Deliver:   executor.DeliverCommits,
	})
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, executor.Task{Run: "nightly-42", ID: "42", Title: "Name the units", Prompt: prompt}), nil
}

func fetch(ctx context.Context, call func(context.Context) error) error {
	policy, _ := errs.Table.Policy("api")
	return retry.Do(ctx, policy, func(ctx context.Context) error {
		return errs.Classify(call(ctx))
	})
}

func override() (taxonomy.Table, error) {
	return errs.Table.Override(taxonomy.Overrides{
		Codes: map[string]taxonomy.TraitsOverride{"validation": {Reaction: &taxonomy.ReactionRef{Name: "stop"}}},
	})
}
