package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/report"

	"bot.example.com/duyetbot/errs"
)

const (
	// defaultTimeout limits a call of a skill that sets no timeout.
	defaultTimeout = time.Minute
	// ownSource is the source of a skill's failures by default.
	ownSource = "skill"
)

// skill is the content of a skill's file: a command, and how its failures are handled.
type skill struct {
	// Name is the name of the skill, and Doc a line that describes it.
	Name string `yaml:"name"`
	Doc  string `yaml:"doc"`
	// Source is the taxonomy's source of its failures; "skill" by default.
	Source string `yaml:"source"`
	// Component is the part of the source that fails; the skill's name by default.
	Component string `yaml:"component"`
	// Command is a program and its arguments. They do not pass through a shell.
	Command []string `yaml:"command"`
	// Env are variables of the bot's environment that the command gets, besides the safe ones.
	// Their values are masked in all output.
	Env []string `yaml:"env"`
	// Dir is the working directory, relative to the skill's file.
	Dir string `yaml:"dir"`
	// Timeout limits one call.
	Timeout time.Duration `yaml:"timeout"`

	// Execution describes the work that the skill belongs to.
	Execution struct {
		Mode    string `yaml:"mode"`
		Tool    string `yaml:"tool"`
		Step    string `yaml:"step"`
		Task    string `yaml:"task"`
		Session string `yaml:"session"`
	} `yaml:"execution"`
	GitHub   *entity  `yaml:"github"`
	Tools    tools    `yaml:"tools"`
	Handling handling `yaml:"error-handling"`

	path string // of the file
}

// entity is the GitHub object of the skill.
type entity struct {
	Owner  string `yaml:"owner" json:"owner"`
	Repo   string `yaml:"repo" json:"repo"`
	Number int    `yaml:"entity_number" json:"entityNumber,omitempty"`
	Type   string `yaml:"entity_type" json:"entityType,omitempty"`
}

// Validate implements [config.Validator].
func (s *skill) Validate() []config.Problem {
	var p config.Findings
	var sources []string
	for _, source := range errs.Table.Taxonomy.Sources {
		sources = append(sources, source.Name)
	}
	p.Word("source", s.Source, sources)
	p.NotNegative("timeout", int64(s.Timeout))
	if len(s.Command) == 0 || s.Command[0] == "" {
		p = append(p, config.Problem{Field: "command", Expected: "a program and its arguments"})
	}
	if s.Name == "" || s.Name[0] == '-' || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		p = append(p, config.Problem{Field: "name", Expected: "lower-case letters, digits and hyphens"})
	}
	for i, name := range s.Env {
		if name == "" || strings.ContainsRune(name, '=') {
			p = append(p, config.Problem{Field: fmt.Sprintf("env[%d]", i), Expected: "the name of a variable"})
		}
	}
	if s.Dir != "" && !filepath.IsLocal(filepath.FromSlash(s.Dir)) {
		p = append(p, config.Problem{Field: "dir", Expected: "a directory below that of the skill's file"})
	}
	return p
}

// Validate implements [config.Validator].
func (e *entity) Validate() []config.Problem {
	var p config.Findings
	if e.Owner == "" || e.Repo == "" {
		p = append(p, config.Problem{Field: "repo", Expected: "an owner and the name of the repository"})
	}
	p.NotNegative("entity_number", int64(e.Number))
	p.Word("entity_type", e.Type, []string{"issue", "pr", "comment"})
	return p
}

// loadSkill reads a skill. An unknown key is an error. No variable of the environment is expanded,
// because a skill may come from elsewhere and its content is shown.
func loadSkill(path string) (*skill, error) {
	s := &skill{path: path}
	warnings, err := config.Load(path, s, config.Verbatim())
	for _, w := range warnings {
		err = errors.Join(err, errors.New(w))
	}
	s.Source = cmp.Or(s.Source, ownSource)
	s.Component = cmp.Or(s.Component, s.Name)
	s.Timeout = cmp.Or(s.Timeout, defaultTimeout)
	return s, err
}

// dir returns the skill's working directory.
func (s *skill) dir() string { return filepath.Join(filepath.Dir(s.path), filepath.FromSlash(s.Dir)) }

// operation returns the operation of the skill. In reports, its own source is called "tool".
func (s *skill) operation(do func(context.Context) error) recovery.Op {
	source := s.Source
	if source == ownSource {
		source = "tool"
	}
	return recovery.Op{Name: s.Name, Source: s.Source, Component: s.Component, Do: do, Facts: report.Facts{
		Source: &report.Source{Type: source, Component: s.Component}, Metadata: s.work()}}
}

// work describes the work that the skill belongs to, for reports.
func (s *skill) work() map[string]any {
	x := s.Execution
	execution := map[string]any{"mode": cmp.Or(x.Mode, "unknown"), "skill": s.Name}
	for name, value := range map[string]string{
		"tool": x.Tool, "step": x.Step, "taskId": cmp.Or(x.Task, s.Name), "sessionId": x.Session,
	} {
		if value != "" {
			execution[name] = value
		}
	}
	work := map[string]any{"execution": execution}
	if s.GitHub != nil {
		work["github"] = s.GitHub
	}
	return work
}
