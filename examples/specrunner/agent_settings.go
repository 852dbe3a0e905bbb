package main

import (
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/validate"
)

// The defaults of the settings.
const (
	defaultCallLimit = 30 * time.Minute
	defaultHookLimit = 10 * time.Minute
)

// agentSettings say who works on the tasks: Claude, or any program. One of both is given.
type agentSettings struct {
	Claude *claudeSettings `yaml:"claude"`
	// Command is a program and its arguments. The prompt is on its standard input, its standard
	// output is the answer. No shell reads it.
	Command []string `yaml:"command"`
	// RequireMarker has an answer that does not say that the task is done count as a failure.
	RequireMarker bool `yaml:"require_marker"`
	// Env is what the agent's environment has besides proc.SafeEnv: "NAME=value", or "NAME" to pass
	// on this process's.
	Env []string `yaml:"env"`
	// Grace is how long an agent that is stopped has to end by itself; 5 seconds.
	Grace time.Duration `yaml:"grace"`
}

// claudeSettings are those of Claude Code's command line.
type claudeSettings struct {
	Path            string   `yaml:"path"`
	Model           string   `yaml:"model"`
	MaxTurns        int      `yaml:"max_turns"`
	PermissionMode  string   `yaml:"permission_mode"`
	AllowedTools    []string `yaml:"allowed_tools"`
	DisallowedTools []string `yaml:"disallowed_tools"`
	// SkipPermissions is refused unless AllowSkipPermissions stands beside it.
	SkipPermissions      bool     `yaml:"skip_permissions"`
	AllowSkipPermissions bool     `yaml:"allow_skip_permissions"`
	Args                 []string `yaml:"args"`
}

// hookSettings are commands around an attempt. They run code that the agent may have written, with
// this process's rights; what keeps them from keys is their environment only.
type hookSettings struct {
	// PreStart run one after another before each call of the agent. One that fails ends the task.
	PreStart []hook `yaml:"pre_start"`
	// PostDone run one after another when the agent has said that the task is done. The first one
	// that fails ends the attempt.
	PostDone []hook `yaml:"post_done"`
	// Limit is how long a hook may take that has no limit of its own; 10 minutes.
	Limit time.Duration `yaml:"limit"`
	// Env is what their environment has besides proc.SafeEnv, as that of the agent.
	Env []string `yaml:"env"`
	// Grace is how long a hook that is stopped has to end by itself; 5 seconds.
	Grace time.Duration `yaml:"grace"`
}

// hook is a command: a line for the shell, a list of a program and its arguments, or a mapping of
// these settings.
type hook struct {
	Run validate.Command `yaml:"run"`
	// Type says what it means that the hook fails: the tests do, the linters object, or, without a
	// type, what its output tells.
	Type  string        `yaml:"type"`
	Limit time.Duration `yaml:"limit"`
}

// The types of hooks.
const (
	hookTests = "tests"
	hookLint  = "lint"
)

// hookFields are a hook's settings in a mapping.
type hookFields hook

// UnmarshalYAML reads a command, or a mapping.
func (h *hook) UnmarshalYAML(decode func(into any) error) error {
	*h = hook{}
	if decode(&h.Run) == nil {
		return nil
	}
	return decode((*hookFields)(h))
}

// Validate is asked by the configuration's loader.
func (a *agentSettings) Validate() []config.Problem {
	var p []config.Problem
	switch {
	case a.Claude == nil && len(a.Command) == 0:
		p = append(p, config.Problem{Expected: "claude: {} or command: [program, arguments ...]"})
	case a.Claude != nil && len(a.Command) > 0:
		p = append(p, config.Problem{Field: "command", Expected: "no command beside claude"})
	case a.Claude == nil && a.Command[0] == "":
		p = append(p, config.Problem{Field: "command[0]", Expected: "a program"})
	}
	return atLeast(p, "grace", a.Grace)
}

// Validate is asked by the configuration's loader.
func (h *hookSettings) Validate() []config.Problem {
	var p []config.Problem
	for i, pre := range h.PreStart {
		if pre.Type != "" {
			p = append(
				p, config.Problem{Field: fmt.Sprintf("pre_start[%d].type", i),
					Expected: "no type, which only hooks in post_done have"})
		}
	}
	p = atLeast(p, "limit", h.Limit)
	return atLeast(p, "grace", h.Grace)
}

// Validate is asked by the configuration's loader.
func (h *hook) Validate() []config.Problem {
	var p []config.Problem
	if !h.Run.Usable() {
		p = append(
			p, config.Problem{Field: "run", Expected: "a line for the shell, or a list of a program and its arguments"})
	}
	if h.Type != "" && h.Type != hookTests && h.Type != hookLint {
		p = append(p, config.Problem{Field: "type", Expected: "tests or lint, or no type"})
	}
	return atLeast(p, "limit", h.Limit)
}

func atLeast(p []config.Problem, field string, d time.Duration) []config.Problem {
	if d < 0 {
		p = append(p, config.Problem{Field: field, Expected: "0 (the default) or more"})
	}
	return p
}

func (h *hookSettings) limitOf(one hook) time.Duration {
	return orElse(one.Limit, orElse(h.Limit, defaultHookLimit))
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// iterationLimit is how long the calls of an iteration may take with the hooks before them, so that
// each one's own limit is reached first. A call that is to end within limit (0 is 30 minutes) has
// it for itself.
func iterationLimit(limit time.Duration, h hookSettings) time.Duration {
	const slack = time.Minute // for ending what is over its limit
	all := orElse(limit, defaultCallLimit) + slack
	for _, pre := range h.PreStart {
		all += h.limitOf(pre) + slack
	}
	return all
}
