package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/notify"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// newProvider makes the provider that is named.
func (s *setup) newProvider(cfg *executor.Config) {
	name, model := cmp.Or(s.provider, s.settings.Provider), cmp.Or(s.model, s.settings.Model)
	if name != "claude-cli" && model == "" {
		s.refuse(s.configFile, "model", "", "the name of a model of "+name, nil)
		return
	}
	provider, err := map[string]func(model string) (executor.Provider, error){
		"claude-cli": s.claude, "anthropic": s.anthropic, "openai": s.openai,
	}[name](model)
	if err != nil {
		s.refuse(s.configFile, name, "", "", err)
		return
	}
	cfg.Provider = provider
}

func (s *setup) claude(model string) (executor.Provider, error) {
	c := s.settings.ClaudeCLI
	return claudecli.New(claudecli.Options{
		Path: c.Path, Model: model, MaxTurns: c.MaxTurns, PermissionMode: c.PermissionMode,
		AllowedTools: c.AllowedTools, DisallowedTools: c.DisallowedTools, Policy: c.Policy,
		SkipPermissions: c.SkipPermissions, AllowSkipPermissions: c.AllowSkipPermissions,
		Args: c.Args, Env: c.Env, Grace: c.Grace,
	})
}

func (s *setup) anthropic(model string) (executor.Provider, error) {
	c := s.settings.Anthropic
	o := anthropic.Options{
		BaseURL: c.BaseURL, Key: c.key("ANTHROPIC_API_KEY"), Model: model, MaxTokens: c.MaxTokens, Turns: c.Turns,
		Cache: true, Toolbox: s.tools(),
	}
	if c.Prices != nil {
		o.Prices = &anthropic.Prices{Input: c.Prices.Input, Output: c.Prices.Output}
	}
	return anthropic.New(o)
}

func (s *setup) openai(model string) (executor.Provider, error) {
	c := s.settings.OpenAI
	o := openai.Options{
		BaseURL: c.BaseURL, Key: c.key("OPENAI_API_KEY"), Model: model, MaxTokens: c.MaxTokens, Turns: c.Turns,
		Toolbox: s.tools(),
	}
	if c.Prices != nil {
		o.Prices = &openai.Prices{Input: c.Prices.Input, Output: c.Prices.Output}
	}
	return openai.New(o)
}

// key returns the configured key, or that of the environment.
func (a *apiSettings) key(variable string) string {
	if key, ok := a.APIKey.Reveal(); ok {
		return key
	}
	return os.Getenv(variable)
}

// tools returns the tools of a model over an API: it can read files that are not forbidden, write
// within the scope, run the allowed commands, and use the tools of MCP servers.
func (s *setup) tools() toolbox.Options {
	o := toolbox.Options{
		Read: toolbox.ReadWithinScope(s.scope), Write: toolbox.WithinScope(s.scope),
		Commands: toolbox.Policy{Allow: s.settings.Commands},
	}
	for _, m := range s.settings.MCP {
		server := toolbox.Server{Name: m.Name, Command: m.Command, Tools: m.Tools}
		for name, value := range revealed(m.Env) {
			server.Env = append(server.Env, name+"="+value)
		}
		slices.Sort(server.Env)
		o.Servers = append(o.Servers, server)
	}
	return o
}

func revealed(secrets map[string]taxonomy.Secret[string]) map[string]string {
	out := map[string]string{}
	for name, secret := range secrets {
		out[name], _ = secret.Reveal()
	}
	return out
}

// notifier returns what tells people how the run ended. It uses the channels without problems, also
// to report the problems of others.
func (s *setup) notifier() *notify.Notifier {
	var routes []notify.Route
	for i, c := range s.settings.Notify {
		channel, err := s.channel(c)
		if err != nil && len(s.problems) == 0 {
			s.refuse(s.configFile, fmt.Sprintf("notify[%d].url", i), "", "an http or https URL", nil)
		}
		if err != nil || len(c.Validate()) > 0 {
			continue
		}
		r := notify.Route{Channel: channel, Level: c.Level}
		for _, status := range c.Statuses {
			r.Statuses = append(r.Statuses, executor.Status(status))
		}
		routes = append(routes, r)
	}
	if len(routes) == 0 {
		return nil
	}
	return &notify.Notifier{Routes: routes}
}

func (s *setup) channel(c channelSettings) (notify.Channel, error) {
	switch c.Channel {
	case "log":
		return notify.NewLog(s.logger(c.Level)), nil
	case "webhook":
		w := notify.WebhookConfig{Header: http.Header{}}
		w.URL, _ = c.URL.Reveal()
		for name, value := range revealed(c.Header) {
			w.Header.Set(name, value)
		}
		return notify.NewWebhook(w)
	}
	return notify.Channel{Name: "desktop", Send: func(ctx context.Context, m notify.Message) error {
		return exec.CommandContext(ctx, "notify-send", "--", "aidf: task "+string(m.Status), m.Text).Run()
	}}, nil
}
