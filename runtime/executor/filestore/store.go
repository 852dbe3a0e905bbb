// Package filestore stores the states of runs in a directory, one file for each run. Use it to
// resume runs without a database; package state also stores attempts, costs and budgets.
//
// Only the owner can read the directory and its files. Save replaces a state atomically; when it
// returns, the state is on the disk. A run is locked while a process has it open. The lock ends
// with the process.
package filestore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	suffix   = ".json"
	maxState = 64 << 20
)

// Store is an [executor.Store] on a directory. Each error is a *taxonomy.Evidence with the
// attribute path. Its source is "executor" if a run cannot be opened, and "state" if it cannot be
// saved.
type Store struct {
	dir   string
	lock  *filelock.Named
	run   string
	saves int
}

var _ executor.Store = (*Store)(nil)

// New returns the store in dir. If dir does not exist, Open creates it.
func New(dir string) *Store { return &Store{dir: dir} }

// Open locks the run and returns its state. The state of a new run is nil.
func (s *Store) Open(ctx context.Context, run string) (*executor.RunState, error) {
	if s.lock != nil {
		return nil, &taxonomy.Evidence{Source: "executor", Op: loop.OpLock, Text: "run " + s.run + " is open"}
	}
	if err := s.checkName(run); err != nil {
		return nil, err
	}
	if err := atomicfile.MakeDir(s.dir); err != nil {
		err = fmt.Errorf("make the directory of runs: %w", err)
		return nil, evidence.OfFile("executor", loop.OpPrepare, s.dir, err)
	}
	lock, err := s.take(ctx, run)
	if err != nil {
		return nil, err
	}
	state, err := s.Peek(ctx, run)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	s.lock, s.run, s.saves = lock, run, 0
	if state != nil {
		s.saves = state.Saves
	}
	return state, nil
}

// Save replaces the state of the open run.
func (s *Store) Save(_ context.Context, state *executor.RunState) error {
	path := s.path(state.Task.Run)
	switch {
	case s.lock == nil || s.run != state.Task.Run:
		return evidence.OfFile("state", "state_write", path, errors.New("the run is not open"))
	case state.Saves < s.saves:
		err := fmt.Errorf("save %d is older than save %d", state.Saves, s.saves)
		return evidence.OfFile("state", "state_write", path, err)
	}
	b, err := json.Marshal(state)
	if err == nil {
		err = atomicfile.Replace(path, append(b, '\n'))
	}
	if err != nil {
		return evidence.OfFile("state", "state_write", path, fmt.Errorf("save run %s: %w", s.run, err))
	}
	s.saves = state.Saves
	return nil
}

// Close unlocks the run.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	err := s.lock.Release()
	s.lock = nil
	return err
}

// Remove removes the state of a run, unless a process has the run open. If the run does not exist,
// Remove does nothing.
func (s *Store) Remove(ctx context.Context, run string) error {
	if err := s.checkName(run); err != nil {
		return err
	}
	if _, err := os.Stat(s.path(run)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := s.take(ctx, run)
	if err != nil {
		return err
	}
	return errors.Join(os.Remove(s.path(run)), lock.Release())
}

// Peek returns the state of a run without locking it. If the run does not exist, the state is nil.
func (s *Store) Peek(_ context.Context, run string) (*executor.RunState, error) {
	if err := s.checkName(run); err != nil {
		return nil, err
	}
	path := s.path(run)
	b, err := atomicfile.Read(path, maxState+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(b) > maxState {
		err = fmt.Errorf("the file is larger than %d bytes", maxState)
	}
	if err != nil {
		return nil, evidence.OfFile("executor", loop.OpResume, path, fmt.Errorf("read run %s: %w", run, err))
	}
	var state *executor.RunState
	if err = json.Unmarshal(b, &state); err == nil && (state == nil || state.Task.Run != run) {
		err = errors.New("the file is not the state of this run")
	}
	if err != nil {
		err = fmt.Errorf("read run %s: %w: restore %s, or begin a run with another name", run, err, path)
		ev := evidence.OfFile("executor", loop.OpResume, path, err)
		ev.Type = "refused"
		return nil, ev
	}
	return state, nil
}

// Runs describes the runs in the directory, the latest first. It skips states that cannot be read.
func (s *Store) Runs(ctx context.Context) ([]executor.RunInfo, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, evidence.OfFile("executor", loop.OpResume, s.dir, fmt.Errorf("list the runs: %w", err))
	}
	var runs []executor.RunInfo
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), suffix)
		if !ok {
			continue
		}
		if state, err := s.Peek(ctx, name); err == nil && state != nil {
			runs = append(runs, state.Info())
		}
	}
	slices.SortFunc(runs, func(a, b executor.RunInfo) int {
		return cmp.Or(b.Updated.Compare(a.Updated), strings.Compare(a.Run, b.Run))
	})
	return runs, nil
}

func (s *Store) path(run string) string { return filepath.Join(s.dir, run+suffix) }

func (s *Store) checkName(run string) error {
	if err := filelock.CheckName(run); err != nil {
		return evidence.OfFile("executor", loop.OpPrepare, s.dir, err)
	}
	return nil
}

// take locks a run.
func (s *Store) take(ctx context.Context, run string) (*filelock.Named, error) {
	lock, err := filelock.Take(ctx, s.dir, run, "run "+run, run, filelock.DefaultPatience)
	if _, held := errors.AsType[*taxonomy.Evidence](err); err != nil && !held {
		err = evidence.OfFile("executor", loop.OpLock, s.dir, err)
	}
	return lock, err
}
