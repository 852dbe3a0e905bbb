package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/report"

	"bot.example.com/duyetbot/errs"
)

// defaultTimeout limits a call of a skill that sets no timeout.
const defaultTimeout = time.Minute

// ownSource is the source of a skill's failures by default.
const ownSource = "skill"

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

	Execution execution `yaml:"execution"`
	GitHub    *entity   `yaml:"github"`
	Tools     tools     `yaml:"tools"`
	Handling  handling  `yaml:"error-handling"`

	path    string // of the file
	secrets secrets
}

// execution describes the work that the skill belongs to.
type execution struct {
	Mode    string `yaml:"mode"`
	Tool    string `yaml:"tool"`
	Step    string `yaml:"step"`
	Task    string `yaml:"task"`
	Session string `yaml:"session"`
}

// entity is the GitHub object of the skill.
type entity struct {
	Owner  string `yaml:"owner"`
	Repo   string `yaml:"repo"`
	Number int    `yaml:"entity_number"`
	Type   string `yaml:"entity_type"`
}

// Validate implements [config.Validator].
func (s *skill) Validate() []config.Problem {
	var p config.Findings
	sources := make([]string, 0, len(errs.Table.Taxonomy.Sources))
	for _, source := range errs.Table.Taxonomy.Sources {
		sources = append(sources, source.Name)
	}
	p.Word("source", s.Source, sources)
	p.NotNegative("timeout", int64(s.Timeout))
	if len(s.Command) == 0 || s.Command[0] == "" {
		p = append(p, config.Problem{Field: "command", Expected: "a program and its arguments"})
	}
	if !plain(s.Name) {
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

// plain reports whether a name needs no quotes anywhere.
func plain(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		name[0] != '-'
}

// Validate implements [config.Validator].
func (e *entity) Validate() []config.Problem {
	var p config.Findings
	if e.Owner == "" {
		p = append(p, config.Problem{Field: "owner", Expected: "the owner of the repository"})
	}
	if e.Repo == "" {
		p = append(p, config.Problem{Field: "repo", Expected: "the name of the repository"})
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
	var all []error
	for _, w := range warnings {
		all = append(all, errors.New(w))
	}
	if err := errors.Join(append(all, err)...); err != nil {
		return nil, err
	}
	if name := s.Handling.Profile; name != "" {
		if err := checkProfile(name); err != nil {
			return nil, fmt.Errorf("%s: error-handling.profile: %w", path, err)
		}
	}
	if err := s.checkDir(); err != nil {
		return nil, fmt.Errorf("%s: dir: %w", path, err)
	}
	s.complete()
	return s, nil
}

// checkDir returns an error if the directory does not exist or is not below that of the skill's
// file.
func (s *skill) checkDir() error {
	if info, err := os.Stat(s.dir()); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory %s", s.dir())
	}
	top, err := realPath(filepath.Dir(s.path))
	if err != nil {
		return err
	}
	dir, err := realPath(s.dir())
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(top, dir); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s leads to %s, which is not below the directory of the skill's file", s.dir(), dir)
	}
	return nil
}

// realPath returns the absolute path without symbolic links.
func realPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

func (s *skill) complete() {
	s.secrets = secretsOf(s.Env)
	x := &s.Execution
	s.secrets.maskAll(&s.Doc, &s.Component, &x.Mode, &x.Tool, &x.Step, &x.Task, &x.Session)
	if s.Source == "" {
		s.Source = ownSource
	}
	if s.Component == "" {
		s.Component = s.Name
	}
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout
	}
}

// dir returns the skill's working directory.
func (s *skill) dir() string { return filepath.Join(filepath.Dir(s.path), filepath.FromSlash(s.Dir)) }

// facts returns the circumstances of the skill's failures.
func (s *skill) facts() report.Facts {
	f := report.Facts{
		Source: &report.Source{Type: s.sourceType(), Component: s.Component},
		Execution: &report.Execution{
			Mode: s.Execution.Mode, Skill: s.Name, Tool: s.Execution.Tool, Step: s.Execution.Step,
			TaskID: s.Execution.Task, SessionID: s.Execution.Session,
		},
	}
	if g := s.GitHub; g != nil {
		f.Repository = &report.Repository{Owner: g.Owner, Repo: g.Repo, EntityNumber: g.Number, EntityType: g.Type}
	}
	return f
}

// sourceType returns the source in reports. The source "skill" is reported as "tool".
func (s *skill) sourceType() string {
	if s.Source == ownSource {
		return "tool"
	}
	return s.Source
}

// checkProfile returns an error if the profile does not exist.
func checkProfile(name string) error {
	names := errs.Table.ProfileNames()
	if slices.Contains(names, name) {
		return nil
	}
	last := len(names) - 1
	//lint:ignore ST1005 the words are the design's
	return fmt.Errorf("Profile not found: %s; there are %s and %s", name, strings.Join(names[:last], ", "), names[last])
}
