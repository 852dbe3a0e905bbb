package handler

import (
	"context"
	"encoding/json"
	"errors"
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

func TestPanics(t *testing.T) {
	tests := map[string]func(context.Context) error{
		"panic":   func(context.Context) error { panic("no") },
		"nil":     func(context.Context) error { panic(nil) },
		"hostile": func(context.Context) error { panic(hostile{}) },
		"goexit":  func(context.Context) error { runtime.Goexit(); return nil },
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			out := made(t, nil).Handle(t.Context(), Op{Name: "op", Source: "fake", Do: do})
			assert.Equal(t, "panic", taxonomy.CodeOf(out.Err))
			assert.Equal(t, 2, out.Calls, "what a panic is answered with is data, too")
		})
	}
}

// hostile panics when it is shown.
type hostile struct{}

func (hostile) String() string { panic("again") }
func (hostile) Error() string  { panic("again") }

func TestHostileError(t *testing.T) {
	out := made(t, nil).
		Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error { return hostile{} }})
	assert.False(t, out.Success())
	_, err := json.Marshal(out)
	require.NoError(t, err)
}

func TestTimeout(t *testing.T) {
	waits := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	said := func(ctx context.Context) error {
		<-ctx.Done()
		return &taxonomy.Evidence{Source: "fake", Op: "list", Text: "cut short",
			Attributes: map[string]string{"page": "3"}}
	}
	tests := []struct {
		name string
		do   func(context.Context) error
		op   string
		text string
	}{
		{"an error of the context", waits, "call", "longer than 1m0s"},
		{"evidence", said, "list", "cut short"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := made(t, func(c *Config) { c.Timeout = time.Minute }).
					Handle(t.Context(), Op{Name: "op", Source: "fake", Do: tt.do})
				require.Equal(t, "timeout", taxonomy.CodeOf(out.Err))
				assert.Equal(t, 3, out.Calls)
				var ev *taxonomy.Evidence
				require.ErrorAs(t, out.Err, &ev)
				assert.Equal(t, tt.op, ev.Op)
				assert.Contains(t, ev.Text, tt.text)
				assert.Equal(t, "60000", ev.Attributes["timeout_ms"])
			})
		})
	}
}

// TestTimeoutOfCoded: an error that has its code already keeps it.
func TestTimeoutOfCoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := made(t, func(c *Config) { c.Timeout = time.Minute })
		own, _ := h.cfg.Classify(fails("never"), "", "")
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(ctx context.Context) error {
			<-ctx.Done()
			return own
		}})
		assert.Equal(t, "never", taxonomy.CodeOf(out.Err))
	})
}

// TestHangs: an operation that does not return is left behind, and never called a second time
// beside itself.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var running, most, calls atomic.Int32
		h := made(t, func(c *Config) { c.Timeout, c.Grace = time.Minute, time.Second })
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error {
			calls.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-release
			return nil
		}})
		assert.Equal(t, "timeout", taxonomy.CodeOf(out.Err))
		assert.Equal(t, int32(1), calls.Load())
		assert.Equal(t, int32(1), most.Load())
		close(release)
	})
}

func TestHangsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		h := made(t, func(c *Config) { c.Timeout, c.Grace = time.Minute, time.Second })
		out := h.Handle(t.Context(), Op{Name: "op", Source: "fake", Do: func(context.Context) error {
			if calls.Add(1) == 1 {
				time.Sleep(90 * time.Second)
				return errors.New("too late to be heard")
			}
			return nil
		}})
		require.NoError(t, out.Err)
		assert.Equal(t, 2, out.Calls)
	})
}

func TestCancel(t *testing.T) {
	why := errors.New("the shutdown")
	tests := map[string]func(ctx context.Context, cancel func()) error{
		"while it runs": func(ctx context.Context, cancel func()) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		},
		"and it hangs": func(ctx context.Context, cancel func()) error {
			cancel()
			time.Sleep(time.Hour)
			return nil
		},
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				out := made(t, nil).Handle(ctx, Op{Name: "op", Source: "fake", Do: func(ctx context.Context) error {
					return do(ctx, func() { cancel(why) })
				}})
				assert.Equal(t, executor.EndCancelled, out.Result.EndReason)
				require.ErrorIs(t, out.Err, why)
				assert.Equal(t, 1, out.Calls)
				time.Sleep(2 * time.Hour)
			})
		})
	}
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		out := made(t, nil).Handle(ctx, Op{Name: "op", Source: "fake", Do: plays("")})
		require.ErrorIs(t, out.Err, why)
		assert.Zero(t, out.Calls)
	})
}
