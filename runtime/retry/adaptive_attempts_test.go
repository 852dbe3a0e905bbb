package retry

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
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
	assert.Equal(t, math.MaxInt/2, (&learned{}).workOut(attemptBounds{least: 1, own: math.MaxInt / 2, most: math.MaxInt, window: 50}))
}
