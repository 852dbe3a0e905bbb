package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// settings are those of a configuration file. All are optional, except the provider if the command
// line names none.
type settings struct {
	Provider  string         `yaml:"provider"`
	Model     string         `yaml:"model"`
	ClaudeCLI claudeSettings `yaml:"claude_cli"`
	Anthropic apiSettings    `yaml:"anthropic"`
	OpenAI    apiSettings    `yaml:"openai"`
	// Commands are the command lines that a model over an API may run: "go test ...".
	Commands []string `yaml:"commands"`
	// MCP are servers whose tools a model over an API can use.
	MCP []mcpSettings `yaml:"mcp"`

	Limits     executor.Limits    `yaml:"limits"`
	Scope      scopeSettings      `yaml:"scope"`
	Validation validationSettings `yaml:"validation"`

	// Deliver is how far finished work is delivered; commits by default.
	Deliver string `yaml:"deliver"`
	// PullRequest is the command that opens one, FindPullRequest the one that finds an open one.
	PullRequest     []string `yaml:"pull_request"`
	FindPullRequest []string `yaml:"find_pull_request"`
	// Remote is where to push if the branch has no upstream.
	Remote string `yaml:"remote"`
	// Hooks runs the repository's own hooks in commits and pushes.
	Hooks bool `yaml:"hooks"`
	// FileTask moves the task file to completed, blocked or failed beside it when the task ends.
	FileTask bool `yaml:"file_task"`
	// Continue keeps the iterations in one conversation.
	Continue bool `yaml:"continue"`

	Notify    []channelSettings  `yaml:"notify"`
	Profile   string             `yaml:"profile"`
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// claudeSettings are those of the provider claude-cli.
type claudeSettings struct {
	Path            string   `yaml:"path"`
	MaxTurns        int      `yaml:"max_turns"`
	PermissionMode  string   `yaml:"permission_mode"`
	AllowedTools    []string `yaml:"allowed_tools"`
	DisallowedTools []string `yaml:"disallowed_tools"`
	// Policy names the rules above. If set, a command that they refuse fails the call.
	Policy string `yaml:"policy"`
	// SkipPermissions is refused unless AllowSkipPermissions is set, too.
	SkipPermissions      bool          `yaml:"skip_permissions"`
	AllowSkipPermissions bool          `yaml:"allow_skip_permissions"`
	Args                 []string      `yaml:"args"`
	Env                  []string      `yaml:"env"`
	Grace                time.Duration `yaml:"grace"`
}

// apiSettings are those of a provider over HTTP.
type apiSettings struct {
	BaseURL string `yaml:"base_url"`
	// APIKey is taken from the provider's usual environment variable unless it is set.
	APIKey    taxonomy.Secret[string] `yaml:"api_key"`
	MaxTokens int                     `yaml:"max_tokens"`
	Turns     int                     `yaml:"turns"`
	// Prices are in US dollars for a million tokens; without them the cost is unknown.
	Prices *struct {
		Input  float64 `yaml:"input"`
		Output float64 `yaml:"output"`
	} `yaml:"prices"`
}

// mcpSettings are those of a server of the Model Context Protocol, a program.
type mcpSettings struct {
	Name    string                             `yaml:"name"`
	Command []string                           `yaml:"command"`
	Env     map[string]taxonomy.Secret[string] `yaml:"env"`
	Tools   []string                           `yaml:"tools"`
}

// scopeSettings apply to every task. The allowed patterns of a task replace those here. A pattern
// that either forbids is forbidden.
type scopeSettings struct {
	Mode      scope.Mode `yaml:"mode"`
	Allowed   []string   `yaml:"allowed"`
	Forbidden []string   `yaml:"forbidden"`
	Ask       []string   `yaml:"ask"`
}

// validationSettings are the commands that check the work.
type validationSettings struct {
	PreCommit []validate.Command `yaml:"pre_commit"`
	PrePush   []validate.Command `yaml:"pre_push"`
	PrePR     []validate.Command `yaml:"pre_pr"`
	Limit     time.Duration      `yaml:"limit"`
	KeepGoing bool               `yaml:"keep_going"`
	Env       []string           `yaml:"env"`
}

// channelSettings are those of a channel to people, and of the runs that it reports.
type channelSettings struct {
	Channel string                  `yaml:"channel"`
	URL     taxonomy.Secret[string] `yaml:"url"`
	// Header is sent by a webhook.
	Header   map[string]taxonomy.Secret[string] `yaml:"header"`
	Statuses []string                           `yaml:"statuses"`
	Level    slog.Level                         `yaml:"level"`
}

// The words of settings.
var (
	providers  = []string{"claude-cli", "anthropic", "openai"}
	modes      = []string{"strict", "ask", "off"}
	deliveries = []string{"nothing", "commits", "push", "pull_request"} // in the order of executor.Delivery
	channels   = []string{"log", "desktop", "webhook"}
	statuses   = []string{
		string(executor.StatusCompleted), string(executor.StatusFailed), string(executor.StatusBlocked),
		string(executor.StatusCancelled),
	}
)

// Validate returns the settings that cannot be used.
func (s *settings) Validate() []config.Problem {
	var p config.Findings
	p.Word("provider", s.Provider, providers)
	p.Word("deliver", s.Deliver, deliveries)
	p.Word("scope.mode", string(s.Scope.Mode), modes)
	p.Word("profile", s.Profile, errs.Table.ProfileNames())
	if s.Deliver == "pull_request" && len(s.PullRequest) == 0 {
		p = append(p, config.Problem{Field: "pull_request", Expected: "the command that opens one"})
	}
	l := s.Limits
	p.NotNegative("limits.iterations", int64(l.Iterations))
	p.NotNegative("limits.failures", int64(l.Failures))
	p.NotNegative("limits.attempts", int64(l.Attempts))
	p.NotNegative("limits.iteration", int64(l.Iteration))
	p.NotNegative("limits.run", int64(l.Run))
	p.NotNegative("limits.check", int64(l.Check))
	p.NotNegative("limits.grace", int64(l.Grace))
	p.NotNegative("limits.feedback", int64(l.Feedback))
	return p
}

// Validate returns the settings that cannot be used.
func (c *channelSettings) Validate() []config.Problem {
	var p config.Findings
	p.Word("channel", c.Channel, channels)
	if c.Channel == "" {
		p = append(p, config.Problem{Field: "channel", Expected: config.Either(channels)})
	}
	for i, s := range c.Statuses {
		p.Word(fmt.Sprintf("statuses[%d]", i), s, statuses)
	}
	return p
}
