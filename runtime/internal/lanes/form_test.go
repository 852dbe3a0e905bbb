package lanes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Any stored form is refused, or is stored again with the same instant.
func FuzzKept(f *testing.F) {
	kept, err := encode(time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC))
	require.NoError(f, err)
	for _, b := range []string{
		string(kept), "", "null", `{"errgen_lane":2}`, `{"errgen_lane":1,"lane":{"until":"9999-12-31T23:59:59Z"}}`,
		`{"errgen_lane":1,"lane":{"until":"2026-01-02T03:04:06Z",` +
			`"places":[{"caller":"a","at":"2026-01-02T03:04:06Z"}]}}`,
	} {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		until, err := decode(b, nil)
		if err != nil {
			assert.True(t, until.IsZero())
			return
		}
		again, err := encode(until)
		if err != nil {
			return // a year that JSON has no form for
		}
		back, err := decode(again, nil)
		require.NoError(t, err)
		assert.True(t, until.Equal(back))
	})
}
