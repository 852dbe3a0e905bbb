package main

import (
	"fmt"
	"log/slog"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// settings are those of a configuration file. All are optional, except the provider if the command
// line names none.
type settings struct {
	Provider  string            `yaml:"provider"`
	Model     string            `yaml:"model"`
	ClaudeCLI claudecli.Options `yaml:"claude_cli"`
	// The keys of the APIs are taken from their usual environment variables unless they are set.
	Anthropic anthropic.Options `yaml:"anthropic"`
	OpenAI    openai.Options    `yaml:"openai"`
	// Commands are the command lines that a model over an API may run: "go test ...".
	Commands []string `yaml:"commands"`
	// MCP are servers whose tools a model over an API can use.
	MCP []toolbox.Server `yaml:"mcp"`

	Limits executor.Limits `yaml:"limits"`
	// Scope applies to every task. The allowed patterns of a task replace those here, and its other
	// patterns are added.
	Scope scope.Config `yaml:"scope"`
	// Validation are the commands that check the work.
	Validation validate.Config `yaml:"validation"`

	// Deliver is how far finished work is delivered; commits by default.
	Deliver string `yaml:"deliver"`
	// PullRequest is the command that opens a pull request, and FindPullRequest the command that
	// finds an open one.
	PullRequest     []string `yaml:"pull_request"`
	FindPullRequest []string `yaml:"find_pull_request"`
	// Remote is where to push if the branch has no upstream.
	Remote string `yaml:"remote"`
	// Workspace is where the agent works.
	Workspace workspaceSettings `yaml:"workspace"`
	// FileTask moves the task file to completed, blocked or failed beside it when the task ends.
	FileTask bool `yaml:"file_task"`
	// Continue keeps the iterations in one conversation.
	Continue bool `yaml:"continue"`

	Notify    []channelSettings  `yaml:"notify"`
	Profile   string             `yaml:"profile"`
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// workspaceSettings are those of the clone of a run; see [workspace.Options].
type workspaceSettings struct {
	// Mode is clone, the default, or in_place, for containers of CI.
	Mode string `yaml:"mode"`
	// Home contains the clones, Base is the commit with which a run begins, Branch that of the result.
	Home   string `yaml:"home"`
	Base   string `yaml:"base"`
	Branch string `yaml:"branch"`
	// Share are ignored files that are copied into the clone, Link those that are linked, and Setup
	// the commands that complete it.
	Share []string   `yaml:"share"`
	Link  []string   `yaml:"link"`
	Setup [][]string `yaml:"setup"`
	// Hooks runs the repository's own hooks in commits and pushes.
	Hooks bool `yaml:"hooks"`
	// Forward is completed, the default, which forwards the checked out branch to the result of a
	// completed run, or never.
	Forward string `yaml:"forward"`
}

// options returns the options of the workspace.
func (s *settings) options() workspace.Options {
	w := &s.Workspace
	return workspace.Options{
		InPlace: w.Mode == "in_place", Home: w.Home, Base: w.Base, Branch: w.Branch, Share: w.Share, Link: w.Link,
		Setup: w.Setup, Hooks: w.Hooks, Remote: s.Remote, PR: s.PullRequest, FindPR: s.FindPullRequest,
	}
}

// channelSettings are those of a channel to people, and of the runs that it reports.
type channelSettings struct {
	Channel string                  `yaml:"channel"`
	URL     taxonomy.Secret[string] `yaml:"url"`
	// Header is sent by a webhook.
	Header   map[string]taxonomy.Secret[string] `yaml:"header"`
	Statuses []executor.Status                  `yaml:"statuses"`
	Level    slog.Level                         `yaml:"level"`
}

// The values of settings that have fixed words.
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
	p.Word("workspace.mode", s.Workspace.Mode, []string{"clone", "in_place"})
	p.Word("workspace.forward", s.Workspace.Forward, []string{"completed", "never"})
	if s.Deliver == "pull_request" && len(s.PullRequest) == 0 {
		p = append(p, config.Problem{Field: "pull_request", Expected: "the command that opens one"})
	}
	l := s.Limits
	p.NotNegative("limits.iterations", int64(l.Iterations))
	p.NotNegative("limits.failures", int64(l.Failures))
	p.NotNegative("limits.attempts", int64(l.Attempts))
	p.NotNegative("limits.iteration", int64(l.Iteration))
	p.NotNegative("limits.run", int64(l.Run))
	p.NotNegative("limits.grace", int64(l.Grace))
	p.NotNegative("limits.feedback", int64(l.Feedback))
	return p
}

// Validate returns the settings that cannot be used.
func (c *channelSettings) Validate() []config.Problem {
	var p config.Findings
	p.Word("channel", c.Channel, channels)
	if c.Channel == "" {
		p = append(p, config.Problem{Field: "channel", Expected: config.OneOf(channels)})
	}
	for i, s := range c.Statuses {
		p.Word(fmt.Sprintf("statuses[%d]", i), string(s), statuses)
	}
	return p
}
