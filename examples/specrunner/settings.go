package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// settings are the configuration file. Flags of the command line override them.
type settings struct {
	Tasks    string `yaml:"tasks"`
	State    string `yaml:"state"`
	Prefix   string `yaml:"prefix"`
	StopFile string `yaml:"stop_file"`
	// MaxRetries is the most attempts of a task that count, RetryDelay the wait before the next
	// one; by default those of the taxonomy.
	MaxRetries int            `yaml:"max_retries"`
	RetryDelay *time.Duration `yaml:"retry_delay"`
	// MaxConsecutiveFailures is the most failures in a row over all tasks; 0 is no limit.
	MaxConsecutiveFailures int `yaml:"max_consecutive_failures"`
	// OnFailure is what happens to the queue when a task fails: stop, skip (those that depend on
	// it), or continue.
	OnFailure string         `yaml:"on_failure"`
	Agent     agentSettings  `yaml:"agent"`
	Hooks     hookSettings   `yaml:"hooks"`
	Limits    limitSettings  `yaml:"limits"`
	Budget    budgetSettings `yaml:"budget"`
	// Git judges and reverts what the agent changes, and commits each finished task.
	Git bool `yaml:"git"`

	Profile   string             `yaml:"profile"`
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// agentSettings name the agent: Claude Code, or any program.
type agentSettings struct {
	Claude *claudeSettings `yaml:"claude"`
	// Command is a program and its arguments. It reads the prompt on standard input and writes its
	// answer on standard output.
	Command []string `yaml:"command"`
	// RequireMarker makes an answer without TASK_COMPLETE a failure.
	RequireMarker bool          `yaml:"require_marker"`
	Env           []string      `yaml:"env"`
	Grace         time.Duration `yaml:"grace"`
}

type claudeSettings struct {
	Path           string   `yaml:"path"`
	Model          string   `yaml:"model"`
	MaxTurns       int      `yaml:"max_turns"`
	PermissionMode string   `yaml:"permission_mode"`
	AllowedTools   []string `yaml:"allowed_tools"`
}

// hookSettings are commands before each call of the agent, and after a call that finished the task.
type hookSettings struct {
	PreStart []hook        `yaml:"pre_start"`
	PostDone []hook        `yaml:"post_done"`
	Limit    time.Duration `yaml:"limit"`
	Env      []string      `yaml:"env"`
	Grace    time.Duration `yaml:"grace"`
}

// hook is a command: a line for the shell, a list, or a mapping with these keys.
type hook struct {
	Run validate.Command `yaml:"run"`
	// Type is the kind of failure: tests, lint, or empty for what the output shows.
	Type  string        `yaml:"type"`
	Limit time.Duration `yaml:"limit"`
}

// UnmarshalYAML reads a command or a mapping.
func (h *hook) UnmarshalYAML(decode func(into any) error) error {
	type mapping hook
	*h = hook{}
	if decode(&h.Run) == nil {
		return nil
	}
	return decode((*mapping)(h))
}

// limitSettings limit the run of a task.
type limitSettings struct {
	Iterations int           `yaml:"iterations"`
	Attempt    time.Duration `yaml:"attempt"`
	Run        time.Duration `yaml:"run"`
	Grace      time.Duration `yaml:"grace"`
	Context    int           `yaml:"context"` // bytes about earlier attempts in a prompt
}

type budgetSettings struct {
	Attempt *amount           `yaml:"attempt"`
	Task    *amount           `yaml:"task"`
	All     *amount           `yaml:"all"`
	Tasks   map[string]amount `yaml:"tasks"`
	// Assume is the cost of a call whose cost is unknown.
	Assume *amount `yaml:"assume"`
}

type amount struct {
	Tokens *int64   `yaml:"tokens"`
	USD    *float64 `yaml:"usd"`
}

func (a *amount) state() (out state.Amount) {
	if a != nil && a.Tokens != nil {
		out.Tokens = taxonomy.Some(*a.Tokens)
	}
	if a != nil && a.USD != nil {
		out.CostUSD = taxonomy.Some(*a.USD)
	}
	return out
}

var failurePolicies = []string{"skip", "stop", "continue"}

// Validate is called by the loader.
func (s *settings) Validate() []config.Problem {
	var p config.Findings
	p.NotNegative("max_retries", int64(s.MaxRetries))
	p.NotNegative("max_consecutive_failures", int64(s.MaxConsecutiveFailures))
	p.Word("on_failure", s.OnFailure, failurePolicies)
	p.Word("profile", s.Profile, errs.Table.ProfileNames())
	if strings.ContainsAny(s.Prefix, `/\`) || s.State != "" && s.Prefix != "" {
		p = append(p, config.Problem{Field: "prefix", Expected: "a part of a file's name, and no state beside it"})
	}
	if a := s.Agent; (a.Claude == nil) == (len(a.Command) == 0) {
		p = append(p, config.Problem{Field: "agent", Expected: "claude: {} or command: [program, arguments ...]"})
	}
	for list, hooks := range map[string][]hook{"pre_start": s.Hooks.PreStart, "post_done": s.Hooks.PostDone} {
		for i, h := range hooks {
			field := fmt.Sprintf("hooks.%s[%d]", list, i)
			if !h.Run.Usable() {
				p = append(p, config.Problem{Field: field + ".run", Expected: "a line for the shell, or a list"})
			}
			p.Word(field+".type", h.Type, []string{"tests", "lint"})
		}
	}
	return p
}

// at returns a path as seen from the project's directory.
func (p *program) at(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.dir, path)
}

// load reads the configuration and the tasks. The default configuration file may be missing.
func (p *program) load() (err error) {
	if p.dir, err = filepath.Abs(p.dir); err != nil {
		return misuse("-dir: %w", err)
	}
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return misuse("-dir %s is not a directory", p.dir)
	}
	path := p.at(cmp.Or(p.config, "specrunner.yml"))
	if _, err := os.Stat(path); p.config != "" || !errors.Is(err, fs.ErrNotExist) {
		warnings, err := config.Load(path, &p.settings)
		for _, w := range warnings {
			p.hint("warning: %s", w)
		}
		if err != nil {
			return &exitError{exitUsage, errors.Join(config.Problems(err)...)}
		}
	}
	s := &p.settings
	if p.table, err = errs.Table.Profile(taxonomy.ProfileName(s.Profile)); err == nil {
		p.table, err = p.table.Override(s.attempts())
	}
	if err == nil {
		p.table, err = p.table.Override(s.Overrides)
	}
	if err != nil {
		return misuse("%s: %w", path, err)
	}
	p.stop = stopFile(p.at(cmp.Or(s.StopFile, "spec/.executor-stop")))
	file := p.at(cmp.Or(s.Tasks, "spec/tasks.md"))
	text, err := os.ReadFile(file)
	if err != nil {
		return misuse("read the tasks: %w", err)
	}
	if p.tasks, err = parseTasks(string(text)); err != nil {
		return misuse("%s: %w", file, err)
	}
	if p.task != "" && p.find(p.task) == nil {
		return misuse("-task %s is not a task of the file", p.task)
	}
	for id := range s.Budget.Tasks {
		if p.find(id) == nil {
			p.hint("warning: budget.tasks: %s is not a task of the file", id)
		}
	}
	return nil
}

// attempts returns the overrides for max_retries and retry_delay.
func (s *settings) attempts() taxonomy.Overrides {
	numbers := taxonomy.Numbers{InitialDelay: (*taxonomy.Duration)(s.RetryDelay)}
	if s.MaxRetries > 0 {
		numbers.MaxAttempts = &s.MaxRetries
	}
	return taxonomy.Overrides{Policies: map[string]taxonomy.Numbers{string(errs.PolicyAttempts): numbers}}
}

// statePath returns the path of the state.
func (p *program) statePath() string {
	if s := p.settings; s.Prefix != "" {
		return p.at(state.PrefixedPath(s.Prefix))
	}
	return p.at(cmp.Or(p.settings.State, state.DefaultPath))
}
