package state

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The longest texts that are kept, in bytes, and the most paths.
const (
	maxError  = 4 << 10
	maxOutput = 8 << 10
	maxName   = 1 << 10
	maxPaths  = 1000
)

// mask masks the secrets in a text of others. NUL is replaced, because programs in C end a text
// there.
var mask text.Mask = func(s string) string { return text.Masked(strings.ReplaceAll(s, "\x00", "\uFFFD")) }

// stampLayout is RFC 3339 with nine digits, so that times sort as their texts do.
const stampLayout = "2006-01-02T15:04:05.000000000Z07:00"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// optionalStamp returns a time as a column; the zero time is NULL.
func optionalStamp(t time.Time) sql.Null[string] {
	if t.IsZero() {
		return sql.Null[string]{}
	}
	return sql.Null[string]{V: stamp(t), Valid: true}
}

// times reads columns of times; NULL is the zero time.
func times(columns map[*time.Time]sql.Null[string]) (err error) {
	for into, c := range columns {
		if !c.Valid {
			continue
		}
		t, e := time.Parse(time.RFC3339Nano, c.V)
		*into, err = t.UTC(), errors.Join(err, e)
	}
	return err
}

// column returns a text as a column; the empty one is NULL.
func column(s string) sql.Null[string] { return sql.Null[string]{V: s, Valid: s != ""} }

// head returns the beginning of a text of others as a column, with its secrets masked.
func head(s string, n int) sql.Null[string] { return column(mask.Beginning(s, n)) }

// name returns a code or the like as a column.
func name(s string) sql.Null[string] { return head(s, maxName) }

// optional returns a value as a column; an absent one is NULL.
func optional[T any](o taxonomy.Opt[T]) sql.Null[T] {
	v, ok := o.Get()
	return sql.Null[T]{V: v, Valid: ok}
}

// opt returns the value of a column; NULL is absent.
func opt[T any](n sql.Null[T]) taxonomy.Opt[T] {
	if !n.Valid {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(n.V)
}

// perUSD are the units of a cost in a dollar.
const perUSD = 1_000_000

// microUSD returns dollars in millionths, rounded up, so that many small costs have a sum. An
// unknown cost is NULL.
func microUSD(cost taxonomy.Opt[float64]) sql.Null[int64] {
	v, ok := cost.Get()
	if !ok || math.IsNaN(v) || v < 0 {
		return sql.Null[int64]{}
	}
	up := math.Ceil(v*perUSD - 1e-6) // a float that means whole millionths may be slightly above them
	return sql.Null[int64]{V: int64(min(up, math.MaxInt64/1e6)), Valid: true}
}

// usage returns the usage of three columns.
func usage(in, out, cost sql.Null[int64]) executor.Usage {
	u := executor.Usage{InputTokens: opt(in), OutputTokens: opt(out)}
	if cost.Valid {
		u.CostUSD = taxonomy.Some(float64(cost.V) / perUSD)
	}
	return u
}

// spentOf returns spending from sums. A sum of which nothing is known is absent.
func spentOf(calls int, in, out, cost int64, unknownTokens, unknownCost int) executor.Spending {
	known := calls > unknownTokens
	return executor.Spending{
		Calls: calls, UnknownTokens: unknownTokens, UnknownCost: unknownCost,
		Usage: usage(sql.Null[int64]{V: in, Valid: known || in > 0}, sql.Null[int64]{V: out, Valid: known || out > 0},
			sql.Null[int64]{V: cost, Valid: calls > unknownCost}),
	}
}

// paths returns paths as a JSON array, with their secrets masked; no paths are NULL.
func paths[T ~string](list []T) (sql.Null[string], error) {
	if len(list) == 0 {
		return sql.Null[string]{}, nil
	}
	var masked []string
	for _, p := range list[:min(len(list), maxPaths)] {
		masked = append(masked, mask.Beginning(string(p), maxError))
	}
	b, err := json.Marshal(masked)
	return column(string(b)), err
}

// maxTask bounds the ID of a task, in bytes.
const maxTask = 1 << 10

// checkTask returns an error for a text that cannot be the ID of a task. IDs are kept unchanged,
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
