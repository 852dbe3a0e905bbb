package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/notify"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// newProvider makes the provider that is named.
func (s *setup) newProvider() (executor.Provider, error) {
	name, model := cmp.Or(s.provider, s.settings.Provider), cmp.Or(s.model, s.settings.Model)
	var p executor.Provider
	var err error
	switch {
	case name == "claude-cli":
		p, err = s.claude(model)
	case model == "":
		return nil, missing(s.configFile, "model", "the name of a model of "+name)
	case name == "anthropic":
		p, err = s.anthropic(model)
	default:
		p, err = s.openai(model)
	}
	if err != nil {
		return nil, invalid(s.configFile, name, err)
	}
	return p, nil
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
		Cache:   true,
		Toolbox: s.tools(),
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

// tools says what a model over an API may do: read what is not forbidden, write within the scope,
// and run the commands that are allowed.
func (s *setup) tools() toolbox.Options {
	return toolbox.Options{
		Read: toolbox.ReadWithinScope(s.scope), Write: toolbox.WithinScope(s.scope),
		Commands: toolbox.Policy{Allow: s.settings.Commands},
	}
}

// channels returns what tells people how the run went; nil when there is nothing.
func (s *setup) channels() *notify.Notifier {
	var routes []notify.Route
	for _, c := range s.settings.Notify {
		if channel := s.channel(c); channel != nil {
			r := notify.Route{Channel: channel, Level: c.Level}
			for _, status := range c.Statuses {
				r.Statuses = append(r.Statuses, executor.Status(status))
			}
			routes = append(routes, r)
		}
	}
	if len(routes) == 0 {
		return nil
	}
	return notify.New(notify.Options{}, routes...)
}

// channel makes a channel, whose settings were found in order.
func (s *setup) channel(c channelSettings) notify.Channel {
	switch c.Channel {
	case "log":
		return notify.NewLog(s.logger(c.Level))
	case "desktop":
		return notify.Func("desktop", func(ctx context.Context, m notify.Message) error {
			return exec.CommandContext(ctx, "notify-send", "--", "aidf: task "+string(m.Status), m.Text).Run()
		})
	}
	w := notify.WebhookConfig{Header: map[string][]string{}}
	w.URL, _ = c.URL.Reveal()
	for name, secret := range c.Header {
		value, _ := secret.Reveal()
		w.Header.Set(name, value)
	}
	channel, err := notify.NewWebhook(w)
	if err != nil {
		return nil
	}
	return channel
}
