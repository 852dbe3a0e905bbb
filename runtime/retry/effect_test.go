package retry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestIdempotence(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("refused")}
	cut, plain := io.ErrUnexpectedEOF, errors.New("failed")
	busy, down, placed := orders.NewTooMany(), orders.NewStoreDown(), orders.NewOrderPlaced()
	none, unknown, done := taxonomy.EffectNone, taxonomy.EffectUnknown, taxonomy.EffectDone
	no, yes := retry.NotIdempotent(), retry.Idempotent()
	policy, table := retry.ByPolicy(thrice), retry.ByTable(orders.Table)
	for _, tt := range []struct {
		name    string
		options []retry.Option
		errs    []error // of the calls
		calls   int
		why     retry.Stop // StoppedNot for success
		effect  taxonomy.Effect
	}{
		{"unspecified, unknown", []retry.Option{policy}, []error{cut, cut}, 3, 0, 0},
		{"unspecified, done", []retry.Option{policy, retry.WithRetryable(func(error) bool { return true })},
			[]error{cut, placed}, 2, retry.StoppedDone, done},
		{"yes, unknown", []retry.Option{policy, yes}, []error{cut, cut}, 3, 0, 0},
		{"no, none", []retry.Option{policy, no}, []error{refused, refused}, 3, 0, 0},
		{"no, unknown", []retry.Option{policy, no}, []error{refused, cut}, 2, retry.StoppedEffect, unknown},
		{"no, a missing effect", []retry.Option{policy, no}, []error{plain}, 1, retry.StoppedEffect,
			taxonomy.EffectUnspecified},
		{"no, two calls in one", []retry.Option{policy, no}, []error{errors.Join(refused, cut)}, 1,
			retry.StoppedEffect, unknown},
		{"no, declared", []retry.Option{table, no}, []error{busy, busy}, 3, 0, 0},
		{"no, a missing effect of a code", []retry.Option{table, no}, []error{busy, down}, 2, retry.StoppedEffect,
			taxonomy.EffectUnspecified},
		{"the last option wins", []retry.Option{table, no, yes}, []error{down, down}, 3, 0, 0},
		{"an operation", []retry.Option{table, retry.ForOperation(orders.OperationPlaceOrder)}, []error{down}, 1,
			retry.StoppedEffect, taxonomy.EffectUnspecified},
		{"a method", []retry.Option{policy, retry.ForMethod("PATCH", "")}, []error{cut}, 1, retry.StoppedEffect,
			unknown},
		{"a method with a key", []retry.Option{policy, retry.ForMethod("POST", "k")}, []error{cut}, 2, 0, 0},
		{"a method that is idempotent", []retry.Option{policy, retry.ForMethod("PUT", "")}, []error{cut}, 2, 0, 0},
		{"all calls together", []retry.Option{policy}, []error{cut, refused, refused}, 3, retry.StoppedAttempts,
			unknown},
		{"no call did anything", []retry.Option{policy, no}, []error{refused, refused, refused}, 3,
			retry.StoppedAttempts, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op, calls := story(append(slices.Clone(tt.errs), nil)...)
			err := retry.Do(t.Context(), op, append(tt.options, retry.WithClock(newClock()))...)
			assert.Equal(t, tt.calls, *calls)
			if tt.why == retry.StoppedNot {
				require.NoError(t, err)
				return
			}
			stopped, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			assert.Equal(t, tt.why, stopped.Why)
			assert.Equal(t, tt.effect, stopped.Effect)
			assert.Equal(t, tt.effect, retry.EffectOf(err), "an outer Do sees the effect of all calls")
			assert.Equal(t, tt.effect == done, errors.Is(err, taxonomy.AlreadyDone))
			assert.ErrorIs(t, err, tt.errs[tt.calls-1])
		})
	}
}

// TestEffectOfSignatures repeats a call that is not idempotent only if the evidence itself shows that
// the call did nothing.
func TestEffectOfSignatures(t *testing.T) {
	evidence := func(change func(ev *taxonomy.Evidence)) error {
		ev := &taxonomy.Evidence{Source: "db"}
		change(ev)
		return ev
	}
	refused := func(ev *taxonomy.Evidence) { ev.Code = "ECONNREFUSED" }
	const body = `{"error":{"code":"ECONNREFUSED","message":"upstream refused"}}`
	for _, tt := range []struct {
		name   string
		err    error
		effect taxonomy.Effect
	}{
		{"a refused connection", evidence(refused), taxonomy.EffectNone},
		{"a deadlock", evidence(func(ev *taxonomy.Evidence) { ev.Code, ev.Text = "40P01", "deadlock detected" }),
			taxonomy.EffectNone},
		{"a reset", evidence(func(ev *taxonomy.Evidence) { ev.Errno = "ECONNRESET" }), taxonomy.EffectUnknown},
		{"a text", evidence(func(ev *taxonomy.Evidence) { ev.Text = "connection refused" }), 0},
		{"a text of an error", evidence(func(ev *taxonomy.Evidence) {
			ev.Err = errors.New("connection refused")
			ev.Text = ev.Err.Error()
		}), 0},
		{"the code of a process", evidence(func(ev *taxonomy.Evidence) {
			refused(ev)
			ev.ExitCode = taxonomy.Some(1)
		}), 0},
		{"the code of a killed process", evidence(func(ev *taxonomy.Evidence) {
			refused(ev)
			ev.Signal = "SIGKILL"
		}), 0},
		{"the code of a response", evidence(func(ev *taxonomy.Evidence) {
			refused(ev)
			ev.Status = 500
		}), 0},
		{"the code of a body", evidence(func(ev *taxonomy.Evidence) { detect.Body(ev, []byte(body)) }), 0},
		{"the code of a text", evidence(func(ev *taxonomy.Evidence) { detect.SetText(ev, []byte(body)) }), 0},
		{"the code of one of two calls", errors.Join(evidence(refused), errors.New("failed")), 0},
		{"an error beside the code", evidence(func(ev *taxonomy.Evidence) {
			refused(ev)
			ev.Err = errors.Join(errors.New("failed"), errors.New("refused"))
		}), 0},
		{"an observed effect", evidence(func(ev *taxonomy.Evidence) {
			refused(ev)
			ev.Effect = taxonomy.EffectUnknown
		}), taxonomy.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorIs(t, orders.Classify(tt.err), orders.CodeStoreDown)
			assert.Equal(t, tt.effect, retry.EffectOf(orders.Classify(tt.err)))
			if ev, ok := tt.err.(*taxonomy.Evidence); ok {
				assert.Equal(t, tt.effect, retry.EffectOf(orders.ClassifyEvidence(ev)))
			}
			op, calls := story(tt.err, nil)
			err := retry.Do(t.Context(), op, retry.ByTable(orders.Table), retry.NotIdempotent(),
				retry.WithClock(newClock()))
			assert.Equal(t, tt.effect == taxonomy.EffectNone, err == nil)
			assert.Equal(t, map[bool]int{true: 2, false: 1}[err == nil], *calls)
			op, calls = story(tt.err, nil)
			require.NoError(t, retry.Do(t.Context(), op, retry.ByTable(orders.Table), retry.WithClock(newClock())))
			assert.Equal(t, 2, *calls, "unspecified: as without an effect")
		})
	}
}

// TestStoppedByEffect looks up the reaction after a call that must not be repeated.
func TestStoppedByEffect(t *testing.T) {
	park := &taxonomy.Reaction{Name: "park", Action: taxonomy.Block}
	table, codes := tableOf(taxonomy.Reaction{Action: taxonomy.Retry, Policy: &thrice, Then: park})
	op, calls := story(codes[0])
	err := retry.Do(t.Context(), op, retry.ByTable(table), retry.NotIdempotent())
	stopped, ok := errors.AsType[*retry.Error](err)
	require.True(t, ok)
	assert.Equal(t, 1, *calls)
	assert.Equal(t, "park", stopped.Reaction.Name)
}

func TestEffectWithoutCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := retry.Do(ctx, func(context.Context) error { return nil }, retry.ByPolicy(thrice))
	assert.Equal(t, taxonomy.EffectNone, retry.EffectOf(err))
}
