package recovery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The functions here are the samples of docs/recovery.md and docs/retry.md. TestBlocks in docs
// finds them.

func listIssues(ctx context.Context, h *recovery.Handler, list func(ctx context.Context) error) error {
	out := h.Handle(ctx, recovery.Op{
		Name: "list issues", Source: "github", Component: "octokit",
		Facts: report.Facts{Metadata: map[string]any{"repository": "acme/shop"}},
		Do:    list,
	})
	if !out.Success() {
		return fmt.Errorf("%s, after %d calls: %w", out.Message(), out.Calls, out.Err)
	}
	return nil
}

func newHandler(recoverer executor.Recoverer, sink report.Sink) (*recovery.Handler, error) {
	table, err := errs.Table.Profile("strict")
	if err != nil {
		return nil, err
	}
	return recovery.NewHandler(recovery.Config{
		Table:     table,
		Classify:  detect.Classifier(errs.Explain, detect.WithTable(table)),
		Recoverer: recoverer,
		Sink:      sink,
		Admission: executor.Admission{Breaker: breaker.New(breaker.Options{})},
		MaxCalls:  20,
		Timeout:   time.Minute,
	})
}

func newStrategies(ctx context.Context, dir string) (*recovery.Standard, error) {
	tree, err := recovery.NewTree(ctx, dir, workspace.Options{})
	if err != nil {
		return nil, err
	}
	return recovery.New(recovery.Options{
		Tree: tree,
		Tools: map[string]recovery.Tool{
			"lint": {
				Fix:   []validate.Command{{Args: []string{"npx", "eslint", "--fix", "--", "{files}"}}},
				Check: []validate.Command{{Args: []string{"npx", "eslint", "."}}},
			},
			"install": {
				Ecosystem: recovery.NPM, Allow: []string{"zod", "@types/node"},
				Fix: []validate.Command{{Args: []string{"npm", "install", "--ignore-scripts", "--", "{package}"}}},
			},
		},
		Recorded: recovery.Log(slog.Default()),
	})
}

func fixByHand(ctx context.Context, standard *recovery.Standard, failure error) error {
	return standard.Run(ctx, "apply_lint_fix", taxonomy.RecoveryRequest{Err: failure})
}

func forNight(text []byte) (taxonomy.Table, error) {
	var wishes taxonomy.Overrides // {"recovery": {"max_attempts": 5}, "retry": {"max_delay": "10m"}}
	if err := json.Unmarshal(text, &wishes); err != nil {
		return taxonomy.Table{}, err
	}
	table, err := errs.Table.Profile("strict")
	if err != nil {
		return taxonomy.Table{}, err
	}
	return table.Override(wishes)
}

func fetchAll(
	ctx context.Context,
	breakers *breaker.Breakers,
	adaptive *retry.Adaptive,
	pages []func(ctx context.Context) error,
) error {
	for _, page := range pages {
		err := retry.Do(ctx, page, retry.ByTable(errs.Table),
			retry.WithBreaker(breakers, "anthropic-api/key-1"), retry.WithAdaptive(adaptive))
		if errors.Is(err, retry.ErrRefused) {
			return fmt.Errorf("later, the provider is down: %w", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestDocsSamples(t *testing.T) {
	dir, _ := tree(t)
	standard, err := newStrategies(t.Context(), dir)
	require.NoError(t, err)
	assert.ErrorIs(t, fixByHand(t.Context(), standard, errors.New("lint error")), recovery.ErrNoFile)
	h, err := newHandler(standard, report.Sinks{})
	require.NoError(t, err)
	assert.NoError(t, listIssues(t.Context(), h, func(context.Context) error { return nil }))
	_, err = forNight([]byte(`{"retry": {"max_delay": "10m"}}`))
	assert.NoError(t, err)
	assert.NoError(t, fetchAll(t.Context(), breaker.New(breaker.Options{}), retry.NewAdaptive(), nil))
}
