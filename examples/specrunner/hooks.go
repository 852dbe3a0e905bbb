package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

const (
	maxHookOutput    = 16 << 10
	defaultHookLimit = 10 * time.Minute
	defaultLimit     = 30 * time.Minute // of a call
)

var errHookLimit = fmt.Errorf("the limit of the hook: %w", context.DeadlineExceeded)

// hooks run the commands around an attempt. They are an [executor.Validator] with those of
// post_done.
type hooks struct {
	hookSettings
	dir  string
	env  []string
	mask *strings.Replacer
}

func (p *program) newHooks(task string) *hooks {
	env := proc.SafeEnv(append([]string{taskVariable + "=" + task}, p.settings.Hooks.Env...)...)
	return &hooks{p.settings.Hooks, p.dir, env, masking(env)}
}

// Checks implements [executor.Selective].
func (h *hooks) Checks(phase executor.Phase) bool {
	return phase == executor.PreCommit && len(h.PostDone) > 0
}

// Validate implements [executor.Validator].
func (h *hooks) Validate(ctx context.Context, c executor.Check) error {
	return h.run(ctx, "post_done", "validate_"+string(c.Phase), h.PostDone, c.Started)
}

// End implements [executor.Ender].
func (h *hooks) End(ctx context.Context, left executor.Process) error {
	return proc.End(ctx, proc.ID{PID: left.PID, Start: left.Start}, h.Grace)
}

// run runs hooks until one fails.
func (h *hooks) run(ctx context.Context, source, op string, list []hook, started func(executor.Process) error) error {
	for _, one := range list {
		if err := h.runOne(ctx, source, op, one, started); err != nil {
			return err
		}
	}
	return nil
}

func (h *hooks) limit(one hook) time.Duration { return cmp.Or(one.Limit, h.Limit, defaultHookLimit) }

func (h *hooks) runOne(ctx context.Context, source, op string, one hook, started func(executor.Process) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, h.limit(one), errHookLimit)
	defer cancel()
	out := proc.NewTail(maxHookOutput)
	path, args := one.Run.Program()
	exit, err := proc.Run(limited, proc.Command{
		Path: path, Args: args, Dir: h.dir, Env: h.env, Stdout: out, Stderr: out, Grace: h.Grace,
		Started: starting(started), Sweep: true,
	})
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	ev := proc.Failure(source, op, path, exit, err)
	if ev == nil {
		return nil
	}
	command, printed := h.mask.Replace(one.Run.String()), text(out, h.mask)
	ev.Attributes["command"] = command
	missing := one.Run.Line != "" && (exit.Code == 126 || exit.Code == 127) // the shell has no such program
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		ev.Type, ev.ExitCode, ev.Signal, ev.Output = "timeout", taxonomy.Opt[int]{}, "", printed
		ev.Text = fmt.Sprintf("it did not end within %s", h.limit(one))
	case err != nil:
		ev.Type = cmp.Or(ev.Type, "start")
	case one.Type == "" || missing:
		ev.Text = printed
	default:
		ev.Type, ev.Output, ev.Text = one.Type, printed, command+" failed"
	}
	if ctx.Err() != nil { // the executor would take the end of its iteration for the agent's
		return errs.Classify(ev)
	}
	return ev
}
