package retry_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func adapting(attempts, least, most int) taxonomy.Policy {
	return taxonomy.Policy{Name: "p", MaxAttempts: attempts, InitialDelay: s, MaxDelay: m,
		Adapt: &taxonomy.Adapt{MinAttempts: least, MaxAttempts: most, MinDelay: 100 * ms, MaxDelay: 30 * s}}
}

// outcome is the outcome of a retry after CODE.
func outcome(attempt int, wait time.Duration, success bool) retry.Outcome {
	o := retry.Outcome{After: "CODE", Policy: "p", Attempt: attempt, Wait: wait}
	if !success {
		o.Code = "OTHER"
	}
	return o
}

// learn learns outcomes such as "3:+--": a success and two failures of the third call.
func learn(a *retry.Adaptive, outcomes string) {
	for group := range strings.FieldsSeq(outcomes) {
		n, results, _ := strings.Cut(group, ":")
		attempt, _ := strconv.Atoi(n)
		for _, r := range results {
			a.Learn(outcome(attempt, s, r == '+'))
		}
	}
}

func TestAdaptiveAttempts(t *testing.T) {
	for _, tt := range []struct {
		name       string
		least, own int
		most       int
		outcomes   string
		want       int
	}{
		{"no knowledge", 2, 3, 6, "", 3},
		{"own number below the least", 2, 1, 6, "", 2},
		{"own number above the most", 2, 9, 6, "", 6},
		{"few failures", 2, 3, 6, "3:" + strings.Repeat("-", 9), 3},
		{"more failures", 2, 3, 6, "3:" + strings.Repeat("-", 12), 2},
		{"one success in five", 2, 3, 3, "3:" + strings.Repeat("+----", 20), 3},
		{"never below the least", 2, 3, 6, "2:" + strings.Repeat("-", 60) + " 3:" + strings.Repeat("-", 60), 2},
		{"the second never helps, the third does", 1, 3, 3, "2:" + strings.Repeat("-", 60) + " 3:++++", 3},
		{"one more than the last that helped", 2, 3, 6, "3:+", 4},
		{"not beyond the most", 2, 3, 4, "3:+ 4:+", 4},
		{"a fourth that helped once in twenty", 2, 3, 6, "3:+ 4:+" + strings.Repeat("-", 19), 3},
		{"old outcomes fade", 2, 3, 6, "3:" + strings.Repeat("+", 50) + strings.Repeat("-", 150), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, p := retry.NewAdaptive(), adapting(tt.own, tt.least, tt.most)
			learn(a, tt.outcomes)
			assert.Equal(t, tt.want, a.Policy(&p, "CODE").MaxAttempts)
			assert.Equal(t, min(max(tt.own, tt.least), tt.most), a.Policy(&p, "UNHEARD").MaxAttempts)
		})
	}
}

// A call that is not made is made again in a part of the failures.
func TestAdaptiveTriesAgain(t *testing.T) {
	p := adapting(3, 2, 3)
	a := retry.NewAdaptive(&p)
	learn(a, "3:"+strings.Repeat("-", 50))
	made := 0
	for range 300 {
		a.Learn(retry.Outcome{Code: "CODE", Attempt: 1})
		a.Learn(retry.Outcome{Code: "CODE", After: "CODE", Policy: "p", Attempt: 2, Wait: s})
		if a.Policy(&p, "CODE").MaxAttempts == 3 {
			made++
			a.Learn(outcome(3, s, false))
		}
	}
	assert.True(t, 300/12 <= made && made <= 300/4, made)
}

func TestAdaptiveDelay(t *testing.T) {
	firsts, laters := "2:"+strings.Repeat("+", 10), "3:+++"
	for _, tt := range []struct {
		name     string
		outcomes string
		want     time.Duration
	}{
		{"no knowledge", "", s},
		{"first retries succeed", firsts, 500 * ms},
		{"fewer than ten", firsts[:8], s},
		{"later retries succeed", laters, 2 * s},
		{"the target's share of first retries", "2:++++++++ 3:++", s},
		{"no retry succeeds", "2:---------- 3:----------", s},
		{"down to the least", strings.Repeat(firsts+" ", 9), 125 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := adapting(3, 2, 6)
			a := retry.NewAdaptive(&p)
			learn(a, tt.outcomes)
			assert.Equal(t, tt.want, a.Policy(&p, "CODE").InitialDelay)
		})
	}
	for _, tt := range []struct {
		name    string
		success int // the retry that succeeds
		want    time.Duration
	}{{"the least", 2, 100 * ms}, {"the most", 3, 30 * s}} {
		t.Run(tt.name, func(t *testing.T) {
			p := adapting(3, 2, 6)
			a := retry.NewAdaptive(&p)
			for range 200 {
				a.Learn(outcome(tt.success, a.Policy(&p, "CODE").InitialDelay, true))
			}
			assert.Equal(t, tt.want, a.Policy(&p, "CODE").InitialDelay)
		})
	}
	t.Run("hints do not count", func(t *testing.T) {
		p := adapting(3, 2, 6)
		a := retry.NewAdaptive(&p)
		for range 20 {
			a.Learn(outcome(2, 5*s, true))
			a.Learn(outcome(3, 100*ms, true))
		}
		assert.Equal(t, s, a.Policy(&p, "CODE").InitialDelay)
	})
	t.Run("a single retry that fails", func(t *testing.T) {
		p := adapting(2, 0, 0)
		a := retry.NewAdaptive(&p)
		learn(a, "2:---")
		assert.Equal(t, 2*s, a.Policy(&p, "CODE").InitialDelay)
	})
}

// A provider whose failures end after eight seconds is asked after about that time.
func TestAdaptiveDelayFindsTheOutage(t *testing.T) {
	p := adapting(6, 0, 0)
	a, random := retry.NewAdaptive(&p), rand.New(rand.NewPCG(1, 1))
	for range 500 {
		outage := time.Duration(random.ExpFloat64() * float64(5*s))
		waited, wait := time.Duration(0), a.Policy(&p, "CODE").InitialDelay
		for attempt := 2; attempt <= 6; attempt++ {
			waited += wait
			a.Learn(outcome(attempt, wait, waited >= outage))
			if waited >= outage {
				break
			}
			wait *= 2
		}
	}
	got := a.Policy(&p, "CODE").InitialDelay
	assert.True(t, 4*s <= got && got <= 30*s, got)
}

func TestAdaptiveChangesNothing(t *testing.T) {
	var none *retry.Adaptive
	none.Learn(outcome(2, s, true))
	p, plain := adapting(3, 2, 6), thrice
	assert.Equal(t, p, none.Policy(&p, "CODE"))
	a := retry.NewAdaptive()
	learn(a, "3:"+strings.Repeat("-", 50))
	assert.Equal(t, plain, a.Policy(&plain, "CODE"))
	assert.Equal(t, p, a.Policy(&p, "OTHER"))
}

func TestAdaptiveIsBounded(t *testing.T) {
	p := adapting(3, 2, 6)
	a := retry.NewAdaptive(&p)
	fail := func(code string, times int) {
		for range times {
			a.Learn(retry.Outcome{After: code, Policy: p.Name, Attempt: 3, Code: "E", Wait: s})
		}
	}
	for i := range 3000 {
		fail(strconv.Itoa(i), 1)
	}
	fail("0", 50)
	fail("2999", 50)
	assert.Less(t, a.Policy(&p, "0").MaxAttempts, 3)
	assert.Equal(t, 3, a.Policy(&p, "2999").MaxAttempts, "it is not learned")
}

// Do learns from its calls and adapts its policy.
func TestDoAdapts(t *testing.T) {
	p := adapting(3, 1, 6)
	a := retry.NewAdaptive(&p)
	calls := func() int {
		op, n := story(errFlaky)
		require.Error(t, retry.Do(t.Context(), op, retry.ByPolicy(p), retry.WithClock(newClock()),
			retry.WithAdaptive(a), retry.WithRandom(nil)))
		return *n
	}
	assert.Equal(t, 3, calls())
	counts := map[int]int{}
	for range 300 {
		counts[calls()]++
	}
	assert.Greater(t, counts[1], 150, "most retries are given up")
	assert.NotZero(t, counts[3], "the others are tried now and then")
}
