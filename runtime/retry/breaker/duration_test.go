package breaker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
)

// A deadline that ends calls says something about the provider only if calls that succeed take no
// longer.
func TestCallsThatTimeOut(t *testing.T) {
	fine := func(took ...time.Duration) []time.Duration { return took }
	for _, tt := range []struct {
		name  string
		took  []time.Duration // by calls that succeed, a hundred times
		ended time.Duration
		want  breaker.State
	}{
		{"nothing known", nil, 20 * ms, breaker.Open},
		{"in less than calls take", fine(50 * ms), 20 * ms, breaker.Closed},
		{"in as long", fine(50 * ms), 51 * ms, breaker.Open},
		{"in much longer", fine(50 * ms), 5 * s, breaker.Open},
		{"in what some take", fine(50*ms, 50*ms, 50*ms, 2*s), s, breaker.Closed},
		{"in longer than any takes", fine(50*ms, 50*ms, 50*ms, 2*s), 10 * s, breaker.Open},
		{"not known how long", fine(0), 20 * ms, breaker.Open},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(b bench) {
				for range 100 {
					for _, took := range tt.took {
						b.call("fine", retry.CallEnd{Took: took})
					}
				}
				p := policy("p", *patient.Budget.Breaker)
				for range 5 {
					b.call("hasty", retry.CallEnd{Failed: true, TimedOut: true, Policy: p, Took: tt.ended})
				}
				assert.Equal(t, tt.want, b.State("lane"))
			})
		})
	}
}
