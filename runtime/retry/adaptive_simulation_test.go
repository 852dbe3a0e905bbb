package retry_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// recovery draws after how many seconds a failure is over; some never are.
type recovery func(r *rand.Rand) float64

func exponential(mean float64) recovery {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

func lognormal(median, sigma float64) recovery {
	return func(r *rand.Rand) float64 { return median * math.Exp(sigma*r.NormFloat64()) }
}

func never(*rand.Rand) float64 { return math.Inf(1) }

// mixed draws from a with the given share, otherwise from b.
func mixed(share float64, a, b recovery) recovery {
	return func(r *rand.Rand) float64 {
		if r.Float64() < share {
			return a(r)
		}
		return b(r)
	}
}

// What an operation costs, in seconds: each second waited is one, each retry five, and giving up
// fifty, so that a retry is worth it when it succeeds once in ten times.
const (
	costOfRetry = 5
	costOfLoss  = 50
)

// operations simulates n operations that fail at first, and returns what they cost on average.
func operations(n int, seed uint64, recovers recovery, p taxonomy.Policy, a *retry.Adaptive) float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	cost := 0.0
	for range n {
		cost += operation(r, recovers(r), p, a)
	}
	return cost / float64(n)
}

func operation(r *rand.Rand, over float64, p taxonomy.Policy, a *retry.Adaptive) (cost float64) {
	a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
	var series retry.Series
	for {
		now := a.Policy(&p, "CODE")
		next := series.Next(&now, retry.Hint{}, r.Float64)
		if next.UsedUp {
			return cost + costOfLoss
		}
		series = next.Series
		cost += next.Wait.Seconds() + costOfRetry
		o := retry.Outcome{After: "CODE", Policy: p.Name, Attempt: series.Calls + 1, Wait: next.Wait}
		succeeds := series.Waited.Seconds() >= over
		if !succeeds {
			o.Code = "CODE"
		}
		a.Learn(o)
		if succeeds {
			return cost
		}
	}
}

func fixed(attempts int, delay time.Duration) taxonomy.Policy {
	return taxonomy.Policy{
		Name: "p", MaxAttempts: attempts, InitialDelay: delay, MaxDelay: 2 * m, Multiplier: 2,
		JitterKind: taxonomy.JitterProportional, Jitter: 0.1,
	}
}

func adapting(target float64) taxonomy.Policy {
	p := fixed(3, s)
	p.Adapt = &taxonomy.Adapt{
		MinAttempts: 2, MaxAttempts: 8, MinDelay: 500 * ms, MaxDelay: 2 * m, Target: target, Window: 50,
	}
	return p
}

// bestAndWorst returns what the best and the worst of all fixed policies cost.
func bestAndWorst(n int, seed uint64, recovers recovery) (best, worst float64) {
	best = math.Inf(1)
	for _, attempts := range []int{2, 3, 5, 8} {
		for _, delay := range []time.Duration{500 * ms, s, 4 * s, 15 * s, 45 * s, 2 * m} {
			cost := operations(n, seed, recovers, fixed(attempts, delay), nil)
			best, worst = min(best, cost), max(worst, cost)
		}
	}
	return best, worst
}

// Adapting costs at most 1.4 times what the best of all fixed policies costs, which nobody knows
// before, and at most 0.65 of the worst one; what is paid for learning is included. Where some
// failures take a minute it costs 1.7 times as much: it waits for them, though by these costs
// giving up is cheaper. Only the bounds say what time is worth.
func TestAdaptiveAgainstFixed(t *testing.T) {
	const n = 2000
	for _, tt := range []struct {
		name     string
		recovers recovery
		target   float64
		factor   float64
	}{
		{"soon", exponential(0.5), 0.8, 1.4},
		{"in seconds", exponential(8), 0.8, 1.4},
		{"in half a minute", lognormal(30, 0.5), 0.8, 1.4},
		{"soon or in a minute, content with the first", mixed(0.7, exponential(1), lognormal(60, 0.2)), 0.5, 1.7},
		{"hardly ever", mixed(0.05, exponential(1), never), 0.8, 1.4},
		{"soon or never", mixed(0.5, exponential(1), never), 0.8, 1.4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(3) {
				best, worst := bestAndWorst(n, seed, tt.recovers)
				own := operations(n, seed, tt.recovers, fixed(3, s), nil)
				a, p := retry.NewAdaptive(seed), adapting(tt.target)
				cost := operations(n, seed, tt.recovers, p, a)
				end := a.Policy(&p, "CODE")
				t.Logf("best %.1f, adapting %.1f, not adapting %.1f, worst %.1f; in the end %d attempts, %v",
					best, cost, own, worst, end.MaxAttempts, end.InitialDelay)
				assert.LessOrEqual(t, cost, tt.factor*best)
				assert.LessOrEqual(t, cost, 0.65*worst)
			}
		})
	}
}

// A policy whose numbers are wrong for a provider costs about half as much when it adapts.
func TestAdaptiveMendsBadNumbers(t *testing.T) {
	recovers := exponential(8)
	bad := operations(2000, 1, recovers, fixed(3, s), nil)
	assert.LessOrEqual(t, operations(2000, 1, recovers, adapting(0.8), retry.NewAdaptive(1)), 0.6*bad)
}

// After a long time in which nothing helped, it finds what helps when there is something again.
func TestAdaptiveComesBack(t *testing.T) {
	a, p := retry.NewAdaptive(3), adapting(0.8)
	operations(500, 1, never, p, a)
	assert.Equal(t, 2, attemptsOf(a, p), "given up")
	operations(500, 2, exponential(8), p, a)
	best, _ := bestAndWorst(1000, 3, exponential(8))
	assert.LessOrEqual(t, operations(1000, 3, exponential(8), p, a), 1.3*best)
}

// attemptsOf returns the attempts of the rule, outside of what is explored.
func attemptsOf(a *retry.Adaptive, p taxonomy.Policy) int {
	least := math.MaxInt
	for range 3 * 16 { // the explored are 16 or, at the border of two turns, 32 in a row
		least = min(least, a.Policy(&p, "CODE").MaxAttempts)
		a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
	}
	return least
}
