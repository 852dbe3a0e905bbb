package report

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndex does the same to an index and to a map. Hashes that are nearly all the same make long
// runs of slots.
func TestIndex(t *testing.T) {
	seed := maphash.MakeSeed()
	for _, hashes := range []uint64{1, 3, 64, 1 << 60} {
		r := rand.New(rand.NewPCG(1, hashes))
		var x index
		known := map[string]*entry{}
		for range 20_000 {
			id := fmt.Sprint(r.IntN(300))
			hash := (maphash.String(seed, id)>>1 | 61) % hashes
			e := known[id]
			require.True(t, e == x.get(id, hash), "entry %s", id)
			if e == nil {
				e = &entry{held: held{Occurrence: Occurrence{ID: id}}}
				known[id] = e
				x.add(e, hash)
			} else if r.IntN(2) == 0 {
				delete(known, id)
				x.remove(e, hash)
			}
			require.Equal(t, len(known), x.n)
		}
	}
}
