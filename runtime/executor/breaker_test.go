package executor

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// outage is a provider that fails for the first minute; a call takes 100 ms. It notes when it was
// called.
type outage struct {
	began time.Time
	mu    sync.Mutex
	calls []time.Duration
}

func (*outage) Name() string                    { return "down" }
func (*outage) Available(context.Context) error { return nil }

func (o *outage) Call(ctx context.Context, _ Request) (Answer, error) {
	o.mu.Lock()
	at := time.Since(o.began)
	o.calls = append(o.calls, at)
	o.mu.Unlock()
	if err := retry.System.Sleep(ctx, 100*time.Millisecond); err != nil {
		return Answer{}, err
	}
	if at < time.Minute {
		return Answer{}, fails("outage")
	}
	return Answer{Text: "TASK COMPLETE"}, nil
}

// between counts the calls that were begun in [from, to).
func (o *outage) between(from, to time.Duration) (n int) {
	for _, at := range o.calls {
		if at >= from && at < to {
			n++
		}
	}
	return n
}

// Many runs that share a real breaker ask a provider that is down as often as one that probes it
// would.
func TestManyRunsBehindABreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := &taxonomy.Policy{
			Name: "outage", MaxAttempts: 1000, InitialDelay: time.Second, Backoff: taxonomy.Constant,
			Budget: &taxonomy.Budget{Retries: -1, Window: 10 * time.Second,
				Breaker: &taxonomy.Breaker{Failures: 5, Of: 5, Probe: 5 * time.Second, Successes: 1}},
		}
		tables := tableOf(map[string]taxonomy.Reaction{
			"outage": {Action: taxonomy.RetryOperation, Policy: policy, Then: &reactBlock},
		})
		provider, gates := &outage{began: time.Now()}, breaker.New(breaker.Options{})
		e, err := New(Config{Table: tables.table(), Classify: tables.classify, Provider: provider, Gate: gates})
		require.NoError(t, err)
		var runs []*Run
		for i := range 50 {
			runs = append(runs, e.Start(t.Context(), Task{Run: fmt.Sprint("run-", i), ID: "t"}))
		}
		for _, run := range runs {
			r := run.Wait()
			assert.Equal(t, EndCompleted, r.EndReason)
			assert.Empty(t, r.Warnings)
		}
		assert.LessOrEqual(t, provider.between(10*time.Second, time.Minute), 11, "a probe each 5 seconds")
		assert.GreaterOrEqual(t, provider.between(10*time.Second, time.Minute), 9)
		for _, s := range gates.Status() {
			assert.Equal(t, breaker.Closed, s.State)
		}
	})
}

// A run that is cancelled while it is the probe does not keep the breaker open.
func TestACancelledProbeLeavesTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := &taxonomy.Policy{
			Name: "outage", MaxAttempts: 1000, InitialDelay: time.Second, Backoff: taxonomy.Constant,
			Budget: &taxonomy.Budget{Retries: -1, Window: 10 * time.Second,
				Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: 10 * time.Second, Successes: 1}},
		}
		tables := tableOf(
			map[string]taxonomy.Reaction{"outage": {Action: taxonomy.RetryOperation, Policy: policy,
				Then: &reactBlock}})
		provider := &outage{began: time.Now()}
		ctx, cancel := context.WithCancel(t.Context())
		gates := breaker.New(breaker.Options{})
		cfg := Config{Table: tables.table(), Classify: tables.classify, Provider: provider, Gate: gates}
		cfg.Observer = observer(func(e Event) {
			if e.Kind == CallStarted && e.Run == "one" && e.Call == 2 {
				cancel()
			}
		})
		e, err := New(cfg)
		require.NoError(t, err)
		one := e.Start(ctx, Task{Run: "one", ID: "t"})
		assert.Equal(t, EndCancelled, one.Wait().EndReason)
		r := e.Run(t.Context(), Task{Run: "two", ID: "t"})
		assert.Equal(t, EndCompleted, r.EndReason)
		assert.Less(t, time.Duration(r.Waited), 2*time.Minute)
	})
}
