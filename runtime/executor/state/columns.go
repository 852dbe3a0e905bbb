package state

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The limits of stored texts, in bytes, and of the number of paths.
const (
	maxError  = 4 << 10
	maxOutput = 8 << 10
	maxName   = 1 << 10
	maxPaths  = 1000
	maxTask   = 1 << 10
)

// mask masks the secrets in a text from outside. It replaces NUL, which ends a text for programs in
// C.
var mask text.Mask = func(s string) string { return text.Masked(strings.ReplaceAll(s, "\x00", "\uFFFD")) }

// name returns a code or another name, masked and bounded.
func name(s string) string { return mask.Beginning(s, maxName) }

// stampLayout is RFC 3339 with nine digits, so that the texts sort like the times.
const stampLayout = "2006-01-02T15:04:05.000000000Z07:00"

// perUSD is the number of stored units in a dollar.
const perUSD = 1_000_000

// bind returns a value as a column. Empty texts and the zero time are NULL.
func bind(v any) any {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UTC().Format(stampLayout)
	case string:
		return sql.Null[string]{V: v, Valid: v != ""}
	}
	return v
}

// microUSD returns dollars in millionths, rounded up, so that many small costs do not sum up to 0.
// An unknown cost is absent.
func microUSD(cost taxonomy.Opt[float64]) taxonomy.Opt[int64] {
	if v, ok := cost.Get(); ok && v >= 0 {
		up := math.Ceil(v*perUSD - 1e-6) // whole millionths can be slightly larger as a float
		return taxonomy.Some(int64(min(up, math.MaxInt64/1e6)))
	}
	return taxonomy.Opt[int64]{}
}

// duration returns seconds as a duration.
func duration(seconds float64) time.Duration {
	return time.Duration(max(0, min(seconds, 1e9)) * float64(time.Second)).Round(time.Microsecond)
}

// checkTask returns an error for a text that cannot be the ID of a task. IDs are not masked,
// because masking could make two of them equal.
func checkTask(id string) error {
	switch {
	case id == "" || len(id) > maxTask:
		return fmt.Errorf("the ID of a task has %d bytes (1 to %d)", len(id), maxTask)
	case mask(id) != id:
		return errors.New("the ID of a task contains a secret, NUL or bytes that are not UTF-8")
	}
	return nil
}
