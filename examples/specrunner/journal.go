package main

import (
	"context"
	"errors"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// watched is a journal whose failures are noticed: a run that nobody could know of later does not
// go on.
type watched struct {
	executor.Journal
	// fails is called with what failed.
	fails func(error)
}

func (w *watched) Append(ctx context.Context, e executor.Entry) error {
	err := w.Journal.Append(ctx, e)
	if err != nil && !held(err) {
		w.fails(err)
	}
	return err
}

// held reports that another process has what is asked for, which is no failure of the state.
func held(err error) bool {
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	return ok && ev.Source == "executor" && ev.Op == "lock"
}

// breakage is the first failure of the state.
type breakage struct {
	mu  sync.Mutex
	err error
}

func (b *breakage) note(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}

func (b *breakage) get() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}
