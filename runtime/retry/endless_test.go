package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// itself wraps itself.
type itself struct{}

func (itself) Error() string   { return "it wraps itself" }
func (i itself) Unwrap() error { return i }

// forking wraps ever more of itself.
type forking struct{}

func (forking) Error() string   { return "it wraps more and more" }
func (forking) Unwrap() []error { return []error{forking{}, forking{}} }

// open is a gate that lets everybody in.
type open struct{}

func (open) Enter(_ context.Context, _, _ string, now time.Time) (time.Time, error) { return now, nil }
func (open) Leave(string, string, retry.CallEnd)                                    {}
func (open) Retry(string, *taxonomy.Policy) bool                                    { return true }

// The errors of others may have trees that do not end.
func TestErrorsWithoutAnEnd(t *testing.T) {
	for name, err := range map[string]error{
		"itself": itself{}, "forking": forking{}, "below": fmt.Errorf("no: %w", itself{}),
		"joined": errors.Join(forking{}, itself{}),
	} {
		calls := 0
		op := func(context.Context) error { calls++; return err }
		assert.ErrorContains(t, retry.Do(t.Context(), taxonomy.Policy{MaxAttempts: 2}, op), "2 calls, no calls left",
			name)
		assert.ErrorContains(
			t, retry.Do(t.Context(), taxonomy.Policy{MaxAttempts: 2}, op, retry.WithGate(open{}, "l", "c")), "2 calls",
			name)
		assert.Equal(t, 4, calls, name)
		ctx, cancel := context.WithCancel(t.Context())
		got := retry.Do(ctx, taxonomy.Policy{MaxAttempts: 2}, func(context.Context) error { cancel(); return err })
		assert.ErrorContains(t, got, "the context ended (context canceled)", name)
		assert.False(t, retry.Retryable(errors.Join(context.Canceled, err)), name)
		assert.ErrorContains(
			t, retry.Do(t.Context(), taxonomy.Policy{MaxAttempts: 3},
				func(context.Context) error { return retry.Permanent(err) }), "1 call, not retryable", name)
	}
}
