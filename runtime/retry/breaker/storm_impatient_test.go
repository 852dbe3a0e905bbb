package breaker_test

import (
	"context"
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
)

// Callers that give a call only so long, and come again a second after they gave it up: whether the
// gate can see for how long they wait, as that of a deadline, or cannot, as with a client that
// hangs up. Those who waited longest are those who have least left, so to serve them first would
// serve nobody.
func TestStormOfTheImpatient(t *testing.T) {
	for _, tt := range []struct {
		name     string
		callers  int
		patience time.Duration
		latency  time.Duration
		outage   time.Duration
		hidden   bool
		caughtUp time.Duration
		hangs    time.Duration
	}{
		{"three seconds", 300, 3 * s, 50 * ms, m, false, 30 * s, 0},
		{"three seconds, unseen", 300, 3 * s, 50 * ms, m, true, 30 * s, 0},
		{"three seconds, a thousand callers", 1000, 3 * s, 50 * ms, m, false, 30 * s, 0},
		{"ten seconds for a call of six", 300, 10 * s, 6 * s, m, false, 60 * s, 0},
		{"ten seconds for a call of six, unseen", 300, 10 * s, 6 * s, m, true, 60 * s, 0},
		{"ten seconds", 300, 10 * s, s, m, false, 30 * s, 0},
		{"six seconds for a call of five", 300, 6 * s, 5 * s, m, false, m, 0},
		{"half a second, and hardly more", 300, 550 * ms, 500 * ms, m, false, 30 * s, 0},
		{"down for five minutes", 300, 3 * s, 50 * ms, 5 * m, false, 30 * s, 0},
		{"down for five minutes, unseen", 300, 3 * s, 50 * ms, 5 * m, true, 30 * s, 0},
		{"calls hang until they are given up", 300, 5 * s, 50 * ms, m, false, 30 * s, 10 * m},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const down, pause = m, 10 * s
				var opened time.Time
				times := 0
				gates := breaker.New(breaker.Options{OnState: func(c breaker.Change) {
					if c.To == breaker.Closed {
						opened = c.At
						times++
					}
				}})
				p := provider{begun: time.Now(), down: down, up: down + tt.outage, latency: tt.latency, hangs: tt.hangs}
				end := p.up + tt.caughtUp + m
				served := make([]int, end/s+m/s)
				var mu sync.Mutex
				var wg sync.WaitGroup
				for i := range tt.callers {
					random := rand.New(rand.NewPCG(7, uint64(i)))
					some := func(
						d time.Duration) time.Duration {
						return time.Duration((0.5 + random.Float64()) * float64(d))
					}
					gate := apart{gates, time.Duration(i * 6700417 % int(10*ms))}
					wg.Go(func() {
						_ = retry.System.Sleep(t.Context(), time.Duration(random.Float64()*float64(pause)))
						for time.Since(p.begun) < end {
							ctx, done := limited(t.Context(), tt.patience, tt.hidden)
							err := retry.Do(ctx, patient, p.call, retry.WithGate(gate, "lane", ""),
								retry.WithRandom(random.Float64))
							done()
							wait := some(s)
							if err == nil {
								wait = some(pause)
								mu.Lock()
								served[time.Since(p.begun)/s]++
								mu.Unlock()
							}
							_ = retry.System.Sleep(t.Context(), wait)
						}
					})
				}
				wg.Wait()

				normal := float64(tt.callers) / (pause + tt.latency).Seconds()
				probes := (tt.outage - 10*s).Seconds() / 5
				after := p.between(p.up, end)
				require.Equal(t, 1, times, "the breaker has opened, and closed again, once")
				back := served[(opened.Sub(p.begun)+tt.caughtUp)/s:][:30]
				t.Logf("normal %.0f/s, in the outage %d for %.0f probes, open after %v, afterwards at most %d/s, "+
					"requests %v, served %v", normal,
					sum(p.between(down+10*s, p.up)), probes, opened.Sub(p.begun)-p.up, slices.Max(after), after,
					served[p.up/s:])
				assert.LessOrEqual(t, float64(sum(p.between(down+10*s, p.up))), 1.1*probes)
				assert.LessOrEqual(t, float64(slices.Max(after)), 2*normal)
				assert.GreaterOrEqual(t, float64(sum(back))/30, 0.85*normal, "as before")
			})
		})
	}
}

// limited returns a context that ends after d. That of a hidden end has no deadline.
func limited(ctx context.Context, d time.Duration, hidden bool) (context.Context, context.CancelFunc) {
	if !hidden {
		return context.WithTimeout(ctx, d)
	}
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(d, cancel)
	return ctx, func() { timer.Stop(); cancel() }
}
