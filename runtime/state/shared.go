package state

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/lanes"
	"github.com/errgen/errgen/runtime/retry"
)

// Lanes returns the waits that all users of this state share. A pause replaces a row that cannot be
// read. The file contains hashes of the lanes' names.
func (s *Store) Lanes() retry.SharedWait { return lanes.New(laneRows{s}, s.clock, s.options.Random) }

// laneAge is the time after which the row of an open lane is deleted.
const laneAge = 24 * time.Hour

// laneRows is the table of lanes.
type laneRows struct{ s *Store }

const selectLane = "SELECT CAST(body AS BLOB) FROM lanes WHERE lane = ?"

func (r laneRows) Has(ctx context.Context, key string) (bool, error) {
	found, err := list(ctx, r.s, "read a lane", selectLane, []any{key}, func(row) (bool, error) { return true, nil })
	return len(found) > 0, err
}

func (r laneRows) Change(ctx context.Context, key string, f func(kept []byte, err error) (lanes.Kept, error)) error {
	return r.s.write(ctx, "change a lane", func(t *tx) error {
		var before []byte
		switch err := t.scan(selectLane, []any{key}, &before); {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case before == nil:
			before = []byte{} // a row without text
		}
		after, err := f(before, nil)
		switch {
		case err != nil || bytes.Equal(after.Body, before):
			return err
		case after.Body == nil:
			_, err = t.exec("DELETE FROM lanes WHERE lane = ?", key)
			return err
		}
		if _, err := t.exec("DELETE FROM lanes WHERE until < ?", stamp(r.s.clock.Now().Add(-laneAge))); err != nil {
			return err
		}
		_, err = t.exec("INSERT OR REPLACE INTO lanes (lane, until, body) VALUES (?, ?, ?)", key, stamp(after.Until),
			string(after.Body))
		return err
	})
}

// lockPatience is the longest wait for the lock of a dead process.
const lockPatience = 10 * time.Second

// Claim is a lock on a name. It ends with [Claim.Release] or with the process.
type Claim struct {
	s    *Store
	held *filelock.Named
}

// Claim takes the lock called name, for example on a whole queue. The name has 1 to 100 letters,
// digits, '-', '_' and '.'. Names of claims and of runs are independent. If a live process has the
// lock, the error is evidence of source "executor", op "lock", with the attributes path, pid, host
// and since.
func (s *Store) Claim(ctx context.Context, name string) (*Claim, error) {
	held, err := s.lock(ctx, filepath.Join(s.locks(), "claims"), name, name)
	if err != nil {
		return nil, err
	}
	return &Claim{s, held}, nil
}

// Release releases the lock. Later calls do nothing.
func (c *Claim) Release() error {
	held := c.held
	c.held = nil
	if held == nil {
		return nil
	}
	if err := held.Release(); err != nil {
		return c.s.failed("state_write", "release a claim", err)
	}
	return nil
}

// lock takes the lock on a name in a directory. An error calls the locked thing what.
func (s *Store) lock(ctx context.Context, dir, name, what string) (held *filelock.Named, err error) {
	if err := filelock.CheckName(name); err != nil {
		return nil, evidence("executor", "prepare", s.path, fmt.Errorf("%w: %q (%s)", err, mask.Beginning(name, 256),
			filelock.NameExpected))
	}
	if err = atomicfile.MakeDir(dir); err == nil {
		held, err = filelock.Take(ctx, dir, name, what, "", lockPatience)
	}
	if err != nil {
		if ev, ok := filelock.Evidence(err); ok {
			return nil, ev
		}
		return nil, evidence("executor", "lock", s.path, err)
	}
	return held, nil
}

// Holder is the process that has a run.
type Holder struct {
	// PID and Host are 0 and "" while the process has just begun.
	PID   int
	Host  string
	Since time.Time
}

// holder returns the process that has a run, or nil. If the lock cannot be tried, because the
// directory is not writable, it returns the process in the note beside the lock.
func (s *Store) holder(run string) *Holder {
	if filelock.CheckName(run) != nil {
		return nil
	}
	h, taken, err := filelock.Taken(s.locks(), run)
	if err != nil {
		h, taken = filelock.Noted(s.locks(), run)
	}
	if !taken {
		return nil
	}
	return &Holder{PID: h.PID, Host: h.Host, Since: h.Since}
}
