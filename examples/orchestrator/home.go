package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor/filejournal"
)

// homeName is the directory in git's own one of a working tree in which runs are kept that nobody
// has named a place for.
const homeName = "orchestrator"

// keeps reports that the run is kept. A working tree that is not a copy is never left to chance: a
// run that dies there is gone on with.
func (o *options) keeps() bool { return o.state != "" || o.dir != "" }

// inTree reports that the run is kept in its working tree, for as long as it is not over.
func (o *options) inTree() bool { return o.state == "" && o.dir != "" }

// settle has the run be kept.
func (s *session) settle() (err error) {
	if !s.keeps() {
		return nil
	}
	s.config.Calls.Journal = filejournal.New(s.callsDir())
	s.config.Journal, err = escalate.NewFileJournal(s.runsDir())
	return err
}

func (s *session) home() string {
	if s.inTree() {
		return filepath.Join(s.tree.GitDir(), homeName)
	}
	return s.state
}

func (s *session) runsDir() string { return filepath.Join(s.home(), "runs") }

// callsDir is where calls are kept: those of a run that is forgotten are removed with it.
func (s *session) callsDir() string {
	if s.inTree() {
		return filepath.Join(s.home(), "calls", s.name)
	}
	return filepath.Join(s.home(), "calls")
}

// forget removes what is kept of the run in its working tree, if it has ended for one of these
// reasons. Whoever has the run now does that.
func (s *session) forget(ctx context.Context, ended ...escalate.EndReason) (err error) {
	if !s.inTree() || !s.hasGit() {
		return nil
	}
	kept, err := s.config.Journal.Open(ctx, s.name)
	if err != nil {
		return nil // the run itself says so, if there is one to come
	}
	defer func() { err = errors.Join(err, s.config.Journal.Close()) }()
	if kept == nil || !slices.Contains(ended, kept.Result.EndReason) {
		return nil
	}
	err = os.Remove(filepath.Join(s.runsDir(), s.name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(s.callsDir()))
}

// hasGit reports that git's own directory of the working tree is there. No other is made in its
// place.
func (s *session) hasGit() bool {
	_, err := os.Stat(s.tree.GitDir())
	return err == nil
}

// endKept returns how the run has ended by what is kept of it; empty where that is not known.
func (s *session) endKept(ctx context.Context) escalate.EndReason {
	if !s.keeps() || !s.hasGit() {
		return ""
	}
	kept, err := s.config.Journal.Open(ctx, s.name)
	if err != nil {
		return ""
	}
	_ = s.config.Journal.Close() // nothing was written
	if kept == nil {
		return ""
	}
	return kept.Result.EndReason
}

// forgettable are the ends after which the run is not gone on with: then the same command carries
// the plan out anew.
func (s *session) forgettable() []escalate.EndReason {
	if s.giveUp {
		return []escalate.EndReason{escalate.EndCompleted, escalate.EndFailed}
	}
	return []escalate.EndReason{escalate.EndCompleted}
}
