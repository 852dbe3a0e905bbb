package retry_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestAdaptiveChangesNothing(t *testing.T) {
	plain, adapt := fixed(3, s), adapting(0.8)
	nothing := fixed(3, s)
	nothing.Adapt = &taxonomy.Adapt{Target: 0.8}
	var none *retry.Adaptive
	none.Learn(outcome(2, s, true))
	assert.Equal(t, adapt, none.Policy(&adapt, "CODE"), "nil")
	a := retry.NewAdaptive(1)
	for range 30 {
		a.Learn(outcome(2, s, false))
	}
	assert.Equal(t, plain, a.Policy(&plain, "CODE"), "without adapt")
	assert.Equal(t, nothing, a.Policy(&nothing, "CODE"), "without bounds")
	assert.Equal(t, adapt, a.Policy(&adapt, "OTHER"), "nothing is known of the code")
	assert.Equal(t, taxonomy.Policy{}, a.Policy(nil, "CODE"))
	assert.Equal(t, adapt, new(retry.Adaptive).Policy(&adapt, "CODE"), "zero")
}

// outcome is that of a retry after CODE under p.
func outcome(attempt int, wait time.Duration, succeeded bool) retry.Outcome {
	o := retry.Outcome{After: "CODE", Policy: "p", Attempt: attempt, Wait: wait}
	if !succeeded {
		o.Code = "CODE"
	}
	return o
}

// The smallest number of calls after which going on is not worth it, for a policy of three calls
// that may be two to six.
func TestAdaptiveAttempts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		outcomes string // "3:+--" are a success and two failures of the third call
		want     int
	}{
		{"nothing known", "", 3},
		{"few failures do not prove it", "3:" + strings.Repeat("-", 14), 3},
		{"enough failures", "3:" + strings.Repeat("-", 15), 2},
		{"a success among them", "3:+" + strings.Repeat("-", 29), 3},
		{"not below the least", "2:" + strings.Repeat("-", 50) + " 3:" + strings.Repeat("-", 50), 2},
		{"the second never helps, but the third", "2:" + strings.Repeat("-", 50) + " 3:++++----", 3},
		{"a fourth that helped", "4:+", 4},
		{"a fourth that helped once in five", "4:+----", 3},
		{"a fourth that helped twice in five", "4:++---", 4},
		{"a fourth that never helps, and a fifth that does", "4:" + strings.Repeat("-", 20) + " 5:++++++++++", 5},
		{"the sixth alone, seldom", "4:---------- 5:---------- 6:+++-------", 3},
		{"the sixth alone, often", "4:---------- 5:---------- 6:++++++++++", 6},
		{"beyond the most", "6:+ 7:+ 8:+ 100:+", 6},
		{"the last fifty count", "3:" + strings.Repeat("+", 50) + strings.Repeat("-", 50), 2},
		{"and no more than fifty", "3:" + strings.Repeat("-", 50) + strings.Repeat("+", 50), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixed(3, s)
			p.Adapt = &taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6, Target: 0.8, Window: 50}
			a := retry.NewAdaptive(1)
			for group := range strings.FieldsSeq(tt.outcomes) {
				n, ends, _ := strings.Cut(group, ":")
				attempt, err := strconv.Atoi(n)
				require.NoError(t, err)
				for _, c := range ends {
					a.Learn(outcome(attempt, s, c == '+'))
				}
			}
			assert.Equal(t, tt.want, attemptsOf(a, p))
			assert.Equal(t, s, a.Policy(&p, "CODE").InitialDelay, "not to be moved")
		})
	}
}

func TestAdaptiveAttemptsBounds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		own   int
		adapt taxonomy.Adapt
		want  int
	}{
		{"own within", 3, taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6}, 3},
		{"own below", 1, taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6}, 2},
		{"own above", 9, taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6}, 6},
		{"no bound of its own", 0, taxonomy.Adapt{MinAttempts: 2, MaxAttempts: 6}, 6},
		{"most only", 3, taxonomy.Adapt{MaxAttempts: 6}, 3},
		{"least above most", 3, taxonomy.Adapt{MinAttempts: 5, MaxAttempts: 4}, 5},
		{"absurd", math.MaxInt, taxonomy.Adapt{MinAttempts: -1, MaxAttempts: math.MaxInt, Window: math.MaxInt},
			math.MaxInt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixed(tt.own, s)
			p.Adapt = &tt.adapt
			assert.Equal(t, tt.want, retry.NewAdaptive(1).Policy(&p, "CODE").MaxAttempts)
		})
	}
}

// Of each 8 blocks of 16 outcomes one is explored, another one with another seed.
func TestAdaptiveExplores(t *testing.T) {
	p := fixed(2, s)
	p.Adapt = &taxonomy.Adapt{MinAttempts: 1, MaxAttempts: 7}
	picked := map[string]bool{}
	for seed := range uint64(20) {
		a := retry.NewAdaptive(seed)
		var blocks strings.Builder
		for range 8 * 16 { // the first turn: a code that nobody has heard of is not explored
			a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
		}
		for range 10 {
			explored := 0
			for block := range 8 {
				now := a.Policy(&p, "CODE").MaxAttempts
				for range 16 {
					assert.Equal(t, now, a.Policy(&p, "CODE").MaxAttempts, "the same within a block")
					a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
				}
				if now == 7 {
					explored++
					fmt.Fprint(&blocks, block)
				}
			}
			assert.Equal(t, 1, explored)
		}
		picked[blocks.String()] = true
	}
	assert.Len(t, picked, 20)
}

// A policy that retries nothing any more hears only of first calls, and tries again all the same.
func TestAdaptiveExploresWithoutRetries(t *testing.T) {
	p := fixed(1, s)
	p.Adapt = &taxonomy.Adapt{MinAttempts: 1, MaxAttempts: 3}
	a, most := retry.NewAdaptive(1), 0
	for range 16 * 16 {
		a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
		most = max(most, a.Policy(&p, "CODE").MaxAttempts)
	}
	assert.Equal(t, 3, most)
}

// The steps of the staircase, for a target of 0.75, where a step down is a third of one up.
func TestAdaptiveDelay(t *testing.T) {
	const down = -1.0 / 3
	turned := max(math.Ln2/2, math.Log(1.25))
	for _, tt := range []struct {
		name     string
		outcomes []retry.Outcome
		want     float64 // the logarithm of the delay in units of its own, a second
	}{
		{"nothing", nil, 0},
		{"a first retry helps", []retry.Outcome{outcome(2, s, true)}, math.Ln2 * down},
		{"a second one does", []retry.Outcome{outcome(2, s, false), outcome(3, 2*s, true)}, math.Ln2},
		{"a later one does", []retry.Outcome{outcome(5, 8*s, true)}, math.Ln2},
		{"none does", []retry.Outcome{outcome(2, s, false), outcome(3, 2*s, false)}, 0},
		{"twice", []retry.Outcome{outcome(3, 2*s, true), outcome(3, 4*s, true)}, 2 * math.Ln2},
		{"steps shrink as it turns", []retry.Outcome{outcome(3, 2*s, true), outcome(2, 2*s, true)},
			math.Ln2 + turned*down},
		{"waited for something else, longer", []retry.Outcome{outcome(2, 5*s, true)}, 0},
		{"waited for something else, shorter", []retry.Outcome{outcome(2, 124*ms, true), outcome(3, 0, true)}, 0},
		{"waited a little", []retry.Outcome{outcome(2, 125*ms, true)}, math.Ln2 * down},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixed(3, s)
			p.Adapt = &taxonomy.Adapt{MinDelay: 100 * ms, MaxDelay: m, Target: 0.75}
			a := retry.NewAdaptive(1)
			for _, o := range tt.outcomes {
				a.Learn(o)
			}
			got := a.Policy(&p, "CODE")
			assert.InDelta(t, tt.want, math.Log(got.InitialDelay.Seconds()), 1e-6)
			assert.Equal(t, 3, got.MaxAttempts, "not to be moved")
		})
	}
}

// With one retry at most there is no later one that could tell.
func TestAdaptiveDelayOfSingleRetry(t *testing.T) {
	for _, adapt := range []taxonomy.Adapt{
		{MinDelay: s, MaxDelay: m}, {MinDelay: s, MaxDelay: m, MinAttempts: 1, MaxAttempts: 2},
	} {
		p := fixed(2, s)
		p.Adapt = &adapt
		a := retry.NewAdaptive(1)
		a.Learn(outcome(2, s, false))
		assert.Equal(t, 2*s, a.Policy(&p, "CODE").InitialDelay)
	}
}

// It comes to rest where the target's share of first retries helps.
func TestAdaptiveDelayMeetsTarget(t *testing.T) {
	for _, target := range []float64{0.5, 0.8, 0.9} {
		p := fixed(8, s)
		p.Adapt = &taxonomy.Adapt{MinDelay: 100 * ms, MaxDelay: 2 * m, Target: target}
		a, r := retry.NewAdaptive(1), rand.New(rand.NewPCG(1, 1))
		operations(500, 2, exponential(8), p, a)
		const n = 4000
		helped := 0
		for range n {
			now := a.Policy(&p, "CODE")
			over, delay := 8*r.ExpFloat64(), now.InitialDelay.Seconds()
			o := outcome(2, now.InitialDelay, over <= delay)
			if over > delay {
				a.Learn(o)
				o = outcome(3, 2*now.InitialDelay, true)
			} else {
				helped++
			}
			a.Learn(o)
		}
		assert.InDelta(t, target, float64(helped)/n, 0.03)
	}
}

func TestAdaptiveDelayBounds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		own   time.Duration
		adapt taxonomy.Adapt
		ends  bool
		want  time.Duration
	}{
		{"least", s, taxonomy.Adapt{MinDelay: 400 * ms, MaxDelay: 3 * s}, true, 400 * ms},
		{"most", s, taxonomy.Adapt{MinDelay: 400 * ms, MaxDelay: 3 * s}, false, 3 * s},
		{"never nothing", 0, taxonomy.Adapt{MaxDelay: 3 * s}, true, ms},
		{"own below", ms, taxonomy.Adapt{MinDelay: 400 * ms, MaxDelay: 400 * ms}, true, 400 * ms},
		{"the policy's greatest delay", s, taxonomy.Adapt{MinDelay: s, MaxDelay: time.Hour}, false, 2 * m},
		{"least above most", s, taxonomy.Adapt{MinDelay: 5 * s, MaxDelay: 4 * s}, true, 5 * s},
		{"absurd", -s, taxonomy.Adapt{MinDelay: math.MinInt64, MaxDelay: math.MaxInt64, Target: math.NaN()}, false,
			2 * m},
		{"target 1", s, taxonomy.Adapt{MinDelay: s, MaxDelay: m, Target: 1}, false, m},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := fixed(5, tt.own)
			p.Adapt = &tt.adapt
			a := retry.NewAdaptive(1)
			for range 200 {
				delay := a.Policy(&p, "CODE").InitialDelay
				if tt.ends {
					a.Learn(outcome(2, delay, true))
				} else {
					a.Learn(outcome(3, 2*delay, true))
				}
			}
			assert.Equal(t, tt.want, a.Policy(&p, "CODE").InitialDelay)
		})
	}
}

// random is outcomes of several codes and policies.
func random(seed uint64, n int) []retry.Outcome {
	r := rand.New(rand.NewPCG(seed, 2))
	name := func(of string) string { return of + strconv.Itoa(r.IntN(3)) }
	out := make([]retry.Outcome, n)
	for i := range out {
		o := retry.Outcome{Attempt: 1 + r.IntN(6), Wait: time.Duration(r.IntN(4000)) * ms}
		if o.Attempt > 1 {
			o.After, o.Policy = name("CODE"), name("p")
		}
		if o.Attempt == 1 || r.IntN(2) == 0 {
			o.Code = name("CODE")
		}
		out[i] = o
	}
	return out
}

// policies returns what all pairs of random are to be used as.
func policies(a *retry.Adaptive) (out []taxonomy.Policy) {
	for i := range 3 {
		for j := range 3 {
			p := adapting(0.8)
			p.Name = "p" + strconv.Itoa(i)
			out = append(out, a.Policy(&p, "CODE"+strconv.Itoa(j)))
		}
	}
	return out
}

func TestAdaptiveIsBounded(t *testing.T) {
	a, p := retry.NewAdaptive(1), fixed(3, s)
	p.Adapt = &taxonomy.Adapt{MinDelay: ms, MaxDelay: m}
	learn := func(code string) {
		a.Learn(retry.Outcome{After: code, Policy: "p", Attempt: 3, Wait: s})
	}
	for i := range 1300 {
		learn(strconv.Itoa(i))
		learn("often")
	}
	for _, code := range []string{strings.Repeat("x", 257), "\xff"} {
		learn(code)
		assert.Equal(t, s, a.Policy(&p, code).InitialDelay, "no name to keep")
	}
	assert.Equal(t, s, a.Policy(&p, "0").InitialDelay, "forgotten")
	assert.Equal(t, 2*s, a.Policy(&p, "1299").InitialDelay)
	assert.Equal(t, 16*s, a.Policy(&p, "often").InitialDelay, "where a wait of a second no longer counts")
	for range 10000 {
		a.Learn(retry.Outcome{After: "many", Policy: "p", Attempt: 40, Wait: s})
	}
	b, err := json.Marshal(a)
	require.NoError(t, err)
	assert.Less(t, len(b), 1<<20)
	var kept struct{ Codes, Policies []json.RawMessage }
	require.NoError(t, json.Unmarshal(b, &kept))
	assert.Equal(t, []int{1024, 1024}, []int{len(kept.Codes), len(kept.Policies)})
}

func TestAdaptiveAllocatesNothing(t *testing.T) {
	a, p := retry.NewAdaptive(1), adapting(0.8)
	for i := range 100 {
		a.Learn(outcome(2+i%3, s, i%2 == 0))
	}
	o := outcome(2, s, true)
	var none *retry.Adaptive
	for name, f := range map[string]func(){
		"policy":       func() { _ = a.Policy(&p, "CODE") },
		"unknown code": func() { _ = a.Policy(&p, "OTHER") },
		"nil":          func() { _ = none.Policy(&p, "CODE") },
		"in between":   func() { a.Learn(o); _ = a.Policy(&p, "CODE") },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}

func TestAdaptiveAtOnce(t *testing.T) {
	a := retry.NewAdaptive(1)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j, o := range random(uint64(i), 300) {
				a.Learn(o)
				policies(a)
				if j%100 == 0 {
					b, err := json.Marshal(a)
					assert.NoError(t, err)
					assert.NoError(t, a.UnmarshalJSON(b))
				}
			}
		})
	}
	wg.Wait()
}
