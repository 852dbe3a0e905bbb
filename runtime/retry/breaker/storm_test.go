package breaker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
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

const (
	ms = time.Millisecond
	s  = time.Second
	m  = time.Minute
)

var errDown = errors.New("down")

// provider fails from down until up, and counts its requests by the second.
type provider struct {
	begun    time.Time
	down, up time.Duration
	latency  time.Duration
	hangs    time.Duration // the latency when it is down, unless that is 0

	mu       sync.Mutex
	requests []int
}

func (p *provider) call(ctx context.Context) error {
	at := time.Since(p.begun)
	p.mu.Lock()
	for len(p.requests) <= int(at/s) {
		p.requests = append(p.requests, 0)
	}
	p.requests[at/s]++
	p.mu.Unlock()
	down := at >= p.down && at < p.up
	latency := p.latency
	if down && p.hangs > 0 {
		latency = p.hangs
	}
	if err := retry.System.Sleep(ctx, latency); err != nil {
		return err
	}
	if down {
		return errDown
	}
	return nil
}

// between returns how many requests there were in each second of the span.
func (p *provider) between(from, until time.Duration) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests[from/s : min(int(until/s), len(p.requests))])
}

func sum(of []int) (n int) {
	for _, v := range of {
		n += v
	}
	return n
}

// storm has callers call a provider again and again, with a pause that differs each time, until the
// end.
type storm struct {
	callers  int
	seed     uint64
	pause    time.Duration
	end      time.Duration
	policy   taxonomy.Policy
	provider provider
	gate     retry.Gate
}

// apart has a caller ask the gate a little after the others, so that it is not chance in which
// order they take places, and a storm with the same random numbers is the same each time.
type apart struct {
	retry.Gate
	by time.Duration
}

func (a apart) Enter(ctx context.Context, lane, caller string, now time.Time) (time.Time, error) {
	at, err := a.Gate.Enter(ctx, lane, caller, now)
	if at.After(now) {
		at = at.Add(a.by)
	}
	return at, err
}

// run returns how many of the callers' operations succeeded after the provider was up again, and
// what the others failed with.
func (st *storm) run(t *testing.T) (served []int, failed []error) {
	st.provider.begun = time.Now()
	served = make([]int, st.callers)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range st.callers {
		random := rand.New(rand.NewPCG(st.seed, uint64(i)))
		wg.Go(func() {
			_ = retry.System.Sleep(t.Context(), time.Duration(random.Float64()*float64(st.pause)))
			for time.Since(st.provider.begun) < st.end {
				opts := []retry.Option{retry.WithRandom(random.Float64)}
				if st.gate != nil {
					opts = append(
						opts, retry.WithGate(apart{st.gate, time.Duration(i * 6700417 % int(10*ms))}, "lane", ""))
				}
				if err := retry.Do(t.Context(), st.policy, st.provider.call, opts...); err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				} else if time.Since(st.provider.begun) >= st.provider.up {
					served[i]++
				}
				_ = retry.System.Sleep(t.Context(), time.Duration((0.5+random.Float64())*float64(st.pause)))
			}
		})
	}
	wg.Wait()
	return served, failed
}

var patient = taxonomy.Policy{
	Name: "patient", InitialDelay: s, MaxDelay: 30 * s, Multiplier: 2, JitterKind: taxonomy.JitterProportional,
	Jitter: 0.1,
	Budget: &taxonomy.Budget{
		Retries: -1, Window: 10 * s, Breaker: &taxonomy.Breaker{Failures: 5, Of: 5, Probe: 5 * s, Successes: 1},
	},
}

// A thousand callers, a provider that fails for a minute and recovers. From the tenth second of the
// outage on it sees at most 1.1 times the requests that a breaker with one probe an interval lets
// through, afterwards never more than twice the normal rate in any second, and everybody is served
// in the end.
func TestStorm(t *testing.T) {
	for _, tt := range []struct {
		name    string
		pause   time.Duration // of each caller, so that a thousand make 1000/pause calls a second
		latency time.Duration
		probe   time.Duration
		end     time.Duration
	}{
		{"a hundred calls a second", 10 * s, 100 * ms, 5 * s, 4 * m},
		{"five hundred calls a second", 2 * s, 100 * ms, 5 * s, 190 * s},
		{"twenty-five calls a second, slow", 40 * s, 3 * s, 5 * s, 5 * m},
		{"long between probes", 10 * s, 100 * ms, 20 * s, 4 * m},
		{"short between probes", 10 * s, 100 * ms, s, 4 * m},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const down, up = m, 2 * m
				policy, budget, rule := patient, *patient.Budget, *patient.Budget.Breaker
				rule.Probe = tt.probe
				budget.Breaker, policy.Budget = &rule, &budget
				st := storm{
					callers: 1000, seed: 1, pause: tt.pause, end: tt.end, policy: policy,
					gate:     breaker.New(breaker.Options{}),
					provider: provider{down: down, up: up, latency: tt.latency},
				}
				served, failed := st.run(t)

				normal := float64(st.callers) / (tt.pause + tt.latency).Seconds()
				outage := sum(st.provider.between(down+10*s, up))
				probes := float64(50 * s / tt.probe)
				after := st.provider.between(up, st.end)
				t.Logf("normal %.0f/s, in the outage %d for %.0f probes, afterwards at most %d/s, in seconds: %v",
					normal, outage, probes, slices.Max(after), after[:60])
				assert.LessOrEqual(t, float64(outage), 1.1*probes)
				assert.LessOrEqual(t, float64(slices.Max(after)), 2*normal)
				last := after[len(after)-60:]
				assert.InEpsilon(t, normal, float64(sum(last))/60, 0.1, "as before in the end")
				assert.Empty(t, failed)
				assert.NotZero(t, slices.Min(served), "everybody")
			})
		})
	}
}

// What the gate keeps away: without one each second of the same outage sees hundreds of requests.
func TestStormWithoutGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const down, up = m, 2 * m
		st := storm{
			callers: 1000, seed: 1, pause: 10 * s, end: 3 * m, policy: patient,
			provider: provider{down: down, up: up, latency: 100 * ms},
		}
		_, failed := st.run(t)
		require.Empty(t, failed)
		assert.Greater(t, sum(st.provider.between(down+10*s, up)), 1000)
	})
}

// Callers who come whether or not the provider answers: those of the outage, more than the lane has
// places for, enter between those who come afterwards.
func TestStormOfArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const down, up, end, normal = 30 * s, 90 * s, 5 * m, 100
		gates := breaker.New(breaker.Options{})
		p := provider{begun: time.Now(), down: down, up: up, latency: 100 * ms}
		var mu sync.Mutex
		slowest := time.Duration(0)
		var wg sync.WaitGroup
		for at := time.Duration(0); at < end; at += s / normal {
			_ = retry.System.Sleep(t.Context(), s/normal)
			gate := apart{gates, at / (s / normal) * 6700417 % (10 * ms)}
			wg.Go(func() {
				begun := time.Now()
				assert.NoError(t, retry.Do(t.Context(), patient, p.call, retry.WithGate(gate, "lane", "")))
				if begun.Sub(p.begun) > end-30*s {
					mu.Lock()
					defer mu.Unlock()
					slowest = max(slowest, time.Since(begun))
				}
			})
		}
		wg.Wait()
		after := p.between(up, end+m)
		t.Logf("in seconds: %v", after)
		assert.LessOrEqual(t, sum(p.between(down+10*s, up)), 11)
		assert.LessOrEqual(t, slices.Max(after), 2*normal)
		assert.Equal(t, p.latency, slowest, "nobody waits in the end")
	})
}
