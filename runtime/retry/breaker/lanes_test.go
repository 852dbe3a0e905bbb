package breaker_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// More lanes that fail than there is room for, used in turn: those that there is room for are shut
// all the same.
func TestMoreLanesInTroubleThanThereIsRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, lanes, rounds = 100, 120, 50
		gates := breaker.New(breaker.Options{MaxLanes: most})
		once := patient
		once.MaxAttempts = 1
		calls := make([]int, lanes)
		for range rounds {
			for i := range lanes {
				_ = retry.Do(t.Context(), once, func(context.Context) error { calls[i]++; return errDown },
					retry.WithGate(gates, strconv.Itoa(i), ""), retry.FailFast())
			}
		}
		shut := 0
		for i, n := range calls {
			if n < rounds {
				shut++
				assert.Equal(t, breaker.Open, gates.State(strconv.Itoa(i)))
			}
		}
		assert.Greater(t, shut, most*9/10)
	})
}

// What has never failed makes room first, then what has failed least, whoever was used last.
func TestWhichLanesAreForgotten(t *testing.T) {
	bubble(t, func(b bench) {
		b.Gates = breaker.New(breaker.Options{MaxLanes: 3})
		p := &taxonomy.Policy{Name: "p",
			Budget: &taxonomy.Budget{Retries: -1,
				Breaker: &taxonomy.Breaker{Failures: 5, Of: 5, Probe: s, Successes: 1}}}
		fail := func(lane string, times int) {
			for range times {
				_, err := b.Enter(b.t.Context(), lane, "c", time.Now())
				assert.NoError(t, err)
				b.Leave(lane, "c", retry.CallEnd{Failed: true, Policy: p})
				b.sleep(ms)
			}
		}
		has := func() (lanes []string) {
			for _, status := range b.Status() {
				lanes = append(lanes, status.Lane)
			}
			return lanes
		}
		fail("open", 5)
		fail("four", 4)
		fail("two", 2)
		fail("one", 1)
		assert.Equal(t, []string{"four", "one", "open"}, has())
		fail("three", 3)
		assert.Equal(t, []string{"four", "open", "three"}, has())
		b.Leave("fine", "c", good)
		fail("five", 1)
		assert.Equal(t, []string{"five", "four", "open"}, has())
	})
}
