package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/notify"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taskfile"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// setup is what a task needs before it can begin.
type setup struct {
	*program
	settings settings
	file     taskfile.Task
	table    taxonomy.Table
	scope    *scope.Scope
	git      *gittree.Workspace
	notifier *notify.Notifier

	task   executor.Task
	config executor.Config
}

// setUp reads and opens what the task needs. Its error holds all that is wrong, as far as one thing
// does not hide another. Some of the setup is there also then.
func (p *program) setUp(ctx context.Context) (*setup, error) {
	s := &setup{program: p, table: errs.Table}
	steps := []func() error{
		s.remember,
		func() error { return errors.Join(s.load(), s.readTask()) },
		func() error { return errors.Join(s.adjust(), s.open(ctx)) },
		s.apart,
		s.guard,
		s.configure,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// remember finds out where runs are remembered, and how this one is called.
func (s *setup) remember() error {
	dir, err := s.journalDir()
	if err != nil {
		return err
	}
	s.journal = dir
	if s.resume == "" {
		s.run = cmp.Or(s.run, newName(s.taskFile))
		return nil
	}
	s.run = s.resume
	return s.goesOn()
}

// apart refuses a journal that the agent could write to.
func (s *setup) apart() error {
	if within(s.git.Dir(), s.journal) && !within(s.git.GitDir(), s.journal) {
		return misuse("-journal %s is in the working tree, where the agent works; name another directory", s.journal)
	}
	return nil
}

// goesOn refuses to resume what cannot be.
func (s *setup) goesOn() error {
	state, err := filestore.New(s.journal).Peek(context.Background(), s.resume)
	switch {
	case err != nil:
		return err
	case state == nil:
		return misuse("there is no run %q to resume; -list lists the runs", s.resume)
	case state.End == executor.EndCompleted:
		return misuse("run %s has ended (%s); begin a new one", s.resume, state.End)
	}
	return nil
}

// newName makes a name for a run of the task.
func newName(task string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(taskID(task)))
	if name = strings.Trim(name[:min(len(name), 40)], "-"); name == "" {
		name = "run"
	}
	return name + "-" + strings.ToLower(rand.Text()[:6])
}

func taskID(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// load reads the configuration. Of one that is faulty the channels are used nevertheless, if they
// are in order.
func (s *setup) load() error {
	if s.configFile == "" {
		return nil
	}
	warnings, err := config.Load(s.configFile, &s.settings)
	for _, w := range warnings {
		fmt.Fprintln(s.hints, "aidf: warning:", printable(w.String()))
	}
	if err == nil && s.provider == "" && s.settings.Provider == "" {
		err = missing(s.configFile, "provider", config.Either(providers))
	}
	if err == nil || !concerns(err, "notify") {
		s.notifier = s.channels()
	}
	return err
}

func (s *setup) readTask() (err error) {
	s.file, err = taskfile.Read(s.taskFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = refused("", "task", s.taskFile, "a Markdown file that is there")
	}
	s.task = executor.Task{Run: s.run, ID: taskID(s.taskFile), Title: s.file.Title, Prompt: s.file.Prompt}
	return err
}

// adjust lays the profile and the overrides over the table.
func (s *setup) adjust() error {
	table, err := errs.Table.Profile(taxonomy.ProfileName(cmp.Or(s.profile, s.settings.Profile)))
	if err != nil {
		return invalid(s.configFile, "profile", err)
	}
	if s.table, err = table.Override(s.settings.Overrides); err != nil {
		s.table = table
		return invalid(s.configFile, "overrides", err)
	}
	return nil
}

// guard makes the scope of the task's and the configuration's, and has git watch what it forbids.
// What says what the agent may do is out of its reach.
func (s *setup) guard() (err error) {
	own := scope.Config{
		Mode: scope.Mode(s.settings.Scope.Mode), Allowed: s.settings.Scope.Allowed,
		Forbidden: s.settings.Scope.Forbidden, Ask: s.settings.Scope.Ask,
	}
	c := s.file.Scope(own.Mode)
	_, ofTask := scope.New(c)
	_, ofConfig := scope.New(own)
	if err := errors.Join(in(s.taskFile, ofTask), in(s.configFile, ofConfig)); err != nil {
		return err
	}
	if len(c.Allowed) == 0 {
		c.Allowed = own.Allowed
	}
	c.Forbidden = slices.Concat(c.Forbidden, own.Forbidden, s.ownFiles())
	c.Ask = slices.Concat(c.Ask, own.Ask)
	if s.scope, err = scope.New(c); err != nil {
		return in(s.configFile, err)
	}
	return nil
}

// ownFiles are patterns of the task file and the configuration, if they are in the working tree.
func (s *setup) ownFiles() []string {
	var out []string
	for _, file := range []string{s.taskFile, s.configFile} {
		if file != "" && within(s.git.Dir(), file) {
			out = append(out, scope.Literal(filepath.ToSlash(relative(s.git.Dir(), file))))
		}
	}
	return out
}

func (s *setup) open(ctx context.Context) (err error) {
	if info, err := os.Stat(s.repo); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return refused("", "repo", s.repo, "a directory of a git repository")
	}
	s.git, err = gittree.New(ctx, s.repo, gittree.Options{
		Hooks: s.settings.Hooks, Remote: s.settings.Remote, PR: s.settings.PullRequest,
	})
	return err
}

// configure makes the executor's configuration.
func (s *setup) configure() error {
	validator, verr := s.validator()
	provider, perr := s.newProvider()
	filer, ferr := s.filer()
	if err := errors.Join(verr, perr, ferr); err != nil {
		return err
	}
	l := s.settings.Limits
	s.config = executor.Config{
		Table: s.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(s.table)), Decode: decode,
		Provider: provider, Workspace: s.git, Guard: s.scope, Validator: validator, Filer: filer,
		Store:     filestore.New(s.journal),
		Admission: executor.Admission{Lanes: filelanes.New(filepath.Join(s.journal, "lanes"), nil, nil)},
		Limits: executor.Limits{
			Iterations: l.Iterations, Failures: l.Failures, Attempts: l.Attempts,
			Iteration: l.Iteration, Run: l.Run, Grace: l.Grace, Feedback: l.Feedback,
		},
		Deliver: s.delivery(), Continue: s.settings.Continue, DryRun: s.dryRun, TakeOver: s.takeOver,
	}
	if s.notifier != nil {
		s.config.Notifier = s.notifier
	}
	return nil
}

// delivery is how far finished work goes.
func (s *setup) delivery() executor.Delivery {
	deliver := executor.DeliverCommits
	if i := slices.Index(deliveries, s.settings.Deliver); i >= 0 {
		deliver = executor.Delivery(i)
	}
	if s.push {
		deliver = max(deliver, executor.DeliverPush)
	}
	return deliver
}

func (s *setup) validator() (executor.Validator, error) {
	v := s.settings.Validation
	if len(v.PreCommit)+len(v.PrePush)+len(v.PrePR) == 0 {
		return nil, nil
	}
	return validate.New(validate.Config{
		Dir: s.git.Dir(), PreCommit: v.PreCommit, PrePush: v.PrePush, PrePR: v.PrePR,
		Limit: v.Limit, KeepGoing: v.KeepGoing, Env: v.Env,
	})
}

func (s *setup) filer() (executor.Filer, error) {
	if !s.settings.FileTask {
		return nil, nil
	}
	return taskfile.NewFiler(taskfile.FilerConfig{
		Root: s.git.Dir(), Path: relative(s.git.Dir(), s.taskFile), Stage: s.stage,
	})
}

// stage adds the paths to git's index.
func (s *setup) stage(ctx context.Context, paths []string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--literal-pathspecs", "add", "--all", "--"}, paths...)...)
	cmd.Dir = s.git.Dir()
	if out, err := cmd.CombinedOutput(); err != nil {
		return &taxonomy.Evidence{Source: "git", Op: "file_task", Text: string(out), Err: err}
	}
	return nil
}
