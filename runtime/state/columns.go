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

// The limits of stored texts, in bytes, and of the number of paths.
const (
	maxError  = 4 << 10
	maxOutput = 8 << 10
	maxName   = 1 << 10
	maxPaths  = 1000
)

// mask masks the secrets in a text from outside. It replaces NUL, because programs in C end a text
// there.
var mask text.Mask = func(s string) string { return text.Masked(strings.ReplaceAll(s, "\x00", "\uFFFD")) }

// stampLayout is RFC 3339 with nine digits, so that the texts sort like the times.
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

// column returns a text as a column; an empty text is NULL.
func column(s string) sql.Null[string] { return sql.Null[string]{V: s, Valid: s != ""} }

// head returns the first n bytes of a text from outside as a column, with its secrets masked.
func head(s string, n int) sql.Null[string] { return column(mask.Beginning(s, n)) }

// name returns a code or another name as a column.
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

// perUSD is the number of stored units in a dollar.
const perUSD = 1_000_000

// microUSD returns dollars in millionths, rounded up, so that many small costs do not sum up to 0.
// An unknown cost is NULL.
func microUSD(cost taxonomy.Opt[float64]) sql.Null[int64] {
	v, ok := cost.Get()
	if !ok || math.IsNaN(v) || v < 0 {
		return sql.Null[int64]{}
	}
	up := math.Ceil(v*perUSD - 1e-6) // whole millionths can be slightly larger as a float
	return sql.Null[int64]{V: int64(min(up, math.MaxInt64/1e6)), Valid: true}
}

// usage returns the usage in three columns.
func usage(in, out, cost sql.Null[int64]) executor.Usage {
	u := executor.Usage{InputTokens: opt(in), OutputTokens: opt(out)}
	if cost.Valid {
		u.CostUSD = taxonomy.Some(float64(cost.V) / perUSD)
	}
	return u
}

// sums are the columns of spending: calls, input_tokens, output_tokens, cost_microusd,
// unknown_tokens and unknown_cost.
type sums struct {
	calls, unknownTokens, unknownCost int
	in, out, cost                     int64
}

// columns returns the places for [row.Scan].
func (s *sums) columns() []any {
	return []any{&s.calls, &s.in, &s.out, &s.cost, &s.unknownTokens, &s.unknownCost}
}

// spending returns the sums as spending. If every call of a sum is unknown, the sum is absent.
func (s *sums) spending() executor.Spending {
	known := s.calls > s.unknownTokens
	return executor.Spending{
		Calls: s.calls, UnknownTokens: s.unknownTokens, UnknownCost: s.unknownCost,
		Usage: usage(sql.Null[int64]{V: s.in, Valid: known || s.in > 0},
			sql.Null[int64]{V: s.out, Valid: known || s.out > 0},
			sql.Null[int64]{V: s.cost, Valid: s.calls > s.unknownCost}),
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
