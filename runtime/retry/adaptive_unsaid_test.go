package retry_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// An `adapt` that is made by hand may state no target, or none that can be: it is 0.8, for which a
// step down is a fourth of one up.
func TestAdaptiveTargetThatIsNotSaid(t *testing.T) {
	for _, target := range []float64{0, -1, 1, 2, math.NaN()} {
		p := fixed(3, s)
		p.Adapt = &taxonomy.Adapt{MinDelay: 100 * ms, MaxDelay: m, Target: target}
		a := retry.NewAdaptive(1)
		a.Learn(outcome(2, s, true))
		assert.InDelta(t, -math.Ln2/4, math.Log(a.Policy(&p, "CODE").InitialDelay.Seconds()), 1e-6, "target %g", target)
	}
}

// Where no window is stated the last 50 outcomes of a call count: of them, three successes keep it,
// and two do not.
func TestAdaptiveWindowThatIsNotSaid(t *testing.T) {
	for _, window := range []int{0, -1} {
		for outcomes, want := range map[string]int{
			"+++" + strings.Repeat("-", 47): 3,
			"+++" + strings.Repeat("-", 48): 2,
		} {
			p := fixed(3, s)
			p.Adapt = &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, Window: window}
			a := retry.NewAdaptive(1)
			for _, c := range outcomes {
				a.Learn(outcome(3, s, c == '+'))
			}
			assert.Equal(t, want, attemptsOf(a, p), outcomes)
		}
	}
}
