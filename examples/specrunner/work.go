package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/state"
)

// cli does what one command line says.
type cli struct {
	options
	out, hints io.Writer
	screen     *terminal.Observer
}

// work goes through the queue until it is empty or something stops it. A second interrupt has its
// usual effect.
func (p *cli) work() int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	defer p.talkToNobody()()
	p.screen = terminal.New(p.progress(), terminal.Options{})
	defer p.screen.Close()
	unhook := context.AfterFunc(ctx, func() {
		stop()
		p.tell("interrupted, ending the attempt; once more ends at once")
	})
	defer unhook()
	s, err := p.prepare()
	if err != nil {
		return p.fail(err)
	}
	defer s.close()
	if err := s.ready(context.WithoutCancel(ctx)); err != nil {
		if e, ok := errors.AsType[*exitError](err); ok && e.code == exitLeft && s.json {
			return s.conclude(s.held(err))
		}
		return p.fail(err)
	}
	return s.conclude(s.goThrough(ctx))
}

// progress is where progress is shown: with JSON, standard output is for that alone.
func (p *cli) progress() io.Writer {
	if p.json {
		return p.hints
	}
	return p.out
}

// tell says something to people beside the progress.
func (p *cli) tell(format string, args ...any) {
	p.screen.Aside(func() { fmt.Fprintln(p.progress(), "specrunner:", shown(fmt.Sprintf(format, args...))) })
}

// log returns an observer that logs everything, if that is wanted.
func (s *setup) log() executor.Observer {
	if !s.verbose {
		return nil
	}
	return executor.Slog(
		slog.New(slog.NewTextHandler(aside{s.screen, s.hints}, &slog.HandlerOptions{Level: slog.LevelDebug})), s.table)
}

// aside writes to a terminal that may have a live line.
type aside struct {
	screen *terminal.Observer
	w      io.Writer
}

func (a aside) Write(b []byte) (n int, err error) {
	a.screen.Aside(func() { n, err = a.w.Write(b) })
	return n, err
}

// ready finds what keeps this process from working, in the order in which it is to be mended.
func (s *setup) ready(ctx context.Context) error {
	if s.task != "" && newQueue(s.tasks, false).find(s.task) == nil {
		return misuse("-task %s is no task of the file", s.task)
	}
	if _, _, err := s.hire(""); err != nil {
		return err
	}
	if s.stop.wanted() {
		return unable("nothing is begun: %s", s.stop.said())
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	return s.fund(ctx)
}

// goThrough goes on with what was interrupted, and then through the queue. Only the agent's work
// ends with ctx; what is asked of the state, and written there, is done.
func (s *setup) goThrough(ctx context.Context) *outcome {
	w := &worker{setup: s, queue: newQueue(s.tasks, s.policy() == "continue"),
		outcome: &outcome{Tasks: []taskOutcome{}}}
	err := w.takeStock(context.WithoutCancel(ctx))
	if err == nil {
		err = w.goOn(ctx)
	}
	for err == nil && !w.ended {
		t, ok := w.queue.next()
		if !ok {
			break
		}
		err = w.take(ctx, t)
	}
	w.sum(err)
	return w.outcome
}

// held returns the outcome of nothing, as far as the state can be looked at.
func (s *setup) held(why error) *outcome {
	w := &worker{setup: s, queue: newQueue(s.tasks, false), outcome: &outcome{Tasks: []taskOutcome{}}}
	ctx := context.Background()
	if s.store == nil {
		s.warn("look at the state", s.look(ctx))
	}
	if s.store != nil {
		s.warn("look at the tasks", w.takeStock(ctx))
	}
	w.sum(why)
	return w.outcome
}

// policy is what becomes of the rest of the queue when a task fails.
func (s *setup) policy() string {
	for _, policy := range []string{s.onFailure, s.settings.OnFailure} {
		if policy != "" {
			return policy
		}
	}
	return "skip"
}

// worker goes through the queue.
type worker struct {
	*setup
	queue   *queue
	outcome *outcome
	// ended reports that no further task is begun.
	ended bool
	// stock is how the tasks stood in the state at the beginning.
	stock map[string]state.Task
}

// end has no further task begun, and says why.
func (w *worker) end(format string, args ...any) {
	if !w.ended {
		w.ended, w.outcome.Why = true, shown(fmt.Sprintf(format, args...))
	}
}

// takeStock asks the state how the tasks stand.
func (w *worker) takeStock(ctx context.Context) error {
	w.stock = make(map[string]state.Task, len(w.tasks))
	for _, t := range w.tasks {
		known, err := w.store.Task(ctx, t.ID)
		if err != nil {
			return broke("%w", err)
		}
		w.stock[t.ID] = known
		if t.Done || known.Status == state.TaskCompleted {
			w.queue.stand[t.ID] = done
		}
	}
	return nil
}

// goOn goes on with runs whose process died, or says that there are some.
func (w *worker) goOn(ctx context.Context) error {
	runs, err := w.interrupted(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if len(runs) > 0 && !w.resume {
		var all []error
		for _, r := range runs {
			all = append(
				all, fmt.Errorf(
					"run %s of task %s was interrupted: -resume goes on with it, -reset %s has the task begun anew",
					r.Name, r.Task, r.Task))
		}
		return &exitError{exitLeft, all}
	}
	for _, r := range runs {
		t := w.queue.find(r.Task)
		if t == nil {
			return unable("run %s was interrupted, and its task %s is not in the file any more: -reset %s forgets it",
				r.Name, r.Task, r.Task)
		}
		if w.ended {
			break
		}
		if err := w.do(ctx, t, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// interrupted returns the runs that have begun to work and have not ended, as far as they count.
func (s *setup) interrupted(ctx context.Context) ([]state.Run, error) {
	runs, err := s.store.Unfinished(ctx)
	if err != nil {
		return nil, broke("%w", err)
	}
	var out []state.Run
	for _, r := range runs {
		known, err := s.store.Task(ctx, r.Task)
		if err != nil {
			return nil, broke("%w", err)
		}
		if r.Calls > 0 && r.Generation == known.Generation {
			out = append(out, r)
		}
	}
	return out, nil
}

// take does what is to be done about the next task of the queue.
func (w *worker) take(ctx context.Context, t *task) error {
	calm := context.WithoutCancel(ctx)
	if by, is := w.queue.hindered(t); is {
		return w.skip(calm, t, "depends on "+by+", which is not done")
	}
	if w.task != "" && t.ID != w.task {
		w.queue.stand[t.ID] = skipped
		return nil
	}
	if w.halted(ctx) {
		return nil
	}
	if err := w.enough(calm); err != nil || w.ended {
		return err
	}
	left, err := w.leave(calm, t)
	if err != nil || left {
		return err
	}
	name, err := w.nextRun(calm, t)
	if err != nil {
		return err
	}
	return w.do(ctx, t, name)
}

// halted reports that somebody wants the queue to stop.
func (w *worker) halted(ctx context.Context) bool {
	switch {
	case ctx.Err() != nil:
		w.end("interrupted")
	case w.stop.wanted():
		w.end("%s", w.stop.said())
	}
	return w.ended
}

// enough looks whether too many attempts have failed in a row. Who names a task wants it begun all
// the same.
func (w *worker) enough(ctx context.Context) error {
	limit := w.settings.MaxConsecutiveFailures
	if w.task != "" {
		return nil
	}
	stop, err := w.store.ShouldStop(ctx, limit)
	if err != nil {
		return broke("%w", err)
	}
	if stop {
		w.end("held, because the last %d attempts or more have failed (max_consecutive_failures); -task ID begins "+
			"one all the same", limit)
	}
	return nil
}

// leave looks whether a task has failed for good. A failure that does not count is none of the
// task's.
func (w *worker) leave(ctx context.Context, t *task) (bool, error) {
	known := w.stock[t.ID]
	if known.Status != state.TaskFailed {
		return false, nil
	}
	last, err := w.store.Attempts(ctx, t.ID, 1)
	if err != nil {
		return false, broke("%w", err)
	}
	if len(last) > 0 && !last[0].Counted.Or(false) {
		return false, nil
	}
	o := taskOutcome{ID: t.ID, Status: string(state.TaskFailed),
		Why: "it has failed before, and -reset " + t.ID + " has it begun anew"}
	if len(last) > 0 {
		o.Code, o.Error = last[0].Code, shown(last[0].Error)
	}
	w.tell("%s", o.summary())
	w.failed(t, o)
	return true, nil
}

// skip leaves a task out.
func (w *worker) skip(ctx context.Context, t *task, why string) error {
	w.queue.stand[t.ID] = skipped
	if w.task != "" && t.ID != w.task {
		return nil
	}
	w.tell("task %s is skipped: it %s", t.ID, why)
	w.outcome.add(taskOutcome{ID: t.ID, Status: string(state.TaskSkipped), Why: why})
	if w.stock[t.ID].Status != state.TaskPending {
		return nil
	}
	if err := w.store.SetStatus(ctx, t.ID, state.TaskSkipped); err != nil {
		return broke("%w", err)
	}
	return nil
}

// failed notes a task that is not done, and what becomes of the rest.
func (w *worker) failed(t *task, o taskOutcome) {
	w.queue.stand[t.ID] = failed
	w.outcome.add(o)
	if w.policy() == "stop" {
		w.end("stopped, because task %s is not done", t.ID)
	}
}

// sum says with which exit code all of it ends, and why.
func (w *worker) sum(err error) {
	o := w.outcome
	o.Done, o.All = w.queue.count(), len(w.tasks)
	if e, ok := errors.AsType[*exitError](err); ok {
		o.Exit, o.Errors = e.code, said(err)
		return
	}
	switch {
	case w.task != "" && w.queue.stand[w.task] == done, w.task == "" && o.Done == o.All:
		o.Exit = exitDone
	default:
		o.Exit = exitLeft
	}
}

func said(err error) []string {
	var out []string
	for _, e := range leaves(err) {
		out = append(out, shown(e.Error()))
	}
	return out
}
