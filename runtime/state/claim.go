package state

import (
	"context"
	"fmt"
	"sync"

	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Claim is a named thing that this process has, and no other one. It ends with [Claim.Release] or
// with the process.
type Claim struct {
	path string
	mu   sync.Mutex
	held *filelock.Named
}

// Claim takes the thing called name, such as a whole queue: letters, digits, '-', '_' and '.', 1 to
// 100 of them. A living process that has it is evidence of source "executor", op "lock", with the
// attributes path, pid, host and since; what a dead one had is free. Names of claims and of runs
// have nothing to do with each other.
func (s *Store) Claim(ctx context.Context, name string) (*Claim, error) {
	if err := filelock.CheckName(name); err != nil {
		return nil, s.refusedName("claim", name, err)
	}
	held, err := take(ctx, s.claims(), name, name, "")
	if err != nil {
		return nil, err
	}
	return &Claim{path: filelock.Path(s.claims(), name), held: held}, nil
}

// Release lets go. Releasing a claim twice does nothing.
func (c *Claim) Release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return nil
	}
	err := c.held.Release()
	c.held = nil
	if err != nil {
		return evidence("state", "state_write", c.path, fmt.Errorf("let go of a claim: %w", err))
	}
	return nil
}
