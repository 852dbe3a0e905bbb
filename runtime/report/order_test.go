package report

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrder does the same to an order and to a list. Entries are taken out of the middle, so that
// there are gaps.
func TestOrder(t *testing.T) {
	for _, most := range []int{1, 3, 64, 1000} {
		r := rand.New(rand.NewPCG(1, uint64(most)))
		var l order
		known := []*entry{}
		for range 20 * most {
			if len(known) < most && r.IntN(3) > 0 {
				e := &entry{}
				known = append(known, e)
				l.push(e)
			} else if len(known) > 1 {
				// The oldest stays for a while, as that of a group does that is seen rarely.
				i := 1 + r.IntN(len(known)-1)
				if r.IntN(50) == 0 {
					i = 0
				}
				l.remove(known[i])
				known = slices.Delete(known, i, i+1)
			}
			require.Equal(t, len(known), l.n)
			require.LessOrEqual(t, len(l.places), max(leastPlaces, 8*most))
			if len(known) == 0 {
				require.Nil(t, l.oldest())
				continue
			}
			require.Same(t, known[0], l.oldest())
		}
		var got []*entry
		l.each(func(e *entry) { got = append(got, e) })
		require.True(t, slices.Equal(known, got))
		require.True(t, slices.Equal(known[len(known)/2:], l.last(len(known)-len(known)/2)))
		require.Len(t, l.last(2*most), len(known))
	}
}
