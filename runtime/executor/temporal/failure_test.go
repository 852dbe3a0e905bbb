package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// An error is the same after it was stored, also in the failure of an activity that wraps it.
func TestFailures(t *testing.T) {
	conv := temporal.Failures{Table: errs.Table, Decode: decode}
	unavailable := errs.NewProviderNotAvailable("claude-cli")
	for _, c := range []struct {
		name      string
		err       error
		code      string
		permanent bool
	}{
		{"an error", unavailable, "PROVIDER_NOT_AVAILABLE", true},
		{"one with a cause", errs.NewProviderCrash("claude-cli", "x").WithCause(errs.NewProviderNotAvailable("sh")),
			"PROVIDER_CRASH", false},
		{"a wrapped one", fmt.Errorf("step 2: %w", unavailable), "PROVIDER_NOT_AVAILABLE", true},
		{"another's", errors.New("disk"), "", false},
		{"an application error", sdk.NewNonRetryableApplicationError("no", "Other", nil), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := conv.ErrorToFailure(c.err)
			assert.Equal(t, c.permanent, f.GetApplicationFailureInfo().GetNonRetryable())
			for range 2 { // it may pass several times
				back := conv.FailureToError(f)
				assert.Equal(t, c.code, taxonomy.CodeOf(back))
				var application *sdk.ApplicationError
				require.ErrorAs(t, back, &application)
				if c.code != "" {
					assert.Equal(t, c.code, application.Type())
					assert.Equal(t, errorJSON(c.err), errorJSON(back))
				}
				f = conv.ErrorToFailure(back)
			}
		})
	}
	var e *errs.ProviderError
	require.ErrorAs(t, conv.FailureToError(conv.ErrorToFailure(unavailable)), &e)
	require.ErrorIs(t, conv.FailureToError(conv.ErrorToFailure(unavailable)), errs.CodeProviderNotAvailable)
	assert.Equal(t, "claude-cli", e.Provider)
}

func errorJSON(err error) string {
	e, _ := taxonomy.First(err, nil)
	return string(e.(taxonomy.Error).AppendJSON(nil))
}

// A code of a newer program arrives as an unknown error that keeps it.
func TestUnknownCodeArrives(t *testing.T) {
	newer := taxonomy.NewUnknown(
		errs.Table.Taxonomy, taxonomy.Wire{Domain: "aidf", Category: "provider", Code: "PROVIDER_ASLEEP",
			Message: "asleep",
			Raw: []byte(`{"domain":"aidf","name":"ProviderError","category":"provider","code":"PROVIDER_ASLEEP",` +
				`"message":"asleep","retryable":false,"context":{}}`)})
	conv := temporal.Failures{Table: errs.Table, Decode: decode}
	var u *taxonomy.Unknown
	require.ErrorAs(t, conv.FailureToError(conv.ErrorToFailure(newer)), &u)
	assert.Equal(t, "PROVIDER_ASLEEP", u.Code())
}

// The effect that the code of an activity declares decides, and not the failure of Temporal around it.
func TestEffectArrives(t *testing.T) {
	conv := temporal.Failures{Table: orders.Table,
		Decode: func(b []byte) (error, error) { return orders.UnmarshalError(b) }}
	for _, want := range []error{orders.NewTooMany(), orders.NewOrderPlaced(), orders.NewStoreDown()} {
		back := conv.FailureToError(conv.ErrorToFailure(want))
		assert.Equal(t, retry.EffectOf(want), retry.EffectOf(back), "%v", want)
	}
}

// The activities of any program are retried as the table specifies, and end with the typed error.
func TestRetriesByTheTable(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   func() error
		calls int
		code  error
	}{
		{"a permanent error", func() error { return errs.NewProviderNotAvailable("x") }, 1,
			errs.CodeProviderNotAvailable},
		{"a retryable error", func() error { return errs.NewProviderAPIError("x", "busy").WithStatusCode(503) }, 5,
			errs.CodeProviderAPIError},
		{"a reaction without a policy", func() error { return errs.NewProviderCrash("x", "lost") }, 3,
			errs.CodeProviderCrash},
	} {
		t.Run(c.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(quiet)
			env := suite.NewTestWorkflowEnvironment()
			env.SetFailureConverter(temporal.Failures{Table: errs.Table, Decode: decode})
			calls := 0
			env.RegisterActivityWithOptions(func(ctx context.Context) error {
				calls++
				return temporal.ApplicationError(errs.Table, c.err(), activity.GetInfo(ctx).Attempt)
			}, activity.RegisterOptions{Name: "work"})
			work := func(ctx workflow.Context) error {
				policy := errs.Table.Policy(errs.PolicyAPI)
				ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
					StartToCloseTimeout: time.Minute, RetryPolicy: temporal.RetryPolicy(&policy),
				})
				err := workflow.ExecuteActivity(ctx, "work").Get(ctx, nil)
				if !errors.Is(err, c.code) {
					return fmt.Errorf("arrived as %w", err)
				}
				return nil
			}
			env.RegisterWorkflow(work)
			env.ExecuteWorkflow(work)
			require.NoError(t, env.GetWorkflowError())
			assert.Equal(t, c.calls, calls)
		})
	}
}
