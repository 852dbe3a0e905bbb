package state

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
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
	maxTask   = 1 << 10
)

// mask masks the secrets in a text from outside. It replaces NUL, because programs in C end a text
// there.
var mask text.Mask = func(s string) string { return text.Masked(strings.ReplaceAll(s, "\x00", "\uFFFD")) }

// name returns a code or another name, masked and bounded.
func name(s string) string { return mask.Beginning(s, maxName) }

// stampLayout is RFC 3339 with nine digits, so that the texts sort like the times.
const stampLayout = "2006-01-02T15:04:05.000000000Z07:00"

// perUSD is the number of stored units in a dollar.
const perUSD = 1_000_000

// columnsOf calls f for each column of a struct: the fields with a tag `db`, and the numbers of
// usage and spending.
func columnsOf(v reflect.Value, f func(column string, field reflect.Value)) {
	switch v := v.Addr().Interface().(type) {
	case *executor.Spending:
		f("calls", reflect.ValueOf(&v.Calls).Elem())
		f("unknown_tokens", reflect.ValueOf(&v.UnknownTokens).Elem())
		f("unknown_cost", reflect.ValueOf(&v.UnknownCost).Elem())
		columnsOf(reflect.ValueOf(&v.Usage).Elem(), f)
		return
	case *executor.Usage:
		f("input_tokens", reflect.ValueOf(&v.InputTokens).Elem())
		f("output_tokens", reflect.ValueOf(&v.OutputTokens).Elem())
		f("cost_microusd", reflect.ValueOf(&v.CostUSD).Elem())
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch column, ok := field.Tag.Lookup("db"); {
		case ok && column == "":
			columnsOf(v.Field(i), f)
		case ok:
			f(column, v.Field(i))
		}
	}
}

// bind returns a value as a column. Empty texts and lists, the zero time and absent values are
// NULL.
func bind(v any) any {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UTC().Format(stampLayout)
	case time.Duration:
		return v.Seconds()
	case taxonomy.Opt[int]:
		return optional(v)
	case taxonomy.Opt[int64]:
		return optional(v)
	case taxonomy.Opt[bool]:
		return v.Or(false)
	case taxonomy.Opt[float64]:
		return microUSD(v)
	case []string:
		if len(v) == 0 {
			return nil
		}
		b, _ := json.Marshal(v) // texts always have a JSON form
		return string(b)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return sql.Null[string]{V: r.String(), Valid: r.Len() > 0}
	}
	return v
}

func optional[T any](o taxonomy.Opt[T]) sql.Null[T] {
	v, ok := o.Get()
	return sql.Null[T]{V: v, Valid: ok}
}

// microUSD returns dollars in millionths, rounded up, so that many small costs do not sum up to 0.
// An unknown cost is NULL.
func microUSD(cost taxonomy.Opt[float64]) sql.Null[int64] {
	v, ok := cost.Get()
	up := math.Ceil(v*perUSD - 1e-6) // whole millionths can be slightly larger as a float
	return sql.Null[int64]{V: int64(min(up, math.MaxInt64/1e6)), Valid: ok && v >= 0}
}

// cell is a field that a column is read into. NULL is the zero value.
type cell struct{ field reflect.Value }

// Scan implements [sql.Scanner].
func (c cell) Scan(src any) (err error) {
	c.field.SetZero()
	if src == nil {
		return nil
	}
	switch into := c.field.Addr().Interface().(type) {
	case *time.Time:
		*into, err = time.Parse(time.RFC3339Nano, src.(string))
		*into = into.UTC()
		return err
	case *time.Duration:
		*into = duration(src.(float64))
	case *taxonomy.Opt[int]:
		*into = taxonomy.Some(int(src.(int64)))
	case *taxonomy.Opt[int64]:
		*into = taxonomy.Some(src.(int64))
	case *taxonomy.Opt[bool]:
		*into = taxonomy.Some(src.(int64) != 0)
	case *taxonomy.Opt[float64]:
		*into = taxonomy.Some(float64(src.(int64)) / perUSD)
	default:
		switch v := c.field; v.Kind() {
		case reflect.String:
			v.SetString(src.(string))
		case reflect.Int, reflect.Int64:
			v.SetInt(src.(int64))
		case reflect.Bool:
			v.SetBool(src.(int64) != 0)
		default:
			return json.Unmarshal([]byte(src.(string)), into)
		}
	}
	return nil
}

// read reads a row into a struct with columns, or its only column into a value.
func read[T any](rows *sql.Rows, columns []string) (out T, err error) {
	v := reflect.ValueOf(&out).Elem()
	fields := map[string]any{}
	if len(columns) > 1 {
		columnsOf(v, func(column string, field reflect.Value) { fields[column] = cell{field} })
	} else {
		fields[columns[0]] = cell{v}
	}
	dest := make([]any, len(columns))
	for i, column := range columns {
		if dest[i] = fields[column]; dest[i] == nil {
			dest[i] = new(any)
		}
	}
	return out, rows.Scan(dest...)
}

// insertOf returns a statement that inserts the columns of a struct.
func insertOf(table string, v any) string {
	var names []string
	columnsOf(reflect.ValueOf(v).Elem(), func(column string, _ reflect.Value) { names = append(names, column) })
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (?%s)", table, strings.Join(names, ", "),
		strings.Repeat(", ?", len(names)-1))
}

// valuesOf returns the columns of a struct for insertOf.
func valuesOf(v any) (args []any) {
	columnsOf(reflect.ValueOf(v).Elem(), func(_ string, f reflect.Value) { args = append(args, bind(f.Interface())) })
	return args
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
