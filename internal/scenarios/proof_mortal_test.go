package scenarios_test

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// death ends a run at its n-th step, as a kill does. Steps are before and after each effect.
type death struct {
	steps, at int
	// kill ends what the run is in: the goroutine, or the process.
	kill func()
}

func (d *death) step() {
	if d.steps++; d.steps == d.at {
		d.kill()
	}
}

// between has an effect between two steps.
func between[T any](d *death, effect func() (T, error)) (T, error) {
	d.step()
	v, err := effect()
	d.step()
	return v, err
}

func betweenSteps(d *death, effect func() error) error {
	_, err := between(d, func() (struct{}, error) { return struct{}{}, effect() })
	return err
}

type mortalTree struct {
	executor.Workspace
	death *death
	// files has a revert be cut short after each file.
	files bool
}

func (m mortalTree) Begin(ctx context.Context, run string) (executor.Checked, error) {
	return between(m.death, func() (executor.Checked, error) { return m.Workspace.Begin(ctx, run) })
}

func (m mortalTree) Resume(ctx context.Context, run string, c executor.Checked) error {
	return betweenSteps(m.death, func() error { return m.Workspace.Resume(ctx, run, c) })
}

func (m mortalTree) Detect(ctx context.Context, c executor.Checked) ([]executor.Change, error) {
	return between(m.death, func() ([]executor.Change, error) { return m.Workspace.Detect(ctx, c) })
}

func (m mortalTree) Save(ctx context.Context, run string, n int, c executor.Checked, changes []executor.Change) (
	string, error) {
	return between(m.death, func() (string, error) { return m.Workspace.Save(ctx, run, n, c, changes) })
}

func (m mortalTree) Revert(ctx context.Context, c executor.Checked, changes []executor.Change) error {
	if !m.files {
		return betweenSteps(m.death, func() error { return m.Workspace.Revert(ctx, c, changes) })
	}
	for i := range changes {
		m.death.step()
		if err := m.Workspace.Revert(ctx, c, changes[i:i+1]); err != nil {
			return err
		}
	}
	m.death.step()
	return nil
}

func (m mortalTree) Advance(ctx context.Context, run string, c executor.Checked, changes []executor.Change) (
	executor.Checked, error) {
	return between(m.death, func() (executor.Checked, error) { return m.Workspace.Advance(ctx, run, c, changes) })
}

func (m mortalTree) Commit(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	return between(m.death, func() (executor.CommitDone, error) { return m.Workspace.Commit(ctx, c) })
}

func (m mortalTree) Committed(ctx context.Context, c executor.Commit) (executor.CommitDone, error) {
	return between(m.death, func() (executor.CommitDone, error) { return m.Workspace.Committed(ctx, c) })
}

func (m mortalTree) Push(ctx context.Context) error {
	return betweenSteps(m.death, func() error { return m.Workspace.Push(ctx) })
}

func (m mortalTree) OpenPR(ctx context.Context, title, body string) (string, error) {
	return between(m.death, func() (string, error) { return m.Workspace.OpenPR(ctx, title, body) })
}

func (m mortalTree) Release(ctx context.Context, run string) error {
	return betweenSteps(m.death, func() error { return m.Workspace.Release(ctx, run) })
}

type mortalJournal struct {
	executor.Journal
	death *death
}

func (m mortalJournal) Append(ctx context.Context, e executor.Entry) error {
	return betweenSteps(m.death, func() error { return m.Journal.Append(ctx, e) })
}

type mortalValidator struct {
	executor.Validator
	death *death
}

func (m mortalValidator) Validate(ctx context.Context, phase executor.Phase) error {
	return betweenSteps(m.death, func() error { return m.Validator.Validate(ctx, phase) })
}

type mortalAsker struct {
	executor.Asker
	death *death
}

func (m mortalAsker) Ask(ctx context.Context, q executor.Question) (bool, error) {
	return between(m.death, func() (bool, error) { return m.Asker.Ask(ctx, q) })
}

type mortalClock struct {
	retry.Clock
	death *death
}

func (m mortalClock) Sleep(ctx context.Context, d time.Duration) error {
	return betweenSteps(m.death, func() error { return m.Clock.Sleep(ctx, d) })
}

type mortalRecoverer struct {
	executor.Recoverer
	death *death
}

func (m mortalRecoverer) Recover(ctx context.Context, f taxonomy.Failed) error {
	return betweenSteps(m.death, func() error { return m.Recoverer.Recover(ctx, f) })
}
