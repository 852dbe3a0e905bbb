package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// The sources of evidence about hooks.
const (
	sourcePreStart = "pre_start"
	sourcePostDone = "post_done"
)

// maxHookOutput is how many bytes of the end of what a hook prints are kept.
const maxHookOutput = 16 << 10

// errHookLimit is the cause of a context that ended because a hook's time was over.
var errHookLimit = errors.New("the hook's time is over")

// hooks runs the commands around an attempt.
type hooks struct {
	settings hookSettings
	dir      string
	env      []string
	mask     *strings.Replacer // takes the secrets out that hooks are given
}

func newHooks(s hookSettings, at place) (*hooks, error) {
	for _, list := range [][]hook{s.PreStart, s.PostDone} {
		for _, h := range list {
			if !h.Run.Usable() {
				return nil, errors.New("a hook has neither a line nor a program")
			}
		}
	}
	env := proc.SafeEnv(append([]string{taskVariable + "=" + at.Task}, s.Env...)...)
	return &hooks{settings: s, dir: at.Dir, env: env, mask: masking(env)}, nil
}

// preStart runs the hooks before an agent.
func (h *hooks) preStart(ctx context.Context, started func(executor.Process) error) error {
	for _, one := range h.settings.PreStart {
		if err := h.run(ctx, sourcePreStart, opCall, one, started); err != nil {
			return err
		}
	}
	return nil
}

// checks are the hooks after an agent that says that its task is done. They are an
// executor.Validator.
type checks struct{ *hooks }

var (
	_ executor.Selective = checks{}
	_ executor.Tracked   = checks{}
)

// newChecks makes the checks for one task.
func newChecks(s hookSettings, at place) (executor.Validator, error) {
	h, err := newHooks(s, at)
	if err != nil {
		return nil, err
	}
	return checks{h}, nil
}

// Checks reports whether there are hooks; they run before a commit would be made, and at no other
// time.
func (c checks) Checks(phase executor.Phase) bool {
	return phase == executor.PreCommit && len(c.settings.PostDone) > 0
}

// Validate runs the hooks until one fails.
func (c checks) Validate(ctx context.Context, phase executor.Phase) error {
	return c.ValidateTracked(ctx, phase, nil)
}

// End ends the group of a hook that an earlier process left behind.
func (c checks) End(ctx context.Context, left executor.Process) error {
	return proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, c.settings.Grace)
}

// ValidateTracked is Validate, and tells started, unless it is nil, which process each hook is.
func (c checks) ValidateTracked(ctx context.Context, phase executor.Phase, started func(executor.Process) error) error {
	if !c.Checks(phase) {
		return nil
	}
	for _, one := range c.settings.PostDone {
		if err := c.run(ctx, sourcePostDone, "validate_"+string(phase), one, started); err != nil {
			return err
		}
	}
	return nil
}

// run runs a hook. Its error is evidence, unless the run was cancelled.
func (h *hooks) run(ctx context.Context, source, op string, one hook, started func(executor.Process) error) error {
	limit := h.settings.limitOf(one)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errHookLimit)
	defer cancel()
	kept := proc.NewTail(maxHookOutput)
	path, args := one.Run.Program()
	exit, err := proc.Run(limited, proc.Command{
		Path: path, Args: args, Dir: h.dir, Env: h.env, Stdout: kept, Stderr: kept,
		Grace: h.settings.Grace, Started: starting(started), Sweep: true,
	})
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("run a %s hook: %w", source, err)
	}
	ev := proc.Failure(source, op, path, exit, err)
	if ev == nil {
		return nil
	}
	command := h.mask.Replace(one.Run.String())
	ev.Attributes["command"], ev.Text = command, h.mask.Replace(ev.Text)
	one.tell(ev, exit, err, strings.ToValidUTF8(kept.Masked(h.mask.Replace), "\uFFFD"), limit)
	if ev.Type == one.Type && one.Type != "" {
		ev.Text = command + " failed"
	}
	if ctx.Err() != nil {
		// The executor takes what ends with its iteration for the agent's, unless it has its code
		// already.
		return errs.Classify(ev)
	}
	return ev
}

// tell adds to evidence what kind of failure it is, and what the hook printed.
func (h *hook) tell(ev *taxonomy.Evidence, exit proc.Exit, err error, output string, limit time.Duration) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		ev.Type, ev.ExitCode, ev.Signal, ev.Output = typeTimeout, taxonomy.Opt[int]{}, "", output
		ev.Attributes["limit"] = limit.String()
		ev.Text = fmt.Sprintf("it did not end within %s", limit)
	case err != nil && ev.Type == "":
		ev.Type = typeStart
	case err != nil:
	case h.Type == "" || h.missing(exit):
		ev.Text = output
	default:
		ev.Type, ev.Output = h.Type, output
	}
}

// missing reports whether the shell says that there is no such program, or that it cannot be run.
func (h *hook) missing(exit proc.Exit) bool {
	return h.Run.Line != "" && (exit.Code == 126 || exit.Code == 127)
}
