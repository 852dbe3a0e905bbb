package gittree

import (
	"context"
	"sync"
)

// Open opens a working tree in place.
var Open = open

// OpenClone opens a clone, and returns the user's space too.
func OpenClone(ctx context.Context, dir, run string, c Clone) (clone, user *Space, err error) {
	if clone, err = openClone(ctx, dir, run, c); err != nil {
		return nil, nil, err
	}
	return clone, clone.user, nil
}

// Deliver delivers from a clone.
func (s *Space) Deliver(ctx context.Context, clone *Space, branch string, forward bool) error {
	return s.deliver(ctx, clone, branch, forward)
}

// SetBeforeStep makes f called before every git command and every change of a file, one call after
// the other.
func SetBeforeStep(f func(string)) {
	var mu sync.Mutex
	beforeStep = func(step string) {
		mu.Lock()
		defer mu.Unlock()
		f(step)
	}
}
