package recovery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

const (
	// putBackLimit is how long putting back may take, also when the context has ended.
	putBackLimit = 2 * time.Minute
	// opCheck names the commands of a check in evidence.
	opCheck = "validate"
	// maxListed bounds the paths that a record names.
	maxListed = 20
)

// mend is commands that change files, and what says whether they have mended.
type mend struct {
	// failing says for people what did not work, when it did not.
	failing  string
	commands []workspace.Command
	check    []workspace.Command
	// strict refuses to run without a working tree to put back and without a validation, and has the validation decide;
	// otherwise a command that fails is a failure too.
	strict bool
}

func noTools() *Error {
	return failf("No tools are available to run a command with: set Options.Tools")
}

// stuck says that what a command has changed could not be put back.
type stuck struct{ cause, left error }

func (s *stuck) Error() string {
	return shown(s.cause) + "; what it changed could not be put back: " + shown(s.left)
}
func (s *stuck) Unwrap() []error { return []error{s.cause, s.left} }

// mend runs the commands and then the validation. Unless that passes, what has changed is put back.
func (t *try) mend(m mend) error {
	if t.opts.Tools == nil {
		return noTools()
	}
	if m.strict && len(m.check) == 0 && t.opts.Validate == nil {
		return failf("Not run, because nothing would say whether it has helped: set the Check of the fix, or Options.Validate")
	}
	select {
	case t.busy <- struct{}{}:
		defer func() { <-t.busy }()
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
	tree, err := t.opts.Tools.Begin(t.ctx, runName())
	switch {
	case err == nil:
	case !errors.Is(err, ErrNoWorkspace):
		return failure("Not run, because the working tree could not be remembered", err)
	case m.strict:
		return failf("Not run, because what it changes could not be put back: configure the tools with a Workspace")
	}
	err = safely(func() error { return t.change(tree, m) })
	if err = t.settle(tree, err); err != nil {
		return t.explained(m.failing, err)
	}
	return nil
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

// runAll runs the commands. One that could not be run, or whose time was over, ends that. Failed is the first that ran and
// failed; it is an error only where no validation decides.
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
	ev := &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "forbidden", Text: "changed what must not be changed: " + listed(refused)}
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

// settle lets go of the tree, after it was put back if there was an error.
func (t *try) settle(tree Tree, err error) error {
	if tree == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), putBackLimit)
	defer cancel()
	var left error
	if err != nil {
		left = safely(func() error { return t.putBack(ctx, tree) })
	}
	released := safely(func() error { return tree.Release(ctx, left != nil) })
	switch {
	case left != nil:
		t.note(DataPutBack, "false")
		return &stuck{err, left}
	case err != nil:
		return err
	case released != nil:
		t.note(DataWarning, "let go of the working tree: "+shown(released))
	}
	return nil
}

// putBack saves what has changed and puts it back. What cannot be saved stays.
func (t *try) putBack(ctx context.Context, tree Tree) error {
	changes, err := tree.Changes(ctx)
	if err != nil {
		return fmt.Errorf("look for what has changed: %w", err)
	}
	if len(changes) == 0 {
		return nil
	}
	t.note(DataChanged, listed(changes))
	ref, err := tree.Save(ctx, changes)
	if err != nil {
		return fmt.Errorf("save it: %w", err)
	}
	t.note(DataSaved, ref)
	if err := tree.Revert(ctx, changes); err != nil {
		return fmt.Errorf("it is saved as %s: %w", ref, err)
	}
	if changes, err = tree.Changes(ctx); err != nil || len(changes) > 0 {
		return errors.Join(err, fmt.Errorf("it is saved as %s, but something still differs: %s", ref, listed(changes)))
	}
	t.note(DataPutBack, "true")
	return nil
}

// listed names the first paths of changes.
func listed(changes []executor.Change) string {
	names := make([]string, 0, min(len(changes), maxListed)+1)
	for _, c := range changes[:min(len(changes), maxListed)] {
		names = append(names, quoted(c.Path))
	}
	if more := len(changes) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
