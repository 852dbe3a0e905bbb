package predict

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
)

func TestHistoryIsLearntInAnyPortions(t *testing.T) {
	h := history(t, "mixed")
	whole := New(Options{})
	for _, o := range h {
		whole.Learn(o)
	}
	want, err := json.Marshal(whole)
	require.NoError(t, err)
	for _, portion := range []int{1, 7, 100} {
		m := New(Options{})
		for i, o := range h {
			if i%portion == 0 {
				b, err := json.Marshal(m)
				require.NoError(t, err)
				m = New(Options{})
				require.NoError(t, json.Unmarshal(b, m))
			}
			m.Learn(o)
		}
		got, err := json.Marshal(m)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "portions of %d", portion)
	}
	now := h[len(h)-1].At
	assert.Equal(t, whole.Next("anthropic-api", now), whole.Next("anthropic-api", now))
}

func TestSnapshotsThatCannotBe(t *testing.T) {
	provider := func(rest string) string {
		return `{"version":1,"providers":[{"name":"p","calls":1,"weights":[0.5,0.25,0.25],` + rest + `}]}`
	}
	for _, c := range []struct{ json, want string }{
		{`null`, "version 0"},
		{`{`, "unexpected end"},
		{`{"version":2}`, "version 2"},
		{`{"version":1,"all":[{"code":"a","weight":-1,"seen":1}]}`, "cannot weigh -1"},
		{`{"version":1,"all":[{"code":"a","weight":1e300,"seen":1}]}`, "cannot weigh 1e+300"},
		{`{"version":1,"all":[{"code":"a","weight":1.5,"seen":1}]}`, "cannot weigh 1.5"},
		{`{"version":1,"all":[{"code":"a","weight":2000000,"seen":3000000}]}`, "cannot weigh 2e+06 together"},
		{`{"version":1,"all":[{"code":"a","weight":1e999,"seen":1}]}`, "cannot unmarshal"},
		{`{"version":1,"all":[{"code":"a","weight":1,"seen":-4}]}`, "seen -4 times"},
		{`{"version":1,"all":[{"code":"a","weight":1,"seen":1},{"code":"a","weight":1,"seen":1}]}`, "twice"},
		{`{"version":1,"providers":[{"name":"p","calls":0}]}`, "0 calls"},
		{`{"version":1,"providers":[{"name":"p","calls":1,"weights":[1,1,1]}]}`, "count 3 together"},
		{`{"version":1,"providers":[{"name":"p","calls":1,"weights":[2,-1,0]}]}`, "cannot count 2"},
		{`{"version":1,"providers":[{"name":"p","calls":1,"weights":[1,0,0]}]}`, "cannot count 0"},
		{provider(`"burst":[{"code":"a","weight":1,"seen":2}]`), "burst: \"a\" cannot have been seen 2 times"},
		{`{"version":1,"providers":[{"name":"p","calls":100,"weights":[0.5,0.25,0.25],"burst":[{"code":"a",` +
			`"weight":5,"seen":50},{"weight":5,"seen":50}]}]}`, "burst: outcomes cannot weigh 10 together"},
		{provider(`"steps":[{"after":"a","all":[{"weight":1,"seen":1}]}]`), "cannot have been seen 1 times"},
		{provider(`"long":[{"weight":0,"seen":1}]`), "long"},
		{provider(`"steps":[{"after":"a"},{"after":"a"}]`), "twice"},
		{provider(`"at":"yesterday"`), "parsing time"},
		{provider(`"steps":[` + strings.Repeat(`{"after":"a"},`, 300) + `{}]`), "301 steps"},
		{`{"version":1,"providers":[` + strings.Repeat(`{},`, 5000) + `{}]}`, "5001 providers"},
	} {
		m, now := fed(Options{}, "down", "-")
		before := m.Next("p", now)
		err := json.Unmarshal([]byte(c.json), m)
		if c.json == `null` { // json.Unmarshal hands null over, too
			err = m.UnmarshalJSON([]byte(c.json))
		}
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, before, m.Next("p", now), "as before")
	}
	assert.Error(t, json.Unmarshal([]byte(`{"version":1}`), &Model{}))
}

func TestASnapshotIsMadeSmallerWhereLessIsAllowed(t *testing.T) {
	big, now := fed(Options{}, "a", "b", "b", "c", "c", "c", "d", "-")
	b, err := json.Marshal(big)
	require.NoError(t, err)
	small := New(Options{MaxCodes: 2})
	require.NoError(t, json.Unmarshal(b, small))
	assert.LessOrEqual(t, len(small.Next("p", now)), 2)
}

// TestASnapshotCountsNoMoreThanWhatCouldBeLearnt has one of a model that forgets later than the one
// that reads it.
func TestASnapshotCountsNoMoreThanWhatCouldBeLearnt(t *testing.T) {
	old, now := fed(Options{HalfLife: 3000}, repeated(3000, "down")...)
	b, err := json.Marshal(old)
	require.NoError(t, err)
	m := New(Options{HalfLife: 30})
	require.NoError(t, json.Unmarshal(b, m))
	for range 100 {
		now = now.Add(time.Hour)
		m.Learn(retry.Outcome{At: now, Provider: "p"})
	}
	assert.Less(t, m.Forecast("p", "down", now).Probability, 0.3)
}

func FuzzUnmarshal(f *testing.F) {
	m, _ := fed(Options{}, "a", "b", "-", "a")
	b, err := json.Marshal(m)
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"version":1,"providers":[{"name":"p","calls":1,"weights":[0.5,0.25,0.25]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := New(Options{MaxProviders: 3, MaxCodes: 3})
		if m.UnmarshalJSON(b) != nil {
			return
		}
		for _, name := range []string{"p", "q"} {
			for _, f := range m.Next(name, start.Add(time.Hour)) {
				if !(f.Low >= 0 && f.Low <= f.Probability && f.Probability <= f.High && f.High <= 1) {
					t.Fatalf("%+v", f)
				}
			}
		}
		again, err := json.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, New(Options{}).UnmarshalJSON(again))
	})
}
