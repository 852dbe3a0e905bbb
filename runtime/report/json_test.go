package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Causes of causes are read once, and not all kept. Read once for each level, these take minutes.
func TestOccurrenceWithManyCausesIsRead(t *testing.T) {
	in := strings.Repeat(`{"message":"m","cause":`, 9000) + "{}" + strings.Repeat("}", 9000)
	var o Occurrence
	require.NoError(t, json.Unmarshal([]byte(in), &o))
	n := 0
	for c := &o; c != nil; c = c.Cause {
		n++
	}
	assert.Equal(t, maxCauses+1, n)
	assert.True(t, o.isClean())
}

// What is written of a time can be read, and is the same time as far as JSON has it.
func TestTimesInJSON(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Time{}, 0},
		{time.Unix(0, 0), 1},
		{time.Unix(0, 999), 1},
		{time.UnixMilli(-1), -1},
		{time.UnixMilli(1_700_000_000_123), 1_700_000_000_123},
		{time.UnixMilli(maxTime), maxTime},
		{time.UnixMilli(maxTime + 1), maxTime},
		{time.Date(292_000_001, 1, 1, 0, 0, 0, 0, time.UTC), maxTime},
		{time.Date(-292_000_001, 1, 1, 0, 0, 0, 0, time.UTC), -maxTime},
		{time.Unix(math.MaxInt64>>8, 0), maxTime},
	} {
		b, err := json.Marshal(Occurrence{At: c.at})
		require.NoError(t, err)
		var wire struct{ Timestamp int64 }
		require.NoError(t, json.Unmarshal(b, &wire))
		assert.Equal(t, c.want, wire.Timestamp, c.at)
		var read Occurrence
		require.NoError(t, json.Unmarshal(b, &read), c.at)
		assert.Equal(t, c.at.IsZero(), read.At.IsZero(), c.at)
		again, err := json.Marshal(read)
		require.NoError(t, err)
		assert.Equal(t, string(b), string(again))
	}
	var o Occurrence
	require.NoError(t, json.Unmarshal([]byte(`{"timestamp":0.25}`), &o))
	assert.Equal(t, time.UnixMilli(1).UTC(), o.At)
}
