package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Lanes returns the waits that all users of this state share. The file contains hashes of the
// lanes' names.
func (s *Store) Lanes() retry.SharedWait {
	return retry.NewStoredWait(laneRows{s}, s.clock, s.options.Random)
}

// laneRows is the table of lanes. An open lane needs no row.
type laneRows struct{ *Store }

// Extend implements [retry.WaitStore]. It replaces a row that cannot be read.
func (r laneRows) Extend(ctx context.Context, lane string, until, now time.Time) error {
	return r.write(ctx, "pause a lane", func(tx *tx) error {
		if _, err := tx.exec("DELETE FROM lanes WHERE until NOT BETWEEN ? AND '9999-12-31Z'", now); err != nil {
			return err
		}
		_, err := tx.exec(`INSERT INTO lanes (lane, until) VALUES (?, ?)
			ON CONFLICT (lane) DO UPDATE SET until = max(until, excluded.until)`, retry.LaneKey(lane), until)
		return err
	})
}

// Opens implements [retry.WaitStore].
func (r laneRows) Opens(ctx context.Context, lane string) (until time.Time, err error) {
	if ctx.Err() != nil {
		return until, context.Cause(ctx)
	}
	const query = "SELECT json_quote(until) FROM lanes WHERE lane = ?"
	found, err := list[time.Time](ctx, r.Store, "read a lane", query, retry.LaneKey(lane))
	if len(found) > 0 {
		until = found[0]
	}
	return until, err
}

// lockPatience is the longest wait for a lock whose holder is dead.
const lockPatience = 10 * time.Second

// Claim is a lock on a name. It ends with [Claim.Release] or with the process.
type Claim struct {
	s    *Store
	lock *filelock.Named
}

// Claim takes the lock on a name, for example that of a whole queue. The name has 1 to 100 letters,
// digits, '-', '_' and '.'. Names of claims and of runs are independent. If a live process has the
// lock, the error is evidence of source "executor", op "lock", with the attributes path, pid, host
// and since.
func (s *Store) Claim(ctx context.Context, name string) (*Claim, error) {
	lock, err := s.lock(ctx, filepath.Join(s.locks(), "claims"), name, name)
	if err != nil {
		return nil, err
	}
	return &Claim{s, lock}, nil
}

// Release releases the lock. Later calls do nothing.
func (c *Claim) Release() error {
	lock := c.lock
	c.lock = nil
	if lock == nil {
		return nil
	}
	if err := lock.Release(); err != nil {
		return c.s.failed("state_write", "release a claim", err)
	}
	return nil
}

// lock takes the lock on a name in a directory. An error names the locked resource by what.
func (s *Store) lock(ctx context.Context, dir, name, what string) (lock *filelock.Named, err error) {
	if err := filelock.CheckName(name); err != nil {
		err = fmt.Errorf("%q: %w", mask.Beginning(name, 256), err)
		return nil, fileEvidence("executor", "prepare", s.path, err)
	}
	if err = atomicfile.MakeDir(dir); err == nil {
		lock, err = filelock.Take(ctx, dir, name, what, "", lockPatience)
	}
	if err != nil {
		if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok {
			return nil, ev
		}
		return nil, fileEvidence("executor", "lock", s.path, err)
	}
	return lock, nil
}

// Holder is the process that has a run.
type Holder struct {
	// PID and Host are 0 and "" if the process has not yet written its note.
	PID   int
	Host  string
	Since time.Time
}

// holder returns the process that has a run, or nil.
func (s *Store) holder(run string) *Holder {
	if filelock.CheckName(run) != nil {
		return nil
	}
	h, taken, _ := filelock.Taken(s.locks(), run)
	if !taken {
		return nil
	}
	return &Holder{PID: h.PID, Host: h.Host, Since: h.Since}
}
