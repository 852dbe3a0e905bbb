package detection

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// parts are what random conditions are on.
var parts = []detect.Condition{{Key: detect.ExitCode}, {Key: detect.Attribute, Name: "a"}, {Key: detect.Type}}

// randomCondition makes conditions that often meet, as they are of few numbers.
func randomCondition(rnd *rand.Rand, c detect.Condition) detect.Condition {
	number := func() int { return rnd.IntN(6) - 1 }
	switch rnd.IntN(8) {
	case 0:
		c.Presence = detect.Absent
		return c
	case 1:
		c.Presence = detect.Present
		return c
	case 2, 3:
		for range 1 + rnd.IntN(2) {
			if n := number(); c.Key == detect.ExitCode {
				c.AnyNumber = append(c.AnyNumber, n)
			} else {
				c.Any = append(c.Any, []string{"x", strconv.Itoa(n)}[rnd.IntN(2)])
			}
		}
		return c
	}
	if n := number(); rnd.IntN(3) == 0 && c.Key == detect.ExitCode {
		c.NotNumber = []int{n}
	} else if rnd.IntN(3) == 0 && c.Key != detect.ExitCode {
		c.Not = []string{strconv.Itoa(n)}
	}
	if c.Key == detect.Type {
		c.Prefix = []string{[]string{"x", "1", "-"}[rnd.IntN(3)]}
		return c
	}
	c.Min = float64(number())
	c.Max = c.Min + float64(rnd.IntN(4))
	c.Bounds = []detect.Bounds{detect.HasMin, detect.HasMax, detect.HasMin | detect.HasMax}[rnd.IntN(3)]
	return c
}

// What is found without trying all pairs is what trying them finds.
func TestCoverageMissesNone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 300 {
		var m model.Package
		for range 40 {
			r := &model.Rule{Priority: rnd.IntN(2)}
			for _, i := range rnd.Perm(len(parts))[:rnd.IntN(3)] {
				r.Conditions = append(r.Conditions, randomCondition(rnd, parts[i]))
			}
			if rnd.IntN(4) == 0 || len(r.Conditions) == 0 {
				r.Contains = []string{[]string{"lost", "was lost"}[rnd.IntN(2)]}
			}
			m.Rules = append(m.Rules, r)
		}
		ranked := Ranked(&m)
		all := newCoverage(ranked, derivedRanks(&m))
		want := make(map[*model.Rule]*model.Rule)
		for i, r := range ranked {
			for j := range i {
				if want[ranked[j]] == nil && all.covers(j, i) {
					want[r] = ranked[j]
					break
				}
			}
		}
		found += len(want)
		got := Covered(&m)
		for _, r := range ranked {
			require.Same(t, want[r], got[r], "%+v %v", r.Conditions, r.Contains)
		}
	}
	require.Greater(t, found, 1000)
}
