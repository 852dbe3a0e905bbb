package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
	"github.com/errgen/errgen/runtime/workspace"
)

// tools are the host's own commands that strategies run. A strategy without one fails.
type tools struct {
	Install *installer `yaml:"install"`
	Lint    *fix       `yaml:"lint"`
	Types   *fix       `yaml:"types"`
	Tests   *fix       `yaml:"tests"`
	Build   *fix       `yaml:"build"`
}

// fix mends with a command, and looks with another one whether it has.
type fix struct {
	Fix   []string `yaml:"fix"`
	Check []string `yaml:"check"`
}

// installer installs a package, the name of which takes the place of {package} in the command.
type installer struct {
	Command []string `yaml:"command"`
	// Allow are the packages that may be installed; none are unless they stand here.
	Allow []string `yaml:"allow"`
}

// fixes reports whether there is a tool that changes files and has to be able to put them back.
func (t *tools) fixes() bool {
	return t.Lint != nil || t.Types != nil || t.Tests != nil || t.Build != nil
}

// lacking returns the key of the tool that a strategy needs and that is not there, or "".
func (t *tools) lacking(strategy string) string {
	for _, need := range []struct {
		strategy, key string
		there         bool
	}{
		{recovery.NameInstallDependency, "install", t.Install != nil},
		{recovery.NameApplyLintFix, "lint", t.Lint != nil},
		{recovery.NameApplyTypeFix, "types", t.Types != nil}, {recovery.NameFixTest, "tests", t.Tests != nil},
		{recovery.NameFixBuild, "build", t.Build != nil},
	} {
		if need.strategy == strategy && !need.there {
			return need.key
		}
	}
	return ""
}

const aProgram = "a program and its arguments"

// Validate is asked by the configuration's loader.
func (f *fix) Validate() []config.Problem {
	var all []config.Problem
	if !isProgram(f.Fix) {
		all = append(all, config.Problem{Field: "fix", Expected: aProgram})
	}
	if !isProgram(f.Check) {
		all = append(
			all, config.Problem{Field: "check", Expected: aProgram + ", which says whether the fix has helped"})
	}
	if len(all) > 0 {
		return all
	}
	return refused(
		recovery.Options{LintFix: f.fix()},
		map[string]string{"LintFix.Commands[0]": "fix", "LintFix.Check[0]": "check"})
}

// Validate is asked by the configuration's loader.
func (in *installer) Validate() []config.Problem {
	if !isProgram(in.Command) {
		return []config.Problem{{Field: "command", Expected: aProgram}}
	}
	return refused(recovery.Options{Installer: in.installer()},
		map[string]string{"Installer.Command": "command", "Installer.Allow": "allow"})
}

func isProgram(command []string) bool { return len(command) > 0 && command[0] != "" }

// refused returns what a strategy's options are refused for, by the keys of the file.
func refused(o recovery.Options, keys map[string]string) []config.Problem {
	_, err := recovery.New(o)
	var all []config.Problem
	for _, problem := range config.Problems(err) {
		ev, ok := problem.(*taxonomy.Evidence)
		if !ok {
			all = append(all, config.Problem{Expected: problem.Error()})
			continue
		}
		field := ev.Attribute("field")
		key, known := keys[field]
		if list, index, indexed := strings.Cut(field, "["); !known && indexed {
			key = keys[list] + "[" + index
		}
		all = append(all, config.Problem{Field: key, Expected: ev.Attribute("expected")})
	}
	return all
}

func (f *fix) fix() recovery.Fix {
	if f == nil {
		return recovery.Fix{}
	}
	return recovery.Fix{Commands: []validate.Command{{Args: f.Fix}}, Check: []validate.Command{{Args: f.Check}}}
}

func (in *installer) installer() *recovery.Installer {
	if in == nil {
		return nil
	}
	return &recovery.Installer{Ecosystem: recovery.NPM, Command: in.Command, Allow: in.Allow}
}

// runner returns what runs the skill's tools; nil when it has none. Where dir is no working tree of
// git nothing can be put back, so that there can be no fixes.
func (s *skill) runner(ctx context.Context) (recovery.Tools, error) {
	if s.Tools == (tools{}) {
		return nil, nil
	}
	c := recovery.ToolsConfig{Dir: s.dir()}
	tree, err := workspace.Open(ctx, s.dir(), workspace.Options{})
	switch {
	case err == nil:
		c.Workspace, c.Lock = tree, true
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case s.Tools.fixes():
		return nil,
			fmt.Errorf("%s: tools: a fix needs a working tree of git, so that what it changes can be put back: %w",
				s.path, err)
	}
	made, err := recovery.NewTools(c)
	if err != nil {
		return nil, fmt.Errorf("%s: tools: %w", s.path, err)
	}
	return made, nil
}
