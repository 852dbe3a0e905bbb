package breaker_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
)

// Half of the callers wait as long as it takes, half hang up after at most so many seconds and come
// again a second later: many more wait than there are places for. They do not enter all at once,
// neither when the queue is short nor when nobody knows what is normal, and all is as before in the
// end.
func TestStormOfTheRefused(t *testing.T) {
	for _, tt := range []struct {
		name         string
		down, outage time.Duration
		pause        time.Duration
		patience     time.Duration
		most         float64 // of the normal rate, in any second; with few calls a second chance has a part in that
	}{
		{"seldom", 400 * s, 2 * m, m, 3 * s, 3},
		{"unknown rate", 0, 3 * m, 10 * s, 10 * s, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const callers = 400
				gates := breaker.New(breaker.Options{})
				p := provider{begun: time.Now(), down: tt.down, up: tt.down + tt.outage, latency: 50 * ms}
				end := p.up + 4*m
				var wg sync.WaitGroup
				for i := range callers {
					random := rand.New(rand.NewPCG(3, uint64(i)))
					some := func(
						d time.Duration) time.Duration {
						return time.Duration((0.5 + random.Float64()) * float64(d))
					}
					gate := apart{gates, time.Duration(i * 6700417 % int(10*ms))}
					wg.Go(func() {
						_ = retry.System.Sleep(t.Context(), time.Duration(random.Float64()*float64(tt.pause)))
						for time.Since(p.begun) < end {
							ctx, done := t.Context(), func() {}
							if i%2 == 0 {
								ctx, done = limited(ctx, time.Duration(random.Float64()*float64(tt.patience)), true)
							}
							err := retry.Do(ctx, patient, p.call, retry.WithGate(gate, "lane", ""),
								retry.WithRandom(random.Float64))
							done()
							wait := some(tt.pause)
							if err != nil {
								wait = some(s)
							}
							_ = retry.System.Sleep(t.Context(), wait)
						}
					})
				}
				wg.Wait()
				normal := callers / tt.pause.Seconds()
				after := p.between(p.up, end)
				t.Logf("normal %.1f/s, afterwards at most %d/s, in seconds: %v", normal, slices.Max(after), after)
				assert.LessOrEqual(t, float64(slices.Max(after)), tt.most*normal)
				assert.GreaterOrEqual(t, float64(sum(after[180:]))/60, 0.85*normal, "as before")
			})
		})
	}
}
