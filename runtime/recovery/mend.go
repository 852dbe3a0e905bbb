package recovery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/gittree"
)

const (
	// opCheck names the commands of a check in evidence.
	opCheck = "validate"
	// maxListed bounds the paths that a record names.
	maxListed = 20
)

// mend is commands that change files, and what says whether they have mended.
type mend struct {
	// failing says for people what did not work, when it did not.
	failing  string
	commands []validate.Command
	check    []validate.Command
	// strict refuses to run without a working tree to put back and without a validation, and has
	// the validation decide; otherwise a command that fails is a failure too.
	strict bool
}

// mend runs the commands and then the validation. Unless that passes, what has changed is put back.
func (t *try) mend(m mend) error {
	select {
	case t.busy <- struct{}{}:
		defer func() { <-t.busy }()
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
	tree, err := t.begin()
	switch {
	case err == nil:
	case t.ctx.Err() != nil:
		return context.Cause(t.ctx)
	case errors.Is(err, ErrUnfinished):
		return err
	case !errors.Is(err, ErrNoWorkspace):
		return failure("Not run, because the working tree could not be remembered", err)
	case m.strict:
		return noWorkspace()
	}
	defer hold(t.ctx)()
	if told, ok := tree.(interface{ Told() string }); ok {
		t.warn(told.Told())
	}
	err = safely(func() error { return t.change(tree, m) })
	if err = t.settle(tree, err); err != nil {
		return t.explained(m.failing, err)
	}
	return nil
}

// lockPoll is how often a working tree that somebody has is asked for.
const lockPoll = 200 * time.Millisecond

// begin remembers the working tree, and waits for it while somebody else has it.
func (t *try) begin() (Tree, error) {
	until := t.opts.Clock.Now().Add(t.opts.LockWait)
	for told := false; ; told = true {
		tree, err := t.opts.Tools.Begin(t.ctx, runName())
		if !errors.Is(err, gittree.ErrHeld) || !t.opts.Clock.Now().Before(until) {
			return tree, err
		}
		if !told {
			t.waits(t.opts.LockWait)
		}
		if err := t.opts.Clock.Sleep(t.ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}

// change runs the commands, looks at what they have changed, and runs the validation.
func (t *try) change(tree Tree, m mend) error {
	failed, err := t.runAll(m)
	if err != nil {
		return err
	}
	if err := t.judge(tree); err != nil {
		return err
	}
	checked, err := t.validated(m)
	if err != nil {
		t.note(DataCheck, "failed")
		if failed != nil {
			err = errors.Join(err, failed)
		}
		return err
	}
	if !checked {
		return nil
	}
	t.note(DataCheck, "passed")
	return t.judge(tree)
}

// runAll runs the commands. One that could not be run, or whose time was over, ends that. Failed is
// the first that ran and failed; it is an error only where no validation decides.
func (t *try) runAll(m mend) (failed, err error) {
	for _, c := range m.commands {
		result := t.opts.Tools.Run(t.ctx, t.record.Strategy, c)
		t.note(DataCommand, result.Command)
		t.note(DataOutput, result.Output)
		if result.Err == nil {
			continue
		}
		if !m.strict || !ran(result.Err) {
			return nil, result.Err
		}
		if failed == nil {
			failed = result.Err
		}
	}
	return failed, nil
}

// ran reports whether a command ran to its end, so that a validation can say more.
func ran(err error) bool {
	var ev *taxonomy.Evidence
	if !errors.As(err, &ev) {
		return false
	}
	_, exited := ev.ExitCode.Get()
	return exited
}

// validated runs the validation. It reports whether there is one.
func (t *try) validated(m mend) (bool, error) {
	for _, c := range m.check {
		if err := t.opts.Tools.Run(t.ctx, opCheck, c).Err; err != nil {
			return true, err
		}
	}
	if len(m.check) > 0 || t.opts.Validate == nil {
		return len(m.check) > 0, nil
	}
	return true, t.validate.run(t.ctx, func(ctx context.Context) error { return t.opts.Validate(ctx, t.failed) })
}

// judge returns an error when something has changed that must not be.
func (t *try) judge(tree Tree) error {
	if tree == nil {
		return nil
	}
	changes, err := tree.Changes(t.ctx)
	if err != nil {
		return fmt.Errorf("look for what has changed: %w", err)
	}
	t.note(DataChanged, listed(changes))
	verdicts, err := t.verdicts(changes)
	if err != nil {
		return fmt.Errorf("judge what has changed: %w", err)
	}
	var refused []executor.Change
	for i, c := range changes {
		if c.Git || c.Escapes || verdicts[i] != executor.Allowed {
			refused = append(refused, c)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	ev := &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden",
		Text: "changed what must not be changed: " + listed(refused)}
	for _, c := range refused[:min(len(refused), maxListed)] {
		ev.Files = append(ev.Files, c.Path)
	}
	return ev
}

// verdicts returns what the guard says of each change.
func (t *try) verdicts(changes []executor.Change) ([]executor.Verdict, error) {
	if t.opts.Guard == nil {
		verdicts := make([]executor.Verdict, len(changes))
		for i := range verdicts {
			verdicts[i] = executor.Allowed
		}
		return verdicts, nil
	}
	verdicts, err := t.opts.Guard.Judge(t.ctx, changes)
	if err == nil && len(verdicts) != len(changes) {
		err = fmt.Errorf("the guard has judged %d of %d changes", len(verdicts), len(changes))
	}
	return verdicts, err
}

// listed names the first paths of changes.
func listed(changes []executor.Change) string { return first(changes, maxListed) }

func first(changes []executor.Change, most int) string {
	names := make([]string, 0, min(len(changes), most)+1)
	for _, c := range changes[:min(len(changes), most)] {
		names = append(names, quotedASCII(c.Path))
	}
	if more := len(changes) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
