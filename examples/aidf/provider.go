package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/notify"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// newProvider makes the provider that the command line or the configuration names.
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
	o := s.settings.ClaudeCLI
	o.Model = model
	return claudecli.New(o)
}

func (s *setup) anthropic(model string) (executor.Provider, error) {
	o := s.settings.Anthropic
	o.Model, o.Cache, o.Toolbox = model, true, s.tools()
	o.Key = cmp.Or(o.Key, os.Getenv("ANTHROPIC_API_KEY"))
	return anthropic.New(o)
}

func (s *setup) openai(model string) (executor.Provider, error) {
	o := s.settings.OpenAI
	o.Model, o.Toolbox = model, s.tools()
	o.Key = cmp.Or(o.Key, os.Getenv("OPENAI_API_KEY"))
	return openai.New(o)
}

// tools returns the tools of a model over an API. The model can read files that are not forbidden,
// write within the scope, run the allowed commands, and use the tools of MCP servers.
func (s *setup) tools() toolbox.Options {
	return toolbox.Options{
		Guard: s.scope, Commands: toolbox.Policy{Allow: s.settings.Commands}, Servers: s.settings.MCP,
	}
}

// notifier returns the notifier that reports the end of the run to people, or nil without a
// channel. It uses the valid channels, which also report the problems of the others.
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
		routes = append(routes, notify.Route{Channel: channel, Level: c.Level, Statuses: c.Statuses})
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
		for name, secret := range c.Header {
			value, _ := secret.Reveal()
			w.Header.Set(name, value)
		}
		return notify.NewWebhook(w)
	}
	return notify.Channel{Name: "desktop", Send: func(ctx context.Context, m notify.Message) error {
		return exec.CommandContext(ctx, "notify-send", "--", "aidf: task "+string(m.Status), m.Text).Run()
	}}, nil
}
