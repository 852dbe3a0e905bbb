package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/state"
)

// resetTask forgets how a task stands. What it has cost, and its attempts, stay on record.
func (p *cli) resetTask() int {
	p.screen = terminal.New(p.progress(), terminal.Options{})
	defer p.screen.Close()
	s, err := p.prepare()
	if err != nil {
		return p.fail(err)
	}
	defer s.close()
	ctx := context.Background()
	if err := s.open(ctx); err != nil {
		return p.fail(err)
	}
	if err := s.forget(ctx, p.reset); err != nil {
		return p.fail(err)
	}
	return exitDone
}

func (s *setup) forget(ctx context.Context, id string) error {
	t := newQueue(s.tasks, false).find(id)
	known, err := s.store.Task(ctx, id)
	if err != nil {
		return broke("%w", err)
	}
	if t == nil && known.Status == state.TaskPending && known.Attempts == 0 && known.Generation == 1 {
		return misuse("-reset %s is no task, neither of the file nor of the state", id)
	}
	if err := s.abandon(ctx, t, id); err != nil {
		return err
	}
	if err := s.store.Reset(ctx, id); err != nil {
		return broke("%w", err)
	}
	fmt.Fprintln(s.progress(), "specrunner: task", shown(id), "is begun anew when it is next")
	return nil
}

// abandon ends the runs of the task that were interrupted.
func (s *setup) abandon(ctx context.Context, t *task, id string) error {
	runs, err := s.interrupted(ctx)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Task != id {
			continue
		}
		over := false
		if t != nil {
			if over, err = s.endRun(ctx, t, r.Name); err != nil {
				return err
			}
		}
		if !over {
			s.warn("end what run "+r.Name+" has left running", s.endProcess(ctx, id, r.Name))
		}
	}
	return nil
}

// endRun has a run go on that is cancelled as soon as it knows what it owes: it ends what was left
// running, records its attempt as interrupted, and calls nobody. A run whose task is another one
// now is refused, and is not over.
func (s *setup) endRun(ctx context.Context, t *task, run string) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := s.execute(ctx, t, run, 0, observerFunc(func(e executor.Event) {
		if e.Kind == executor.RunStarted {
			cancel()
		}
	}))
	if err != nil {
		return false, err
	}
	return r.EndReason != executor.EndRefused, nil
}

// endProcess ends the process that the last call or hook of a run has left behind, if there is one.
func (s *setup) endProcess(ctx context.Context, id, run string) (err error) {
	agent, _, err := s.hire(id)
	if err != nil {
		return err
	}
	ender, ok := agent.(executor.Ender)
	if !ok {
		return errors.New("the agent cannot do that")
	}
	journal := s.store.Journal()
	entries, err := journal.Open(ctx, run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	var left *executor.Process
	for _, e := range entries {
		switch e.Point {
		case executor.PointProcess:
			left = e.Process
		case executor.PointAnswered:
			left = nil
		}
	}
	if left == nil {
		return nil
	}
	return ender.End(ctx, *left)
}
