package retry_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A history that is learned at once, before anybody asks, leads to the same policies as if it had
// been lived through, if the policies were known: also when it was kept and read in its midst.
func TestAdaptiveLearnsAHistory(t *testing.T) {
	var declared []*taxonomy.Policy
	for i := range 3 {
		p := adapting(0.8)
		p.Name = "p" + strconv.Itoa(i)
		declared = append(declared, &p)
	}
	lived, replayed, half := retry.NewAdaptive(9), retry.NewAdaptive(9, declared...), retry.NewAdaptive(9, declared...)
	for i, o := range random(1, 20_000) {
		lived.Learn(o)
		policies(lived)
		replayed.Learn(o)
		half.Learn(o)
		if i == 10_000 {
			b, err := json.Marshal(half)
			require.NoError(t, err)
			half = retry.NewAdaptive(0, append(declared, nil, &taxonomy.Policy{Name: "fixed"})...)
			require.NoError(t, json.Unmarshal(b, half))
		}
	}
	require.Equal(t, policies(lived), policies(replayed))
	require.Equal(t, policies(lived), policies(half))
}

// The same outcomes lead to the same policies, however often somebody has asked in between, and
// also when it was kept and read in between.
func TestAdaptiveIsDeterministic(t *testing.T) {
	often, seldom, kept := retry.NewAdaptive(9), retry.NewAdaptive(9), retry.NewAdaptive(9)
	differs := false
	for i, o := range random(1, 5000) {
		often.Learn(o)
		policies(often)
		seldom.Learn(o)
		kept.Learn(o)
		if i%250 == 0 {
			policies(kept)
			b, err := json.Marshal(kept)
			require.NoError(t, err)
			kept = &retry.Adaptive{}
			require.NoError(t, json.Unmarshal(b, kept))
		}
		if i%100 == 0 {
			require.Equal(t, policies(often), policies(seldom), i)
			require.Equal(t, policies(often), policies(kept), i)
			differs = differs || policies(often)[0].InitialDelay != s
		}
	}
	assert.True(t, differs)
	require.Equal(t, policies(often), policies(kept))
	x, err := json.Marshal(often)
	require.NoError(t, err)
	y, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(x, y))
}
