package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
	"orchestrator.example.com/runner/scripted"
)

// providers are what a tier can be.
var providers = []string{scripted.DefaultName, claudecli.DefaultName, anthropic.DefaultName, openai.DefaultName}

// ladder are the settings of the tiers, by name.
type ladder map[string]*tierSettings

// tierSettings say who a tier is.
type tierSettings struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	// Script is the file of a scripted tier, relative to the file of the tiers.
	Script string `yaml:"script"`
	// APIKey and BaseURL are for the providers over HTTP. The key is taken from ANTHROPIC_API_KEY
	// or OPENAI_API_KEY unless it is set.
	APIKey  taxonomy.Secret[string] `yaml:"api_key"`
	BaseURL string                  `yaml:"base_url"`
	// Commands are the command lines that a model over HTTP may run: "go test ...".
	Commands []string `yaml:"commands"`
	// AllowedTools are rules of claude-cli, such as "Bash(go test *)".
	AllowedTools []string `yaml:"allowed_tools"`
}

// Validate is asked by the configuration's loader.
func (t *tierSettings) Validate() []config.Problem {
	var p config.Findings
	p.Word("provider", t.Provider, providers)
	add := func(wrong bool, field, expected string) {
		if wrong {
			p = append(p, config.Problem{Field: field, Expected: expected})
		}
	}
	http := t.Provider == anthropic.DefaultName || t.Provider == openai.DefaultName
	add(t.Provider == "", "provider", config.Either(providers))
	add(t.Provider == scripted.DefaultName && t.Script == "", "script", "the file with the script")
	add(t.Provider != scripted.DefaultName && t.Script != "", "script", "nothing, since the tier is not scripted")
	add(http && t.Model == "", "model", "the name of a model")
	return p
}

// loadLadder reads who the tiers are. Without a file each tier that has a script beside the plan
// plays it.
func loadLadder(path, plan string) (ladder, error) {
	if path == "" {
		return scriptsBeside(plan)
	}
	all := ladder{}
	warnings, err := config.Load(path, &all)
	if err != nil {
		return nil, err
	}
	if len(warnings) > 0 {
		return nil, errors.New(warnings[0].String())
	}
	for name, t := range all {
		if t != nil && t.Script != "" && !filepath.IsAbs(t.Script) {
			t.Script = filepath.Join(filepath.Dir(path), t.Script)
		}
		if t == nil {
			return nil, fmt.Errorf("%s: tier %q says nothing", path, name)
		}
	}
	return all, nil
}

// scriptsBeside returns the tiers that have a script in the directory scripts beside the plan.
func scriptsBeside(plan string) (ladder, error) {
	all := ladder{}
	for _, t := range errs.Table.Taxonomy.Tiers {
		path := scriptOf(plan, t.Name)
		if _, err := os.Stat(path); err == nil {
			all[t.Name] = &tierSettings{Provider: scripted.DefaultName, Script: path}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for scripts: %w", err)
		}
	}
	if len(all) == 0 {
		return nil,
			fmt.Errorf("no tier is known: name a file with -tiers, or put a script %s beside the plan",
				scriptOf(plan, "TIER"))
	}
	return all, nil
}

// scriptOf returns where the script of a tier is that stands beside the plan.
func scriptOf(plan, tier string) string {
	return filepath.Join(filepath.Dir(plan), "scripts", tier+".yaml")
}

// providers makes the tiers' providers. What is wrong with any of them is said at once.
func (l ladder) providers(d *desk, scope *scope.Scope) (map[string]executor.Provider, error) {
	all := map[string]executor.Provider{}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(l)) {
		p, err := l[name].provider(name, d, scope)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("tier %s: %w", name, err))
			continue
		}
		all[name] = p
	}
	return all, errors.Join(wrong...)
}

func (t *tierSettings) provider(name string, d *desk, scope *scope.Scope) (executor.Provider, error) {
	tools := toolbox.Options{
		Read: toolbox.ReadWithinScope(scope), Write: toolbox.WithinScope(scope),
		Commands: toolbox.Policy{Allow: t.Commands},
	}
	switch t.Provider {
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
	return scripted.Load(t.Script, scripted.Options{Asked: d.asked, Credential: name})
}

// key returns the configured key, or that of the environment.
func (t *tierSettings) key(variable string) string {
	if key, ok := t.APIKey.Reveal(); ok {
		return key
	}
	return os.Getenv(variable)
}
