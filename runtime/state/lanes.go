package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Lanes returns the waits that all users of this state share. A pause replaces a row that cannot be
// read. The file does not contain the names of lanes.
// Errors are a *taxonomy.Evidence of source "state", op "state_write", with the attribute path.
func (s *Store) Lanes() retry.SharedWait { return lanes.New(laneRows{s}, s.clock, s.options.Random) }

// laneAge is for how long a lane that has opened is kept at least.
const laneAge = 24 * time.Hour

// laneRows keep lanes in the table of that name; one that is open has no row.
type laneRows struct{ s *Store }

func (r laneRows) Has(ctx context.Context, key string) (has bool, err error) {
	err = r.s.query(ctx, "read lane", "SELECT 1 FROM lanes WHERE lane = ?", []any{key}, func(row) error {
		has = true
		return nil
	})
	return has, err
}

func (r laneRows) Change(ctx context.Context, key string, f func(kept []byte, err error) (lanes.Kept, error)) error {
	return r.s.write(ctx, "keep lane", func(t *tx) error {
		before, err := readLane(t, key)
		if err != nil {
			return err
		}
		after, err := f(before, nil)
		switch {
		case err != nil || bytes.Equal(after.Body, before):
			return err
		case after.Body == nil:
			_, err = t.exec("DELETE FROM lanes WHERE lane = ?", key)
			return err
		}
		return r.writeLane(t, key, after)
	})
}

// readLane returns what is kept of a lane, and no more of it than shows that it is too much; nil
// when there is nothing.
func readLane(t *tx, key string) ([]byte, error) {
	found, err := t.row("SELECT substr(CAST(body AS BLOB), 1, ?) FROM lanes WHERE lane = ?", lanes.MaxKept+1, key)
	if err != nil {
		return nil, err
	}
	body := []byte{}
	if err := found.Scan(&body); errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if body == nil {
		body = []byte{} // a row without a text is a row
	}
	return body, nil
}

// writeLane keeps a lane, and forgets those about which nobody has asked since they opened.
func (r laneRows) writeLane(t *tx, key string, k lanes.Kept) error {
	if _, err := t.exec("DELETE FROM lanes WHERE until < ?", stamp(r.s.clock.Now().Add(-laneAge))); err != nil {
		return err
	}
	_, err := t.exec(
		"INSERT INTO lanes (lane, until, body) VALUES (?, ?, ?) ON CONFLICT (lane) DO UPDATE SET until = "+
			"excluded.until, body = excluded.body",
		key, stamp(k.Until), string(k.Body))
	return err
}
