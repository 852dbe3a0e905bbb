package state

import (
	"database/sql"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestStamp(t *testing.T) {
	east := time.FixedZone("east", 7*3600)
	for _, test := range []struct {
		time time.Time
		want string
	}{
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05.000000000Z"},
		{time.Date(2026, 1, 2, 3, 4, 5, 60, east), "2026-01-01T20:04:05.000000060Z"},
		{time.Time{}, "0001-01-01T00:00:00.000000000Z"},
		{time.Unix(math.MaxInt32*1000, 0), "9999-12-31T23:59:59.999999999Z"},
		{time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), "0000-01-01T00:00:00.000000000Z"},
	} {
		assert.Equal(t, test.want, stamp(test.time))
		back, err := parseStamp(test.want)
		require.NoError(t, err)
		assert.Equal(t, test.want, stamp(back))
		assert.Equal(t, time.UTC, back.Location())
	}
	assert.Less(t, stamp(time.Unix(0, 0)), stamp(time.Unix(0, 100)), "texts sort as times do")
	assert.False(t, optionalStamp(time.Time{}).Valid)
	back, err := parseOptionalStamp(sql.Null[string]{})
	require.NoError(t, err)
	assert.True(t, back.IsZero())
}

func TestParseStamp(t *testing.T) {
	got, err := parseStamp("2026-01-02T03:04:05.5+02:00")
	require.NoError(t, err)
	assert.Equal(t, time.Date(2026, 1, 2, 1, 4, 5, 500_000_000, time.UTC), got)
	for _, s := range []string{"", "2026-01-02 03:04:05", "2026-01-02T03:04:05", "yesterday"} {
		_, err := parseStamp(s)
		assert.ErrorIs(t, err, errTime, s)
	}
}

func TestCosts(t *testing.T) {
	for _, test := range []struct {
		usd  float64
		want int64
	}{
		{0, 0}, {0.105, 105_000}, {1e-9, 1}, {0.0000011, 2}, {0.1 + 0.2, 300_000}, {12.345678, 12_345_678},
		{1e300, most},
	} {
		assert.Equal(t, sql.Null[int64]{V: test.want, Valid: true}, microUSD(taxonomy.Some(test.usd)), "%v", test.usd)
	}
	for _, usd := range []taxonomy.Opt[float64]{{}, taxonomy.Some(-1.0), taxonomy.Some(math.NaN())} {
		assert.False(t, microUSD(usd).Valid, "%v", usd)
	}
	assert.Equal(t, taxonomy.Some(0.105), optionalDollars(microUSD(taxonomy.Some(0.105))))
	assert.True(t, optionalDollars(sql.Null[int64]{}).IsZero())
}

func TestTexts(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("0123456789", 5)
	assert.NotContains(t, maskedText("key "+secret+" end").V, "0123456789")
	assert.Equal(t, "a\uFFFDb\uFFFDc", maskedText("a\xffb\x00c").V)
	assert.False(t, maskedText("").Valid)
	assert.Equal(t, sql.Null[string]{V: "c", Valid: true}, column("c"))
	assert.Equal(t, taxonomy.Some(int64(1)), opt(optional(taxonomy.Some(int64(1)))))
	assert.True(t, opt(optional(taxonomy.Opt[int64]{})).IsZero())
}
