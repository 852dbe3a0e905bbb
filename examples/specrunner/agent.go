package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// sourceAgent is what evidence about the agent names, whatever program it is.
const sourceAgent = "agent"

// taskVariable tells agent and hooks which task they are about.
const taskVariable = "SPECRUNNER_TASK"

// place is where an agent and hooks work, and on what.
type place struct {
	// Dir is the working directory; empty is this process's.
	Dir string
	// Task is the ID of the task.
	Task string
	// Limit is how long a call of the agent may take; 0 is 30 minutes.
	Limit time.Duration
}

// agent is whoever works on a task, with the hooks before it.
type agent struct {
	caller
	hooks *hooks
	dir   string
	limit time.Duration
}

// caller is what an agent of any kind can do. Its calls are judged by what they say of the task.
type caller interface {
	executor.Provider
	executor.Credentialed
	executor.Ender
}

// newAgent makes the agent for one task.
func newAgent(a agentSettings, h hookSettings, at place) (executor.Provider, error) {
	var who caller
	var err error
	if a.Claude != nil {
		who, err = newClaude(a, at)
	} else {
		who, err = newProcess(a, at)
	}
	if err != nil {
		return nil, err
	}
	before, err := newHooks(h, at)
	if err != nil {
		return nil, err
	}
	return &agent{caller: who, hooks: before, dir: at.Dir, limit: orElse(at.Limit, defaultCallLimit)}, nil
}

// Call runs the hooks and then the agent. A hook that fails is the failure of the call.
func (a *agent) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if err := a.hooks.preStart(ctx, req.Started); err != nil {
		return executor.Answer{Usage: nothing()}, err
	}
	limited, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	req.Dir, req.Limit = a.dir, a.limit
	req.Prompt = unmarked(req.Prompt) + ending(req.Reduced)
	answer, err := a.caller.Call(limited, req)
	ev, known := err.(*taxonomy.Evidence)
	switch {
	case !known:
	case ev.Type == typeTimeout && ctx.Err() == nil:
		err = with(ev, "limit", a.limit.String())
	case ev.Type == typeNotFound || ev.Type == typeStart:
		answer.Usage = nothing()
	}
	return answer, err
}

// nothing is what a call has cost in which no agent ran, which is not the same as not knowing it.
func nothing() executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0),
		CostUSD: taxonomy.Some(0.0)}
}

// with returns evidence that has one attribute more.
func with(ev *taxonomy.Evidence, name, value string) *taxonomy.Evidence {
	told := *ev
	told.Attributes = maps.Clone(ev.Attributes)
	if told.Attributes == nil {
		told.Attributes = map[string]string{}
	}
	told.Attributes[name] = value
	return &told
}

// ending is what every prompt ends with. No line of it is a marker, since some agents print what
// they are told.
func ending(reduced bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nIf the task cannot be done, end your answer with a line such as: %s: the reason\n", markFailed)
	if reduced {
		b.WriteString("\nThe last conversation grew too long. Read and print no more than you need.\n")
	}
	return b.String()
}

// claude is Claude Code's command line.
type claude struct {
	*claudecli.Provider
	required bool // an answer has the marker
}

func newClaude(a agentSettings, at place) (claude, error) {
	c := a.Claude
	p, err := claudecli.New(claudecli.Options{
		Name: sourceAgent, Path: c.Path, Model: c.Model, MaxTurns: c.MaxTurns, PermissionMode: c.PermissionMode,
		AllowedTools: c.AllowedTools, DisallowedTools: c.DisallowedTools,
		SkipPermissions: c.SkipPermissions, AllowSkipPermissions: c.AllowSkipPermissions,
		Args: c.Args, Env: append([]string{taskVariable + "=" + at.Task}, a.Env...), Grace: a.Grace,
	})
	return claude{p, a.RequireMarker}, err
}

// Call runs a prompt.
func (c claude) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	answer, err := c.Provider.Call(ctx, req)
	return judge(answer, err, c.required)
}

var errNoAgent = errors.New("the settings name no agent: claude: {} or command: [program, arguments ...]")
