package escalate

import (
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
)

// borrowed is the working tree as a call has it: the escalation holds it, under its own name, and
// every call is compared with the same checked tree. Only what was accepted makes that another one.
type borrowed struct {
	executor.Workspace
	run     string
	number  int
	checked executor.Checked
	// resumed reports that the call was begun by a process that died.
	resumed bool

	// judged reports that the iteration's changes were judged in this process; kept are those that
	// may stay.
	judged bool
	kept   []executor.Change
	// saved are the files that refs have, of what was put back in this process.
	saved map[string][]string
}

// Lock does nothing: the tree is held already.
func (*borrowed) Lock(context.Context, string) (func() error, error) {
	return func() error { return nil }, nil
}

// Begin returns the checked tree. A process may have died before the executor had noted that the
// call begins.
func (b *borrowed) Begin(ctx context.Context, run string) (executor.Checked, error) {
	if !b.resumed {
		return b.checked, nil
	}
	return b.checked, b.Resume(ctx, run, b.checked)
}

// Resume comes behind the end of what a process that died has left running.
func (b *borrowed) Resume(ctx context.Context, _ string, checked executor.Checked) error {
	return b.Workspace.Resume(ctx, b.run, checked)
}

// begin forgets what was judged before.
func (b *borrowed) begin() { b.judged, b.kept = false, nil }

// Detect begins a judgement.
func (b *borrowed) Detect(ctx context.Context, checked executor.Checked) ([]executor.Change, error) {
	changes, err := b.Workspace.Detect(ctx, checked)
	b.judged, b.kept = err == nil, nil
	return changes, err
}

// Save saves under the number of the call.
func (b *borrowed) Save(ctx context.Context, _ string, _ int, checked executor.Checked, changes []executor.Change) (
	string, error) {
	ref, err := b.Workspace.Save(ctx, b.run, b.number, checked, changes)
	if err == nil && ref != "" {
		if b.saved == nil {
			b.saved = map[string][]string{}
		}
		b.saved[ref] = paths(changes)
	}
	return ref, err
}

// Advance notes what may stay, and leaves the checked tree as it is.
func (b *borrowed) Advance(_ context.Context, _ string, checked executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	b.kept = slices.Clone(changes)
	return checked, nil
}

// Release does nothing: the tree is not the call's.
func (*borrowed) Release(context.Context, string) error { return nil }
