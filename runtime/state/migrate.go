package state

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
)

//go:embed schema.sql
var schema string

// steps lead from one version of the schema to the next: the first one makes it, and the one at i
// leads from version i to i+1. What is there is never changed, only added to. Foreign keys are not
// enforced in a step, and checked after all of them.
var steps = []string{schema}

// applicationID says of a file that it is a state: "errg".
const applicationID = 0x65727267

// migrate brings the schema up to date, in one transaction for all versions that it is behind.
func (w *writer) migrate(ctx context.Context, steps []string) (err error) {
	defer func() {
		if err == nil {
			w.version = len(steps)
		}
	}()
	have, err := w.number(ctx, "PRAGMA user_version")
	if err != nil || have == len(steps) {
		return err
	}
	// Within a transaction this would do nothing.
	if _, err := w.conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	err = w.transact(ctx, func(t *tx) error { return t.migrate(steps) })
	if err != nil {
		return fmt.Errorf("migrate: %w", errors.Join(err, w.disconnect()))
	}
	_, err = w.conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
	return err
}

func (t *tx) migrate(steps []string) error {
	have, err := t.w.number(t.ctx, "PRAGMA user_version") // another process may have done it
	if err != nil {
		return err
	}
	if err := known(have, steps); err != nil {
		return err
	}
	for v := have; v < len(steps); v++ {
		if _, err := t.w.conn.ExecContext(t.ctx, steps[v]); err != nil {
			return fmt.Errorf("to version %d: %w", v+1, err)
		}
	}
	if err := t.keysHold(); err != nil {
		return err
	}
	_, err = t.w.conn.ExecContext(t.ctx, "PRAGMA application_id = "+strconv.Itoa(applicationID)+
		"; PRAGMA user_version = "+strconv.Itoa(len(steps)))
	return err
}

// keysHold returns an error if a row refers to one that is not there.
func (t *tx) keysHold() error {
	var table string
	var row sql.Null[int64]
	var ignored any
	err := t.w.conn.QueryRowContext(t.ctx, "PRAGMA foreign_key_check").Scan(&table, &row, &ignored, &ignored)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return refuse("corrupt", "row %d of %s refers to one that is not there", row.V, table)
}

// known refuses a version that no step leads to.
func known(version int, steps []string) error {
	if version > len(steps) {
		return refuse("newer", "its schema has version %d, and this program knows %d at most", version, len(steps))
	}
	if version < 0 {
		return refuse("corrupt", "its schema has version %d", version)
	}
	return nil
}

// number reads the one number that a query returns.
func (w *writer) number(ctx context.Context, query string) (n int, err error) {
	err = w.conn.QueryRowContext(ctx, query).Scan(&n)
	return n, err
}
