package recovery

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func one(f Strategy) executor.Recoverer { return ByName(map[string]Strategy{"s": f}) }

var failed = taxonomy.RecoveryRequest{Err: errors.New("x"), Attempt: 1, Reaction: taxonomy.Reaction{Strategy: "s"}}

// angry is an error whose method panics.
type angry struct{}

func (angry) Error() string { panic("no") }

// D95
func TestContain(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		f    Strategy
		want string
	}{
		{"mends", func(context.Context, taxonomy.RecoveryRequest) error { return nil }, ""},
		{"fails", func(context.Context, taxonomy.RecoveryRequest) error { return boom }, "boom"},
		{"panics", func(context.Context, taxonomy.RecoveryRequest) error { panic("oh") },
			"Recovery strategy failed: panic: oh"},
		{"panics with an error", func(context.Context, taxonomy.RecoveryRequest) error { panic(boom) },
			"Recovery strategy failed: panic: boom"},
		{"panics with what panics", func(context.Context, taxonomy.RecoveryRequest) error { panic(angry{}) },
			"Recovery strategy failed: panic: %!v(PANIC=Error method: no)"},
		{"exits", func(context.Context, taxonomy.RecoveryRequest) error { runtime.Goexit(); return nil },
			"Recovery strategy failed: its goroutine was ended from within, as runtime.Goexit does"},
		{"says a secret", func(context.Context, taxonomy.RecoveryRequest) error { panic("password=hunter2hunter2") },
			"Recovery strategy failed: panic: password=[REDACTED]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Contain(one(tt.f), ContainOptions{}).Recover(t.Context(), failed)
			if tt.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, tt.want)
		})
	}
}

// D95: a strategy that hangs is left behind, a few of them at most; one that obeys its context has
// its own words.
func TestHangingStrategies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		var began atomic.Int32
		c := Contain(one(func(context.Context, taxonomy.RecoveryRequest) error { began.Add(1); <-let; return nil }),
			ContainOptions{Limit: time.Minute, Grace: time.Second})
		at := time.Now()
		for range 8 {
			err := c.Recover(t.Context(), failed)
			assert.EqualError(
				t, err, "Recovery strategy failed: it does not return, and was left behind: its time is over")
			var ev *taxonomy.Evidence
			require.ErrorAs(t, err, &ev)
			assert.Equal(t, []string{"recovery", "s", "timeout"}, []string{ev.Source, ev.Op, ev.Type})
		}
		assert.Equal(t, 8*61*time.Second, time.Since(at))
		assert.ErrorIs(t, c.Recover(t.Context(), failed), errCrowded)
		assert.EqualValues(t, 8, began.Load())
		close(let)
		synctest.Wait()
		assert.NoError(t, c.Recover(t.Context(), failed), "there is room again")
	})
}

func TestStrategiesThatAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		let := make(chan struct{})
		defer close(let)
		for _, obeys := range []bool{true, false} {
			c := Contain(one(func(ctx context.Context, _ taxonomy.RecoveryRequest) error {
				if !obeys {
					<-let
				}
				<-ctx.Done()
				return context.Cause(ctx)
			}), ContainOptions{})
			time.AfterFunc(time.Second, func() { cancel(reason) })
			assert.ErrorIs(t, c.Recover(ctx, failed), reason)
			ctx, cancel = context.WithCancelCause(t.Context())
		}
		cancel(reason)
		c := Contain(one(func(context.Context, taxonomy.RecoveryRequest) error { panic("it must not begin") }),
			ContainOptions{})
		assert.Equal(t, reason, c.Recover(ctx, failed))
	})
}

// D95: what says that it has mended is not believed when the validation says otherwise.
func TestLyingStrategies(t *testing.T) {
	lie := one(func(context.Context, taxonomy.RecoveryRequest) error { return nil })
	still := errors.New("still broken")
	c := Contain(lie, ContainOptions{Validate: func(_ context.Context, f taxonomy.RecoveryRequest) error {
		assert.Equal(t, failed, f)
		return still
	}})
	err := c.Recover(t.Context(), failed)
	assert.ErrorIs(t, err, still)
	assert.EqualError(
		t, err, "Recovery strategy failed: it says that it has mended, but the validation does not pass: still broken")
	c = Contain(lie, ContainOptions{Validate: func(context.Context, taxonomy.RecoveryRequest) error { panic("oh") }})
	assert.EqualError(t, c.Recover(t.Context(), failed), "Recovery strategy failed: panic: oh")
}

// D93, D163
func TestUnknownStrategy(t *testing.T) {
	r := ByName(newWorld(t, Options{}).Strategies())
	assert.EqualError(
		t, r.Recover(
			t.Context(), taxonomy.RecoveryRequest{Err: &coded{}, Reaction: taxonomy.Reaction{Strategy: "nope"}}),
		"No recovery strategy found for error: lint_error")
	assert.EqualError(
		t, r.Recover(
			t.Context(),
			taxonomy.RecoveryRequest{Err: errors.New("x"), Reaction: taxonomy.Reaction{Strategy: "no\npe"}}),
		`No recovery strategy found for error: strategy "no\npe"`)
}

// D104
func TestSevenStrategies(t *testing.T) {
	w := newWorld(t, Options{Clock: newManual()})
	strategies := w.Strategies()
	assert.Len(t, strategies, 7)
	for name, strategy := range strategies {
		_ = strategy(t.Context(), says("x"))
		assert.Equal(t, name, w.last(t).Strategy)
	}
}

// The host's own functions are contained as well.
func TestHostFunctionsThatPanic(t *testing.T) {
	s, err := New(Options{Clock: newManual(), Recorded: func(Record) { panic("recorded") }})
	require.NoError(t, err)
	assert.NoError(t, s.WaitForRateLimit(t.Context(), failed))
	w := newWorld(t, Options{Clock: newManual(), Random: func() float64 { panic("chance") },
		Backoff: &taxonomy.Policy{InitialDelay: 1, JitterKind: taxonomy.JitterFull}})
	for range 2 { // and nothing stays locked
		assert.EqualError(t, w.RetryWithBackoff(t.Context(), failed), "Recovery strategy failed: panic: chance")
	}
	assert.False(t, w.last(t).Successful)
	assert.EqualError(t, w.RetryWithBackoff(t.Context(), taxonomy.RecoveryRequest{Err: angry{}}),
		"Recovery strategy failed: panic: chance")
}

// D163 to D165
func TestLog(t *testing.T) {
	var out bytes.Buffer
	record := Log(
		slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
	record(Record{Strategy: "s", Action: ActionFix, Code: "c", Message: "no", Attempts: 2, MaxAttempts: 3,
		Took: time.Second})
	record(Record{Strategy: "s", Action: ActionFix, Message: "yes", Successful: true, Attempts: 3, MaxAttempts: 3})
	assert.Equal(
		t, "level=WARN msg=no strategy=s action=fix code=c successful=false attempts=2 max_attempts=3 took=1s\n"+
			"level=INFO msg=yes strategy=s action=fix code=\"\" successful=true attempts=3 max_attempts=3 took=0s\n",
		out.String())
}
