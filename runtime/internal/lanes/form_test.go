package lanes

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
)

func TestNamesOfCallers(t *testing.T) {
	for name, want := range map[string]string{
		"":                        "",
		"run-1":                   "run-1",
		strings.Repeat("x", 128):  strings.Repeat("x", 128),
		strings.Repeat("x", 129):  "#",
		"a\xff":                   "#",
		"password=hunter2hunter2": "#",
		"Bearer abcdefghijklmnopqrstuvwxyz012345": "#",
	} {
		got := named(name)
		if want == "#" {
			assert.Regexp(t, `^#[0-9a-f]{32}$`, got, name)
			continue
		}
		assert.Equal(t, want, got)
	}
}

// Whatever is kept, it is refused, or goes on as a lane that is kept again.
func FuzzKept(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	lane := retry.Lane{}
	lane.Pause(now.Add(time.Minute), now, retry.Ramp{})
	lane.Opens("a", now, retry.Ramp{})
	kept, err := encode(lane)
	require.NoError(f, err)
	for _, b := range []string{
		string(kept), "", "null", `{"errgen_lane":2}`, `{"errgen_lane":1,"lane":{"until":"9999-12-31T23:59:59Z"}}`,
		`{"errgen_lane":1,"lane":{"until":"9999-12-31T00:00:00-23:59","places":[{"caller":"\u0000"}]}}`,
		`{"errgen_lane":1,"lane":{"until":"0000-01-01T00:00:00+23:59"}}`,
	} {
		f.Add([]byte(b), "b")
	}
	f.Fuzz(func(t *testing.T, b []byte, caller string) {
		l, err := decode(b, nil)
		if err != nil {
			assert.Equal(t, retry.Lane{}, l)
			return
		}
		opens := l.Opens(named(caller), now, retry.Ramp{})
		if l.Over(now, retry.Ramp{}) {
			return
		}
		again, err := encode(l)
		require.NoError(t, err)
		back, err := decode(again, nil)
		require.NoError(t, err)
		assert.True(t, opens.Equal(back.Opens(named(caller), now, retry.Ramp{})))
	})
}
