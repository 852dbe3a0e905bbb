package executor_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/orders"
	"github.com/errgen/errgen/runtime/problem"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ordering is a provider that places an order with a service.
type ordering struct {
	url        string
	idempotent taxonomy.Tristate
}

func (ordering) Name() string                    { return "gateway" }
func (ordering) Available(context.Context) error { return nil }
func (o ordering) Idempotent() taxonomy.Tristate { return o.idempotent }

func (o ordering) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, http.NoBody)
	if err != nil {
		return executor.Answer{}, err
	}
	resp, err := http.DefaultClient.Do(post)
	if err != nil {
		return executor.Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return executor.Answer{}, problem.Read(resp, orders.Table)
	}
	return executor.Answer{Text: "TASK COMPLETE"}, nil
}

// TestEffectOfReceivedErrors calls a service whose first answer is an error that the table retries, with
// an effect that only the service knows, or whose first answer is lost.
func TestEffectOfReceivedErrors(t *testing.T) {
	for _, tt := range []struct {
		effect     string // "" cuts the connection
		idempotent taxonomy.Tristate
		calls      int32
		want       taxonomy.Effect // of the run's error, if it fails
	}{
		{"none", taxonomy.No, 2, taxonomy.EffectUnspecified},
		{"unknown", taxonomy.No, 1, taxonomy.EffectUnknown},
		{"unknown", taxonomy.Unspecified, 2, taxonomy.EffectUnspecified},
		{"done", taxonomy.No, 1, taxonomy.EffectDone},
		{"done", taxonomy.Unspecified, 1, taxonomy.EffectDone},
		{"done", taxonomy.Yes, 1, taxonomy.EffectDone},
		{"", taxonomy.No, 1, taxonomy.EffectUnknown},
		{"", taxonomy.Yes, 2, taxonomy.EffectUnspecified},
	} {
		t.Run(fmt.Sprintf("%q, idempotent %v", tt.effect, tt.idempotent), func(t *testing.T) {
			var calls atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				switch {
				case calls.Add(1) > 1:
				case tt.effect == "":
					conn, _, err := w.(http.Hijacker).Hijack()
					if assert.NoError(t, err) {
						assert.NoError(t, conn.Close())
					}
				default:
					w.Header().Set("Content-Type", "application/problem+json")
					w.WriteHeader(http.StatusTooManyRequests)
					_, _ = fmt.Fprintf(w, `{"code":"TOO_MANY","domain":%q,"retryable":true,"effect":%q}`,
						orders.Table.Taxonomy.Domain, tt.effect)
				}
			}))
			defer service.Close()
			e, err := executor.New(executor.Config{
				Table: orders.Table, Classify: detect.Classifier(orders.Explain), Clock: instant{},
				Provider: ordering{service.URL, tt.idempotent},
			})
			require.NoError(t, err)
			r := e.Run(t.Context(), executor.Task{ID: "1", Prompt: "Order."})
			assert.Equal(t, tt.calls, calls.Load())
			if tt.want == taxonomy.EffectUnspecified {
				assert.Equal(t, executor.EndCompleted, r.EndReason, "%v", r.Err)
				return
			}
			assert.Equal(t, executor.EndBlocked, r.EndReason)
			assert.Equal(t, tt.want, retry.EffectOf(r.Err))
			assert.Equal(t, tt.want == taxonomy.EffectDone, errors.Is(r.Err, taxonomy.AlreadyDone))
		})
	}
}
