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

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
)

// What is hard: calls that hang before they fail, so that those who call do so ever less before the
// breaker opens; slow ones; and a program that has not seen for how long enough how fast calls are
// made when all is well. Also then there are at most 1.1 requests an interval while the breaker is
// open, at most twice the normal rate afterwards, and all is as before in a known time.
func TestHardStorms(t *testing.T) {
	for _, tt := range []struct {
		name           string
		pause          time.Duration
		latency, hangs time.Duration
		down, outage   time.Duration
		caughtUp       time.Duration // at the latest, from the lane's opening
		seed           uint64        // 1 if it is 0
	}{
		{"hang for ten seconds", 10 * s, 100 * ms, 10 * s, m, m, 30 * s, 0},
		{"hang for half a minute", 10 * s, 100 * ms, 30 * s, m, m, 30 * s, 0},
		{"hang for a minute", 10 * s, 100 * ms, m, m, 2 * m, 30 * s, 0},
		{"hang for a minute, for long", 10 * s, 100 * ms, m, m, 4 * m, 30 * s, 0},
		{"slow when all is well", 10 * s, 5 * s, 5 * s, m, m, 30 * s, 0},
		{"slow when all is well, and come again as one", 10 * s, 5 * s, 5 * s, m, m, 30 * s, 28},
		{"down at the start", 10 * s, 100 * ms, 0, 0, m, 100 * s, 0},
		{"down at the start, for long", 10 * s, 100 * ms, 0, 0, 4 * m, 180 * s, 0},
		{"down at the start, for short", 10 * s, 100 * ms, 0, 0, 12 * s, 100 * s, 0},
		{"down at the start, for short, and few wait for long", 10 * s, 100 * ms, 0, 0, 12 * s, 100 * s, 31},
		{"down at the start, many calls", 2 * s, 100 * ms, 0, 0, m, 100 * s, 0},
		{"down after five seconds", 10 * s, 100 * ms, 0, 5 * s, m, 100 * s, 0},
		{"hanging at the start", 10 * s, 100 * ms, 30 * s, 0, m, 100 * s, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var shut, opened time.Time
				st := storm{
					callers: 300, seed: max(1, tt.seed), pause: tt.pause, policy: patient,
					gate: breaker.New(breaker.Options{OnState: func(c breaker.Change) {
						switch {
						case c.From == breaker.Closed && shut.IsZero():
							shut = c.At
						case c.To == breaker.Closed:
							opened = c.At
						}
					}}),
					provider: provider{down: tt.down, up: tt.down + tt.outage, latency: tt.latency, hangs: tt.hangs},
				}
				p := &st.provider
				st.end = p.up + max(tt.hangs, 5*s) + tt.caughtUp + 30*s
				_, failed := st.run(t)

				normal := float64(st.callers) / (tt.pause + tt.latency).Seconds()
				from := max(tt.down, shut.Sub(p.begun)) + 10*s
				probes := max(1, (p.up-from).Seconds()/5)
				outage, after := sum(p.between(from, p.up)), p.between(p.up, st.end)
				back := p.between(opened.Sub(p.begun)+tt.caughtUp, st.end)[:20]
				t.Logf("normal %.0f/s, in the outage %d for %.0f probes, open after %v, afterwards at most %d/s, "+
					"in seconds: %v",
					normal, outage, probes, opened.Sub(p.begun)-p.up, slices.Max(after), after)
				assert.LessOrEqual(t, float64(outage), 1.1*probes)
				assert.LessOrEqual(t, float64(slices.Max(after)), 2*normal)
				assert.GreaterOrEqual(t, float64(sum(back))/20, 0.85*normal, "as before")
				assert.Empty(t, failed)
			})
		})
	}
}

// Callers who come whatever becomes of those before, at random times, to a provider that is down
// from the start, or is so after a while; of some, who give up after a while, those who would come
// too late leave no gap.
func TestStormOfPatience(t *testing.T) {
	for _, tt := range []struct {
		name     string
		down     time.Duration
		patience time.Duration
		caughtUp time.Duration
	}{
		{"known rate", m, 0, 195 * s},
		{"unknown rate", 0, 0, 195 * s},
		{"known rate, give up", m, 20 * s, 60 * s},
		{"unknown rate, give up", 0, 20 * s, 60 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const normal, outage = 25, m
				up := tt.down + outage
				end := up + tt.caughtUp + m
				gates, random := breaker.New(breaker.Options{}), rand.New(rand.NewPCG(5, 5))
				p := provider{begun: time.Now(), down: tt.down, up: up, latency: 100 * ms}
				var wg sync.WaitGroup
				var mu sync.Mutex
				late := 0
				for time.Since(p.begun) < end {
					_ = retry.System.Sleep(t.Context(), time.Duration(random.ExpFloat64()*float64(s)/normal))
					gate := apart{gates, time.Duration(random.IntN(int(ms)))}
					wg.Go(func() {
						ctx, begun := t.Context(), time.Now()
						if tt.patience > 0 {
							var cancel context.CancelFunc
							ctx, cancel = context.WithTimeout(ctx, tt.patience)
							defer cancel()
						}
						err := retry.Do(ctx, patient, p.call, retry.WithGate(gate, "lane", ""))
						if at := begun.Sub(p.begun); at > up+5*s+tt.caughtUp && (err != nil || time.Since(begun) > s) {
							mu.Lock()
							defer mu.Unlock()
							late++
						}
					})
				}
				wg.Wait()
				after := p.between(up, end)
				t.Logf("afterwards at most %d/s, in seconds: %v", slices.Max(after), after)
				assert.LessOrEqual(t, sum(p.between(tt.down+10*s, up)), 11)
				assert.LessOrEqual(t, slices.Max(after), 2*normal)
				assert.Zero(t, late, "nobody waits in the end")
			})
		})
	}
}
