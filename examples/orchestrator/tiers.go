package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

// tierConfig is the configuration of one tier.
type tierConfig struct {
	Provider string `yaml:"provider"` // claude-cli, anthropic-api, openai-api or scripted
	Model    string `yaml:"model"`
	// Script is the file of a scripted tier, relative to the configuration.
	Script string `yaml:"script"`
	// APIKey and BaseURL are for the providers over HTTP. The default key is ANTHROPIC_API_KEY or
	// OPENAI_API_KEY.
	APIKey  taxonomy.Secret[string] `yaml:"api_key"`
	BaseURL string                  `yaml:"base_url"`
	// Commands are the command lines that a model over HTTP may run: "go test ...".
	Commands []string `yaml:"commands"`
	// AllowedTools are rules of claude-cli, such as "Bash(go test *)".
	AllowedTools []string `yaml:"allowed_tools"`
}

// loadTiers makes the providers of the tiers. Without a configuration, each tier with a script
// beside the plan plays it.
func loadTiers(path, planFile string, guard *scope.Scope) (map[string]executor.Provider, error) {
	tiers, dir := map[string]*tierConfig{}, filepath.Dir(path)
	if path == "" {
		dir = filepath.Join(filepath.Dir(planFile), "scripts")
		for _, t := range errs.Table.Taxonomy.Tiers {
			if script := t.Name + ".yaml"; exists(filepath.Join(dir, script)) {
				tiers[t.Name] = &tierConfig{Provider: "scripted", Script: script}
			}
		}
		if len(tiers) == 0 {
			return nil, fmt.Errorf("%s has no script of a tier; name a configuration with -tiers", dir)
		}
	} else if warnings, err := config.Load(path, &tiers); err != nil {
		return nil, err
	} else if len(warnings) > 0 {
		return nil, errors.New(warnings[0])
	}
	all := map[string]executor.Provider{}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(tiers)) {
		p, err := tiers[name].provider(name, dir, guard)
		if err != nil {
			problems = append(problems, fmt.Errorf("tier %s: %w", name, err))
		}
		all[name] = p
	}
	return all, errors.Join(problems...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (t *tierConfig) provider(name, dir string, guard *scope.Scope) (executor.Provider, error) {
	if t == nil {
		return nil, errors.New("it has no configuration")
	}
	tools := toolbox.Options{Guard: guard, Commands: toolbox.Policy{Allow: t.Commands}}
	switch t.Provider {
	case "scripted":
		return loadScript(name, filepath.Join(dir, t.Script))
	case claudecli.DefaultName:
		return claudecli.New(claudecli.Options{Model: t.Model, AllowedTools: t.AllowedTools})
	case anthropic.DefaultName:
		return anthropic.New(anthropic.Options{
			BaseURL: t.BaseURL, Key: t.key("ANTHROPIC_API_KEY"), Model: t.Model, Toolbox: tools, Cache: true,
		})
	case openai.DefaultName:
		return openai.New(
			openai.Options{BaseURL: t.BaseURL, Key: t.key("OPENAI_API_KEY"), Model: t.Model, Toolbox: tools})
	}
	return nil, fmt.Errorf("provider: %q is not one of claude-cli, anthropic-api, openai-api and scripted", t.Provider)
}

// key returns the configured key, or the one of the environment.
func (t *tierConfig) key(variable string) string {
	if key, ok := t.APIKey.Reveal(); ok {
		return key
	}
	return os.Getenv(variable)
}
