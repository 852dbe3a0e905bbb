package predict

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
)

// A model remembers 64 providers with 32 outcomes each.
func TestOptionsThatAreNotGiven(t *testing.T) {
	assert.Equal(t, Options{MaxProviders: 64, MaxCodes: 32, HalfLife: 300, Burst: 3 * time.Minute, Confidence: 0.9},
		Options{}.filled())
	most := Options{MaxProviders: math.MaxInt, MaxCodes: math.MaxInt, HalfLife: math.MaxInt, Burst: time.Hour,
		Confidence: 0.5}.filled()
	assert.Equal(t, Options{MaxProviders: 4096, MaxCodes: 256, HalfLife: 1_000_000, Burst: time.Hour, Confidence: 0.5},
		most)
	m := New(Options{})
	for i := range 100 {
		m.Learn(
			retry.Outcome{At: start.Add(time.Duration(i) * time.Second), Provider: fmt.Sprint("p", i),
				Code: fmt.Sprint("c", i)})
	}
	assert.Len(t, m.providers, 64)
	assert.Len(t, m.all.cells, 32)
}

// The provider that was heard of least lately makes room, not the one that came first.
func TestWhichProviderIsForgotten(t *testing.T) {
	m := New(Options{MaxProviders: 3})
	heard := func(names ...string) []string {
		for _, name := range names {
			m.Learn(
				retry.Outcome{At: start.Add(time.Duration(len(m.all.cells)) * time.Second), Provider: name,
					Code: fmt.Sprint("c", len(m.all.cells))})
		}
		return slices.Sorted(maps.Keys(m.providers))
	}
	assert.Equal(t, []string{"a", "b", "c"}, heard("b", "a", "c"))
	assert.Equal(t, []string{"a", "b", "d"}, heard("b", "a", "d"))
	assert.Equal(t, []string{"a", "d", "e"}, heard("e"))
	assert.Equal(t, []string{"d", "e", "f"}, heard("f"))
}

// The outcome that weighs least makes room; of equals, the one whose code is last.
func TestWhichOutcomeIsForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		factor      float64
		codes, want []string
	}{
		"the one that came once": {0.5, []string{"b", "a", "a", "c", "c", "new"}, []string{"a", "c", "new"}},
		"the one that came long ago": {0.5, []string{"a", "a", "b", "b", "c", "c", "new"},
			[]string{"b", "c", "new"}},
		"the last of equals":            {1, []string{"a", "c", "b", "new"}, []string{"a", "b", "new"}},
		"a success, if it weighs least": {0.5, []string{"", "a", "a", "b", "b", "new"}, []string{"a", "b", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			var all counts
			for _, code := range c.codes {
				all.add(code, c.factor, 3)
			}
			var got []string
			for _, cell := range all.cells {
				got = append(got, cell.code)
			}
			assert.ElementsMatch(t, c.want, got)
		})
	}
}
