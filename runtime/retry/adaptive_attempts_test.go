package retry

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Not every number of calls is looked at where there are many, and what comes out is the same.
func TestAttemptsAreWorkedOutAtOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		l, share := learned{}, random.Float64()
		for n := range random.IntN(40) {
			for range random.IntN(60) {
				l.learn(n+2, 0, random.Float64() < share*share/2)
			}
		}
		b := attemptBounds{least: 1 + random.IntN(40), window: 50}
		b.own = b.least + random.IntN(60)
		b.most = b.own + random.IntN(60)
		want := b.least
		for want < b.most && l.worthGoingOn(want, b) {
			want++
		}
		assert.Equal(t, want, l.workOut(b))
		assert.LessOrEqual(t, l.workOut(attemptBounds{least: 1, own: 3, most: math.MaxInt, window: 50}), math.MaxInt)
	}
	assert.Equal(
		t, math.MaxInt/2,
		(&learned{}).workOut(attemptBounds{least: 1, own: math.MaxInt / 2, most: math.MaxInt, window: 50}))
}

// Calls from the 32nd on count together, those before each by itself.
func TestCallsThatCountTogether(t *testing.T) {
	var l learned
	for n, succeeded := range map[int]bool{30: true, 31: false, 32: true, 33: true, 1000: true} {
		l.learn(n, 0, succeeded)
	}
	require.Len(t, l.calls, 31, "the second is the first of them")
	b := attemptBounds{least: 1, own: 2000, most: 2000, window: 50}
	_, one := wilson(1, 1)
	_, none := wilson(0, 1)
	_, three := wilson(3, 3)
	for n, want := range map[int]float64{30: one, 31: none, 32: three, 33: three, 500: three} {
		assert.InDelta(t, want, l.chance(n, b), 0, n)
	}
	made, succeeded := l.calls[30].count(50)
	assert.Equal(t, []int{3, 3}, []int{made, succeeded})
}
