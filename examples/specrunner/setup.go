package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// setup is what the tasks need.
type setup struct {
	*cli
	settings settings
	table    taxonomy.Table
	tasks    []task
	stop     stopper

	store *state.Store
	claim *state.Claim
}

// prepare reads what the command line names. What is wrong with it is misuse.
func (p *cli) prepare() (*setup, error) {
	s := &setup{cli: p}
	dir, err := filepath.Abs(p.dir)
	if err != nil {
		return nil, misuse("-dir: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, misuse("-dir %s is not a directory", p.dir)
	}
	p.dir = dir
	if err := s.load(); err != nil {
		return nil, err
	}
	if s.table, err = s.settings.adjusted(cmp.Or(p.profile, s.settings.Profile)); err != nil {
		return nil, misuse("%s: %w", p.config, err)
	}
	s.stop = stopper{s.at(cmp.Or(p.stopFile, s.settings.StopFile, defaultStopFile))}
	if err := s.readTasks(); err != nil {
		return s, err
	}
	s.missBudgets()
	return s, nil
}

// missBudgets warns of budgets for tasks that are not there, which limit nothing.
func (s *setup) missBudgets() {
	q := newQueue(s.tasks, false)
	for _, id := range slices.Sorted(maps.Keys(s.settings.Budget.Tasks)) {
		if q.find(id) == nil {
			fmt.Fprintln(s.hints, "specrunner: warning: budget.tasks:", shown(id), "is no task of the file")
		}
	}
}

// load reads the configuration. Without a name it need not be there.
func (s *setup) load() error {
	path, named := s.at(cmp.Or(s.config, defaultConfig)), s.config != ""
	if _, err := os.Stat(path); !named && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.config = path
	warnings, err := config.Load(path, &s.settings)
	for _, w := range warnings {
		fmt.Fprintln(s.hints, "specrunner: warning:", shown(w.String()))
	}
	if err != nil {
		return misused(config.Problems(err)...)
	}
	return nil
}

func (s *setup) readTasks() error {
	path := s.at(cmp.Or(s.options.tasks, s.settings.Tasks, defaultTasks))
	tasks, err := readTasks(path)
	if err != nil {
		return misused(err)
	}
	s.tasks = tasks
	return nil
}

// at returns a path as seen from the project's directory.
func (p *cli) at(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.dir, path)
}

// statePath is where the state is.
func (s *setup) statePath() string {
	switch {
	case s.state != "":
		return s.at(s.state)
	case s.prefix != "":
		return s.at(state.PrefixedPath(s.prefix))
	case s.settings.Prefix != "":
		return s.at(state.PrefixedPath(s.settings.Prefix))
	}
	return s.at(cmp.Or(s.settings.State, state.DefaultPath))
}

// open opens the state, and takes the queue for this process.
func (s *setup) open(ctx context.Context) (err error) {
	if s.store, err = state.Open(ctx, s.statePath(), state.Options{Table: s.table}); err != nil {
		return broke("state %s: %w", s.statePath(), err)
	}
	if s.claim, err = s.store.Claim(ctx, "queue"); err == nil {
		return nil
	}
	if held(err) {
		return unable("another process is at work: %w", err)
	}
	return broke("%w", err)
}

// close lets go of what open has opened, in whatever order it was. What is said is of no
// consequence any more.
func (s *setup) close() {
	if s.claim != nil {
		s.warn("let go of the queue", s.claim.Release())
	}
	if s.store != nil {
		s.warn("close the state", s.store.Close())
	}
}

func (p *cli) warn(doing string, err error) {
	if err != nil {
		fmt.Fprintln(p.hints, "specrunner: warning:", doing+":", shown(err.Error()))
	}
}

// hire makes the agent for a task, and the checks of its work.
func (s *setup) hire(task string) (executor.Provider, executor.Validator, error) {
	at := place{Dir: s.dir, Task: task, Limit: s.settings.Limits.Attempt}
	agent, err := newAgent(s.settings.Agent, s.settings.Hooks, at)
	if err != nil {
		return nil, nil, misuse("agent: %w", err)
	}
	checks, err := newChecks(s.settings.Hooks, at)
	if err != nil {
		return nil, nil, misuse("hooks: %w", err)
	}
	return agent, checks, nil
}
