package state

import (
	"database/sql"
	"fmt"
	"math"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// stampLayout is RFC 3339 with all nine digits, so that times sort as their texts do.
const stampLayout = "2006-01-02T15:04:05.000000000Z07:00"

// RFC 3339 has years of four digits.
var (
	firstTime = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// stamp returns a time as it is written. What RFC 3339 cannot say becomes the nearest that it can.
func stamp(t time.Time) string {
	t = t.UTC()
	switch {
	case t.Before(firstTime):
		t = firstTime
	case t.After(lastTime):
		t = lastTime
	}
	return t.Format(stampLayout)
}

// optionalStamp returns a time as it is written; the zero time is NULL.
func optionalStamp(t time.Time) sql.Null[string] {
	if t.IsZero() {
		return sql.Null[string]{}
	}
	return sql.Null[string]{V: stamp(t), Valid: true}
}

// parseStamp reads a time that is written as RFC 3339, with any fraction and zone, and returns it
// in UTC.
func parseStamp(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: %w", textMask.Beginning(s, 40), errTime)
	}
	return t.UTC(), nil
}

// parseOptionalStamp reads a time that may be NULL, which is the zero time.
func parseOptionalStamp(s sql.Null[string]) (time.Time, error) {
	if !s.Valid {
		return time.Time{}, nil
	}
	return parseStamp(s.V)
}

// optional returns a value as a column; an absent one is NULL.
func optional[T any](o taxonomy.Opt[T]) sql.Null[T] {
	v, ok := o.Get()
	return sql.Null[T]{V: v, Valid: ok}
}

// opt returns what a column holds; NULL is absent.
func opt[T any](n sql.Null[T]) taxonomy.Opt[T] {
	if !n.Valid {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(n.V)
}

// column returns a name, a code or the like as a column; the empty one is NULL. It masks nothing:
// see [maskedText].
func column(s string) sql.Null[string] { return sql.Null[string]{V: s, Valid: s != ""} }

// maskedText returns a text that others wrote as a column, secrets masked; the empty one is NULL.
func maskedText(s string) sql.Null[string] { return column(textMask(s)) }

const perUSD = 1_000_000

// microUSD returns dollars in whole millionths, rounded up, so that many small costs are never
// nothing; at most [most]. Less than nothing, and what is no number, is NULL, as an unknown cost
// is.
func microUSD(cost taxonomy.Opt[float64]) sql.Null[int64] {
	v, ok := cost.Get()
	if !ok || math.IsNaN(v) || v < 0 {
		return sql.Null[int64]{}
	}
	// A float that was meant as whole millionths may be a trifle above them.
	up := math.Ceil(v*perUSD - 1e-6)
	return sql.Null[int64]{V: int64(min(up, most)), Valid: true}
}

// dollars returns millionths of a dollar as dollars.
func dollars(micro int64) float64 { return float64(micro) / perUSD }

// optionalDollars returns millionths of a dollar as dollars; NULL is absent.
func optionalDollars(micro sql.Null[int64]) taxonomy.Opt[float64] {
	if !micro.Valid {
		return taxonomy.Opt[float64]{}
	}
	return taxonomy.Some(dollars(micro.V))
}
