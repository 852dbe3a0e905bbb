package retry_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// recorder is a gate that says when to enter, and how many retries there are, and notes what it is
// told.
type recorder struct {
	open    time.Time
	fails   error
	retries int
	lanes   []string
	callers map[string]bool
	ends    []retry.CallEnd
	events  []string
	inside  int
}

func (r *recorder) Enter(_ context.Context, lane, caller string, now time.Time) (time.Time, error) {
	r.lanes = append(r.lanes, lane)
	if r.callers == nil {
		r.callers = map[string]bool{}
	}
	r.callers[caller] = true
	if r.fails != nil {
		return now, r.fails
	}
	if r.open.After(now) {
		r.events = append(r.events, "wait")
		return r.open, nil
	}
	r.inside++
	r.events = append(r.events, "enter")
	return now, nil
}

func (r *recorder) Leave(lane, caller string, end retry.CallEnd) {
	r.lanes = append(r.lanes, lane)
	r.callers[caller] = true
	r.inside--
	r.ends = append(r.ends, end)
	r.events = append(r.events, "leave")
}

func (r *recorder) Retry(string, *taxonomy.Policy) bool {
	r.events = append(r.events, "retry")
	r.retries--
	return r.retries >= 0
}

func TestDoGate(t *testing.T) {
	gatePolicy := thrice
	gatePolicy.Name = "thrice"
	bad := retry.CallEnd{Failed: true, Policy: &gatePolicy}
	for _, tt := range []struct {
		name   string
		story  []error
		budget int
		ends   []retry.CallEnd
		events string
		why    retry.Stop // none for success
	}{
		{"succeeds", []error{nil}, 9, []retry.CallEnd{{}}, "enter leave", 0},
		{"fails once", []error{errFlaky, nil}, 9, []retry.CallEnd{bad, {}}, "enter leave retry enter leave", 0},
		{"used up", []error{errFlaky}, 9, []retry.CallEnd{bad, bad, bad},
			"enter leave retry enter leave retry enter leave", retry.StoppedAttempts},
		{"no retries left", []error{errFlaky}, 1, []retry.CallEnd{bad, bad}, "enter leave retry enter leave retry",
			retry.StoppedBudget},
		{"permanent", []error{retry.Permanent(errFlaky)}, 9, []retry.CallEnd{{Failed: true}}, "enter leave",
			retry.StoppedPermanent},
		{"not retryable", []error{errs.NewConfigMissing("c.yaml")}, 9, []retry.CallEnd{{Failed: true}}, "enter leave",
			retry.StoppedPermanent},
		{"cancelled by somebody else", []error{context.Canceled}, 9, []retry.CallEnd{{Failed: true, Cancelled: true}},
			"enter leave", retry.StoppedPermanent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := &recorder{retries: tt.budget}
				op, _ := story(tt.story...)
				err := retry.Do(t.Context(), gatePolicy, func(ctx context.Context) error {
					assert.Equal(t, 1, gate.inside)
					return op(ctx)
				}, retry.WithGate(gate, "lane", "me"))
				if e, ok := errors.AsType[*retry.Error](err); ok {
					assert.Equal(t, tt.why, e.Why)
				} else {
					require.NoError(t, err)
				}
				assert.Equal(t, tt.ends, gate.ends)
				assert.Equal(t, tt.events, strings.Join(gate.events, " "))
				assert.Equal(t, map[string]bool{"me": true}, gate.callers)
				assert.NotContains(t, gate.lanes, "", "always the lane")
			})
		})
	}
}

func TestDoGateBudgetText(t *testing.T) {
	op, _ := story(errFlaky)
	err := retry.Do(t.Context(), thrice, op, retry.WithGate(&recorder{}, "lane", ""))
	require.EqualError(t, err, "1 call, no retries left in the lane: flaky")
}

func TestDoGatePanics(t *testing.T) {
	gate := &recorder{}
	assert.PanicsWithValue(t, "boom", func() {
		_ = retry.Do(t.Context(), thrice, func(context.Context) error { panic("boom") },
			retry.WithGate(gate, "lane", ""))
	})
	assert.Equal(t, []retry.CallEnd{{Cancelled: true}}, gate.ends)
}

func TestDoGateCancelledInCall(t *testing.T) {
	gate := &recorder{}
	ctx, cancel := context.WithCancel(t.Context())
	err := retry.Do(ctx, thrice, func(context.Context) error { cancel(); return errFlaky },
		retry.WithGate(gate, "lane", ""))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, gate.ends, 1)
	assert.Equal(t, retry.CallEnd{Failed: true, Cancelled: true, Took: gate.ends[0].Took}, gate.ends[0])
}

// What a deadline ends is told apart from what a caller gives up, with how long the call took.
func TestDoGateDeadlineInCall(t *testing.T) {
	gatePolicy := thrice
	gatePolicy.Name = "thrice"
	for _, tt := range []struct {
		name   string
		shut   time.Duration // how long the gate has it wait
		takes  time.Duration
		hidden bool // nobody can see the end
		want   retry.CallEnd
	}{
		{"hangs", 0, m, false, retry.CallEnd{Failed: true, TimedOut: true, Policy: &gatePolicy, Took: 8 * s}},
		{"begun late", 6 * s, m, false, retry.CallEnd{Failed: true, TimedOut: true, Policy: &gatePolicy, Took: 2 * s}},
		{"given up by the caller", 0, m, true, retry.CallEnd{Failed: true, Cancelled: true, Took: 8 * s}},
		{"ended well before", 6 * s, s, false, retry.CallEnd{Took: s}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := &recorder{open: time.Now().Add(tt.shut)}
				ctx, cancel := context.WithTimeout(t.Context(), 8*s)
				if tt.hidden {
					ctx, cancel = context.WithCancel(t.Context())
					time.AfterFunc(8*s, cancel)
				}
				defer cancel()
				_ = retry.Do(
					ctx, gatePolicy, func(ctx context.Context) error { return retry.System.Sleep(ctx, tt.takes) },
					retry.WithGate(gate, "lane", ""))
				assert.Equal(t, []retry.CallEnd{tt.want}, gate.ends)
			})
		})
	}
}

func TestDoGateWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		gate := &recorder{open: begun.Add(20 * s)}
		op, calls := story(nil)
		require.NoError(t, retry.Do(t.Context(), thrice, op, retry.WithGate(gate, "lane", "")))
		assert.Equal(t, 20*s, time.Since(begun))
		assert.Equal(t, []string{"wait", "enter", "leave"}, gate.events)
		assert.Len(t, gate.callers, 1, "one name for one Do")

		gate.open = time.Now().Add(m)
		ctx, cancel := context.WithTimeout(t.Context(), 10*s)
		defer cancel()
		err := retry.Do(ctx, thrice, op, retry.WithGate(gate, "lane", ""))
		require.EqualError(t, err, `0 calls, the next wait would pass the deadline (lane "lane": the gate is shut)`)
		require.ErrorIs(t, err, retry.ErrShut)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 20*s, time.Since(begun))

		ctx, quit := context.WithCancelCause(t.Context())
		time.AfterFunc(s, func() { quit(io.EOF) })
		err = retry.Do(ctx, thrice, op, retry.WithGate(gate, "lane", ""))
		require.ErrorIs(t, err, io.EOF)
		assert.Equal(t, []any{1, 0, 21 * s}, []any{*calls, gate.inside, time.Since(begun)})
	})
}

// The lane is asked first: the gate counts whom it lets in.
func TestDoGateAndLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, lanes := time.Now(), retry.NewLanes(retry.Ramp{}, nil)
		require.NoError(t, lanes.Pause(t.Context(), "key", begun.Add(5*s)))
		gate := &recorder{open: begun.Add(8 * s), retries: 9}
		op, _ := story(errFlaky, nil)
		require.NoError(
			t, retry.Do(t.Context(), thrice, op, retry.WithLane(lanes, "key"), retry.WithGate(gate, "lane", "")))
		assert.Equal(t, "wait enter leave retry enter leave", strings.Join(gate.events, " "))
		assert.Equal(t, 9*s, time.Since(begun))
	})
}

func TestDoGateFails(t *testing.T) {
	op, calls := story(nil)
	err := retry.Do(t.Context(), thrice, op, retry.WithGate(&recorder{fails: io.ErrUnexpectedEOF}, "lane", ""))
	require.EqualError(t, err, "0 calls, the lane failed (unexpected EOF)")
	assert.Zero(t, *calls)
}

func TestDoGateAllocatesNothing(t *testing.T) {
	gate := quiet{}
	op := func(context.Context) error { return nil }
	ctx := t.Context()
	assert.Zero(
		t, testing.AllocsPerRun(100, func() { _ = retry.Do(ctx, thrice, op, retry.WithGate(gate, "lane", "me")) }))
}

// quiet is a gate that lets everybody in.
type quiet struct{}

func (quiet) Enter(_ context.Context, _, _ string, now time.Time) (time.Time, error) { return now, nil }

func (quiet) Leave(string, string, retry.CallEnd) {}

func (quiet) Retry(string, *taxonomy.Policy) bool { return true }
