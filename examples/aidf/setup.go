package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/taskfile"
	"github.com/errgen/errgen/runtime/executor/validate"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// setup has the parts of a run.
type setup struct {
	*program
	settings settings
	file     taskfile.Task
	table    taxonomy.Table
	tree     *workspace.Workspace
	scope    *scope.Scope
	problems []error
}

// setUp reads the configuration and the task, and returns the executor's configuration, its task
// and warnings. Each problem becomes a failure of the run's setup: the taxonomy classifies it, and
// it is reported and notified like any other. The error is a usage error.
func (p *program) setUp(ctx context.Context) (executor.Config, executor.Task, []string, error) {
	s := &setup{program: p, table: errs.Table}
	warnings := s.load()
	s.readTask()
	s.adjust()
	s.open(ctx)
	cfg := executor.Config{
		Table: s.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(s.table)),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Observer: p.observers(s), Limits: s.settings.Limits,
	}
	if n := s.notifier(); n != nil {
		cfg.Notifier = n
	}
	if len(s.problems) == 0 {
		root := s.tree.Root()
		if real := evaluated(p.state); within(root, real) && !within(filepath.Join(root, ".git"), real) {
			return cfg, executor.Task{}, nil, misuse("-state %s is in the working tree", p.state)
		}
		s.complete(&cfg)
	}
	if len(s.problems) > 0 {
		cfg.Setup = func(context.Context) error { return errors.Join(s.problems...) }
		cfg.Limits = executor.Limits{Failures: 1} // another attempt would find the same
		cfg.Provider, cfg.Store = nil, nil
	}
	task := executor.Task{Run: p.options.run, ID: taskID(p.taskFile), Title: s.file.Title, Prompt: s.file.Prompt}
	return cfg, task, warnings, nil
}

// problem adds the problems of a file.
func (s *setup) problem(path string, err error) {
	for _, e := range config.Problems(err) {
		if ev, ok := errors.AsType[*taxonomy.Evidence](e); ok && ev.Source == "config" && ev.Attribute("path") == "" {
			ev.SetAttribute("path", path)
		}
		s.problems = append(s.problems, e)
	}
}

// refuse adds a setting that cannot be used.
func (s *setup) refuse(path, field, value, expected string, err error) {
	ev := &taxonomy.Evidence{
		Source: "config", Op: "load_config", Type: "invalid", Err: err,
		Attributes: map[string]string{"field": field, "expected": expected},
	}
	if value != "" {
		ev.Attributes["value"] = value
	}
	if err != nil {
		ev.Text = err.Error()
	}
	s.problem(path, ev)
}

// load reads the configuration.
func (s *setup) load() (warnings []string) {
	if s.configFile == "" {
		return nil
	}
	warnings, err := config.Load(s.configFile, &s.settings)
	s.setHome(&s.settings)
	s.problem(s.configFile, err)
	if err == nil && s.provider == "" && s.settings.Provider == "" {
		s.refuse(s.configFile, "provider", "", config.OneOf(providers), nil)
	}
	return warnings
}

func (s *setup) readTask() {
	var err error
	if s.file, err = taskfile.Read(s.taskFile); errors.Is(err, fs.ErrNotExist) {
		s.refuse("", "task", s.taskFile, "an existing Markdown file", nil)
	} else {
		s.problem(s.taskFile, err)
	}
}

// adjust applies the profile and the overrides to the table.
func (s *setup) adjust() {
	table, err := s.table.Profile(taxonomy.ProfileName(s.settings.Profile))
	if err != nil {
		return // the settings were validated
	}
	s.table = table
	if table, err = table.Override(s.settings.Overrides); err != nil {
		s.refuse(s.configFile, "overrides", "", "", err)
		return
	}
	s.table = table
}

func (s *setup) open(ctx context.Context) {
	if info, err := os.Stat(s.repo); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		s.refuse("", "repo", s.repo, "a directory of a git repository", nil)
		return
	}
	opts := s.settings.options()
	opts.Leftover = func(c workspace.Clone) string { return s.leftover(ctx, c) }
	var err error
	s.tree, err = workspace.New(ctx, s.repo, s.options.run, opts)
	s.problem("", err)
}

// complete completes the executor's configuration.
func (s *setup) complete(cfg *executor.Config) {
	if s.guard(); s.scope == nil {
		return
	}
	s.newProvider(cfg)
	s.newValidator(cfg)
	if s.settings.FileTask {
		filer, err := taskfile.NewFiler(taskfile.FilerConfig{Root: s.tree.Root(), Path: evaluated(s.taskFile)})
		s.problem("", err)
		cfg.Filer = filer
	}
	cfg.Workspace, cfg.Guard = s.tree, s.scope
	cfg.Deliver = executor.Delivery(slices.Index(deliveries, cmp.Or(s.settings.Deliver, "commits")))
	cfg.KeepBranch = s.settings.Workspace.Forward == "never"
	cfg.Store = filestore.New(s.state)
	cfg.Admission.Lanes = filelanes.New(filepath.Join(s.state, "lanes"), nil, nil)
	cfg.Continue, cfg.DryRun = s.settings.Continue, s.dryRun
}

// guard merges the scopes of the task and the configuration. The agent cannot change the files that
// describe its task.
func (s *setup) guard() {
	own := s.settings.Scope
	c := s.file.Scope(own.Mode)
	_, ofTask := scope.New(c)
	_, ofConfig := scope.New(own)
	s.problem(s.taskFile, ofTask)
	s.problem(s.configFile, ofConfig)
	if len(c.Allowed) == 0 {
		c.Allowed = own.Allowed
	}
	if c.Mode == scope.Off {
		c = scope.Config{} // allows everything like the mode off, but can have forbidden patterns
	}
	c.Forbidden = append(c.Forbidden, own.Forbidden...)
	c.Ask = append(c.Ask, own.Ask...)
	c.IgnoreCase = own.IgnoreCase
	for _, file := range []string{s.taskFile, s.configFile} {
		if file == "" {
			continue
		}
		link := filepath.Join(evaluated(filepath.Dir(file)), filepath.Base(file)) // the file itself can be a link
		for _, path := range []string{evaluated(file), link} {
			if rel, err := filepath.Rel(s.tree.Root(), path); err == nil && filepath.IsLocal(rel) {
				c.Forbidden = append(c.Forbidden, scope.Literal(filepath.ToSlash(rel)))
			}
		}
	}
	if len(s.problems) > 0 {
		return
	}
	var err error
	s.scope, err = scope.New(c)
	s.problem(s.configFile, err)
}

func (s *setup) newValidator(cfg *executor.Config) {
	v := s.settings.Validation
	if len(v.PreCommit)+len(v.PrePush)+len(v.PrePR) == 0 {
		return
	}
	v.Dir = s.tree.Dir()
	validator, err := validate.New(v)
	if err == nil {
		cfg.Validator = validator
	}
	s.problem(s.configFile, err)
}

// evaluated returns the absolute path without symbolic links, as far as it exists.
func evaluated(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for dir, rest := abs, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
	}
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
