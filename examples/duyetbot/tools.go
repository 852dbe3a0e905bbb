package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// tools are the commands that strategies run, by key. A strategy without its tool fails.
type tools struct {
	Install *installer `yaml:"install"`
	Lint    *fix       `yaml:"lint"`
	Types   *fix       `yaml:"types"`
	Tests   *fix       `yaml:"tests"`
	Build   *fix       `yaml:"build"`
}

// fix is a command that fixes, and one that checks the fix.
type fix struct {
	Fix   []string `yaml:"fix"`
	Check []string `yaml:"check"`
}

// installer is a command with the argument {package}, and the packages that it may install.
type installer struct {
	Command []string `yaml:"command"`
	Allow   []string `yaml:"allow"`
}

// all returns the tools by their keys.
func (t *tools) all() map[string]recovery.Tool {
	out := map[string]recovery.Tool{}
	for key, tool := range map[string]*fix{"lint": t.Lint, "types": t.Types, "tests": t.Tests, "build": t.Build} {
		if tool != nil {
			out[key] = recovery.Tool{Fix: commands(tool.Fix), Check: commands(tool.Check)}
		}
	}
	if in := t.Install; in != nil {
		out["install"] = recovery.Tool{Ecosystem: recovery.NPM, Fix: commands(in.Command), Allow: in.Allow}
	}
	return out
}

func commands(args []string) []validate.Command {
	if len(args) == 0 {
		return nil
	}
	return []validate.Command{{Args: args}}
}

// Validate is called by the configuration's loader.
func (t *tools) Validate() []config.Problem {
	var all []config.Problem
	_, err := recovery.New(recovery.Options{Dir: ".", Tools: t.all()})
	for _, problem := range config.Problems(err) {
		ev, ok := problem.(*taxonomy.Evidence)
		if !ok {
			return append(all, config.Problem{Expected: problem.Error()})
		}
		// Tools.install.Fix[0] is install.command, and Tools.lint.Check lint.check.
		field := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(ev.Attribute("field"), "Tools."), "[0]"))
		all = append(all, config.Problem{Field: strings.Replace(field, "install.fix", "install.command", 1),
			Expected: ev.Attribute("expected")})
	}
	return all
}

// tools returns the options of the skill's tools. A fix needs a working tree of git, in which it
// can be reverted.
func (s *skill) tools(ctx context.Context) (recovery.Options, error) {
	o := recovery.Options{Dir: s.dir(), Tools: s.Tools.all()}
	if len(o.Tools) == 0 {
		return o, nil
	}
	tree, err := recovery.NewTree(ctx, s.dir(), workspace.Options{})
	if err == nil {
		o.Tree = tree
		return o, nil
	}
	if _, install := o.Tools["install"]; install && len(o.Tools) == 1 {
		return o, nil
	}
	return o, fmt.Errorf("%s: tools: a fix needs a working tree of git, in which it can be reverted: %w", s.path, err)
}
