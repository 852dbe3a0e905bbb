package claudecli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// answer is what the call came to. One that failed has no text, but a session and its cost.
func (c *call) answer(good bool) executor.Answer {
	a := executor.Answer{Session: c.session}
	if c.result == nil {
		if !c.ran {
			a.Usage = nothing()
		}
		return a
	}
	a.Usage = c.result.used()
	if good {
		a.Text = c.endOf(c.result.Result, maxText)
	}
	return a
}

// outcome returns nil when the call succeeded, and otherwise what is known of its failure. A result
// counts even if the process has to be ended then.
func (c *call) outcome(ctx context.Context, exit proc.Exit, err error, took time.Duration) error {
	switch {
	case c.refused != nil:
		return c.refused
	case c.erred(), c.unclear():
		return c.evidence(exit, err)
	case c.result != nil && (err != nil || exit.Code == 0):
		return c.denied()
	case errors.Is(err, context.DeadlineExceeded):
		return c.timeout(ctx, err, took)
	case ctx.Err() != nil && err != nil:
		return fmt.Errorf("call %s: %w", c.options.Name, err)
	}
	return c.evidence(exit, err)
}

// erred reports whether the process said that it failed.
func (c *call) erred() bool { return c.result != nil && c.result.Verdict == erred }

// unclear reports whether there is a result that does not say whether the run failed.
func (c *call) unclear() bool {
	return c.result != nil && c.result.Verdict != erred && c.result.Verdict != succeeded
}

// timeout is evidence that the time for the call was over.
func (c *call) timeout(ctx context.Context, err error, took time.Duration) error {
	ev := c.begin()
	ev.Err, ev.Text = err, c.errorChannel()
	limit := c.req.Limit
	if deadline, ok := ctx.Deadline(); limit <= 0 && ok {
		limit = took + time.Until(deadline)
	}
	timedOut(ev, limit, took)
	if c.req.Iteration > 0 {
		ev.Attributes["iteration"] = strconv.Itoa(c.req.Iteration)
	}
	return ev
}

// denied is evidence that a command was refused, if that fails the call.
func (c *call) denied() error {
	if c.options.Policy == "" {
		return nil
	}
	for _, d := range c.result.Denials {
		if d.Tool != "Bash" {
			continue
		}
		ev := c.begin()
		ev.Type, ev.Text = "command_blocked", "the permission rules do not allow a command"
		ev.Attributes = map[string]string{"command": d.Input.Command, "policy": c.options.Policy}
		return ev
	}
	return nil
}

func (c *call) begin() *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: c.options.Name, Op: opCall, Credential: c.credential, Output: c.output()}
}

// output is what the process printed beside its events.
func (c *call) output() string {
	return strings.ToValidUTF8(c.plain.Masked(c.mask.Replace), "\uFFFD")
}

// errorChannel is what the process said about its failure: the result of a failed run, then the end
// of standard error.
func (c *call) errorChannel() string {
	var parts []string
	if c.erred() {
		parts = append(
			parts, c.mask.Replace(c.endOf(cmp.Or(c.result.Result, strings.Join(c.result.Errors, "\n")), maxStderr)))
	}
	parts = append(parts, strings.ToValidUTF8(c.stderr.Masked(c.mask.Replace), "\uFFFD"))
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// evidence is what is known of a call that failed by itself.
func (c *call) evidence(exit proc.Exit, err error) *taxonomy.Evidence {
	ev := proc.Failure(c.options.Name, opCall, c.options.Path, exit, err)
	if ev == nil || c.result != nil && err != nil {
		ev = c.begin() // a failed run may end as well as any other; and that it had to be ended is no news
	}
	ev.Credential, ev.Output = c.credential, c.output()
	if err == nil {
		delete(ev.Attributes, "command") // it is not the command that failed
	}
	if text := c.errorChannel(); text != "" {
		ev.Text = text
	}
	switch {
	case c.erred():
		c.fromResult(ev)
	case c.unclear():
		ev.Type, ev.Text = "stream", strings.TrimSpace("the result does not say whether the call failed\n"+ev.Text)
	case c.result == nil && err == nil && exit.Code == 0:
		ev.Type, ev.Text = "stream", cmp.Or(ev.Text, "no result event")
	}
	if c.erred() || exit.Signal == "" && err == nil {
		c.fromLimit(ev)
	}
	if ev.RetryAfter.IsZero() && ev.ResetAt.IsZero() {
		if wait, ok := detect.RetryHint(ev.Text); ok {
			ev.RetryAfter, ev.RetryAfterDerived = taxonomy.Some(wait), true
		}
	}
	return ev
}

// fromResult adds what the result and the message before it say about the failure.
func (c *call) fromResult(ev *taxonomy.Evidence) {
	if status := c.result.APIStatus; status >= 400 && status <= 599 {
		ev.Status = status
	}
	readAPIError(ev, c.result.Result)
	if ev.Type == "" {
		ev.Type = apiType(c.failed.Error)
	}
	if ev.Type == "" && strings.HasPrefix(c.result.Subtype, "error_") {
		ev.Type = c.result.Subtype
	}
	attribute(ev, "request-id", c.failed.RequestID)
}

// fromLimit adds when the account is let in again, if it is out of its limit now.
func (c *call) fromLimit(ev *taxonomy.Evidence) {
	if !c.limit.rejected() {
		return
	}
	if ev.Type == "" && ev.Status == 0 {
		ev.Type = "rate_limit_error"
	}
	if at := c.limit.reset(); ev.ResetAt.IsZero() && !at.IsZero() {
		ev.ResetAt = at
	}
	attribute(ev, "rate_limit_type", c.limit.Kind)
}

// attribute sets an attribute that has no value yet.
func attribute(ev *taxonomy.Evidence, name, value string) {
	if value == "" || ev.Attributes[name] != "" {
		return
	}
	if ev.Attributes == nil {
		ev.Attributes = map[string]string{}
	}
	ev.Attributes[name] = value
}
