package handler

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestCancelledRecovery: a strategy that is stopped has not failed, and nothing is decided any
// more.
func TestCancelledRecovery(t *testing.T) {
	why := errors.New("the shutdown")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &sink{}
	reporter := report.NewReporter(report.ReporterOptions{})
	var kinds []executor.EventKind
	h := made(t, func(c *Config) {
		c.Sink = report.Sinks{s, reporter}
		c.Recoverer = recoverer(func(ctx context.Context, _ taxonomy.RecoveryRequest) error {
			kinds = nil
			cancel(why)
			return context.Cause(ctx)
		})
		c.Observer = observer(func(e executor.Event) { kinds = append(kinds, e.Kind) })
	})
	out := h.Handle(ctx, Op{Name: "op", Source: "fake", Do: plays("mend")})
	require.ErrorIs(t, out.Err, why)
	assert.Equal(t, executor.EndCancelled, out.Result.EndReason)
	assert.Equal(t, 1, out.Calls)
	require.Len(t, s.updated, 1)
	assert.Equal(t, &report.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: "mend"}, s.updated[0].Recovery,
		"D135: tried, and nobody knows what came of it")
	assert.Equal(t, s.updated[0].Recovery, out.Occurrence.Recovery)
	m := reporter.Metrics()
	assert.Equal(t, []int{1, 0, 0}, []int{m.RecoveryAttempts, m.SuccessfulRecoveries, m.FailedRecoveries})
	assert.NotContains(t, kinds, executor.ReactionTaken)
	assert.NotContains(t, kinds, executor.Waiting)
}

// TestGateOfProfileWithoutRetries: who does not retry does not wait for what retries have come to.
func TestGateOfProfileWithoutRetries(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		g := &gate{}
		h := made(t, func(c *Config) {
			c.Table.Overlay = &taxonomy.Profile{Name: "p", Retry: taxonomy.RetryDefaults{Enabled: enabled}}
			c.Gate = g
		})
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: plays("")})
		require.NoError(t, out.Err)
		assert.Equal(t, enabled, len(g.lanes) > 0)
	}
}

// TestSourceOfFacts: what the facts leave open of the source is known from the operation.
func TestSourceOfFacts(t *testing.T) {
	tests := []struct {
		name        string
		given, want *report.Source
	}{
		{"none", nil, &report.Source{Type: "git", Component: "remote"}},
		{"no component", &report.Source{Type: "tool"}, &report.Source{Type: "tool", Component: "remote"}},
		{"no type", &report.Source{Component: "hook"}, &report.Source{Type: "git", Component: "hook"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op := Op{Name: "push", Source: "git", Component: "remote", Facts: report.Facts{Source: tt.given}}
			assert.Equal(t, tt.want, op.facts().Source)
		})
	}
}
