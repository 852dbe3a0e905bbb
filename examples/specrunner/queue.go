package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// queue is the work on all tasks.
type queue struct {
	*program
	outcome outcome
	stored  map[string]state.Task
	results map[string]state.TaskStatus // of the tasks that had their turn
	ended   bool                        // no further task begins
}

// leftover returns a warning about an earlier run that has not ended or is not delivered. Each run
// is named once.
func (p *program) leftover(ctx context.Context, c workspace.Clone) string {
	if p.named[c.Run] {
		return ""
	}
	p.named[c.Run] = true
	id, _, _ := strings.Cut(c.Run, ".")
	next := "-reset " + id + " lets its task begin anew"
	saved, err := p.store.RunStore().Peek(ctx, c.Run)
	switch {
	case err != nil || saved == nil:
		return "run " + c.Run + " has no state in " + p.statePath() + ": use the state with which it began, or " +
			next + "; " + c.Commands()
	case saved.End == "":
		next = "-resume continues it, " + next
	case saved.End == executor.EndCompleted:
		next = "its work is not delivered"
	}
	return "run " + c.Run + " has left its work: " + next + "; " + c.Commands()
}

// work does the tasks that are left, and prints the outcome.
func (p *program) work(ctx context.Context) (code int, err error) {
	progress := p.out
	if p.json {
		progress = p.hints
	}
	p.screen = terminal.New(progress)
	ctx, stop := p.signals(ctx)
	defer stop()
	q := &queue{program: p, results: map[string]state.TaskStatus{}}
	err = q.begin(context.WithoutCancel(ctx))
	if err == nil {
		err = q.takeInterrupted(ctx)
	}
	for err == nil && !q.ended {
		t := q.next()
		if t == nil {
			break
		}
		err = q.take(ctx, t)
	}
	if e, ok := errors.AsType[*exitError](err); err != nil && (!ok || e.code != exitLeft || !p.json) {
		return 0, err
	}
	return q.conclude(err)
}

// begin prepares the work: the state, the tasks in it, and the budgets.
func (q *queue) begin(ctx context.Context) error {
	if _, err := q.newAgent("", q.newHooks("")); err != nil {
		return misuse("agent: %w", err)
	}
	if err := q.open(ctx); err != nil {
		return err
	}
	q.stored = map[string]state.Task{}
	for _, t := range q.tasks {
		known, err := q.store.Task(ctx, t.ID)
		if err != nil {
			return broken("%w", err)
		}
		q.stored[t.ID] = known
		if t.Done || known.Status == state.TaskCompleted {
			q.results[t.ID] = state.TaskCompleted
		}
	}
	if q.stop.exists() {
		return unable("%s", q.stop.reason())
	}
	if q.settings.Git {
		if err := q.checkClones(ctx); err != nil {
			return err
		}
	}
	return q.setBudgets(ctx)
}

// checkClones returns an error if a run of a task has worked in its clone, and the state does not
// have the run. Then the state is lost, or another one is open, and the task would begin anew.
func (q *queue) checkClones(ctx context.Context) error {
	clones, err := workspace.List(ctx, q.dir, "")
	if err != nil {
		return broken("%w", err)
	}
	var lost []error
	for _, c := range clones {
		id, _, _ := strings.Cut(c.Run, ".")
		current := fmt.Sprintf("%s.%d.", id, q.stored[id].Generation)
		if q.find(id) == nil || !c.Used || !strings.HasPrefix(c.Run, current) {
			continue
		}
		if saved, err := q.store.RunStore().Peek(ctx, c.Run); err == nil && saved == nil {
			lost = append(lost, errors.New(q.leftover(ctx, c)))
		}
	}
	if len(lost) > 0 {
		return &exitError{exitBroken, errors.Join(lost...)}
	}
	return nil
}

// setBudgets stores the limits of the configuration that differ from the stored ones.
func (q *queue) setBudgets(ctx context.Context) error {
	stored, err := q.store.Budgets(ctx)
	if err != nil {
		return broken("%w", err)
	}
	current := map[string]state.Amount{}
	for _, l := range stored {
		current[l.Scope] = l.Amount
	}
	b := q.settings.Budget
	wanted := map[string]*amount{state.ScopeAttempt: b.Attempt, state.ScopeTask: b.Task, state.ScopeAll: b.All}
	for id, a := range b.Tasks {
		wanted[state.ScopeOfTask(id)] = &a
	}
	for scope, a := range wanted {
		if a == nil || a.state() == current[scope] {
			continue
		}
		if err := q.store.SetBudget(ctx, scope, state.Limit{Amount: a.state()}); err != nil {
			return broken("%w", err)
		}
	}
	return nil
}

// interrupted returns the unfinished runs of the current generations of their tasks that have
// called the agent.
func (p *program) interrupted(ctx context.Context) ([]state.Run, error) {
	runs, err := p.store.Unfinished(ctx)
	if err != nil {
		return nil, broken("%w", err)
	}
	return slices.DeleteFunc(runs, func(r state.Run) bool {
		t, err := p.store.Task(ctx, r.Task)
		return r.Spent.Calls == 0 || err == nil && t.Generation != r.Generation
	}), nil
}

// takeInterrupted resumes interrupted runs if -resume is set, and otherwise reports them.
func (q *queue) takeInterrupted(ctx context.Context) error {
	runs, err := q.interrupted(context.WithoutCancel(ctx))
	var left []error
	for _, r := range runs {
		t := q.find(r.Task)
		switch {
		case err != nil || q.ended:
		case !q.resume || t == nil:
			left = append(left,
				fmt.Errorf("run %s of task %s was interrupted: -resume continues it (if the file still has "+
					"the task), -reset %s lets the task begin anew", r.Run, r.Task, r.Task))
		default:
			err = q.do(ctx, t, r.Run)
		}
	}
	if err == nil && len(left) > 0 {
		return &exitError{exitLeft, errors.Join(left...)}
	}
	return err
}

func (p *program) find(id string) *task {
	i := slices.IndexFunc(p.tasks, func(t task) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &p.tasks[i]
}

// next returns the first task whose dependencies all had their turn.
func (q *queue) next() *task {
	for i := range q.tasks {
		t := &q.tasks[i]
		waits := slices.ContainsFunc(t.DependsOn, func(id string) bool { return q.results[id] == "" })
		if q.results[t.ID] == "" && !waits {
			return t
		}
	}
	return nil
}

// take gives a task its turn.
func (q *queue) take(ctx context.Context, t *task) error {
	calm := context.WithoutCancel(ctx)
	policy := cmp.Or(q.settings.OnFailure, "skip")
	missing := slices.IndexFunc(t.DependsOn, func(id string) bool { return q.results[id] != state.TaskCompleted })
	limit := q.settings.MaxConsecutiveFailures
	tooMany, err := q.store.ShouldStop(calm, limit)
	switch {
	case err != nil:
		return broken("%w", err)
	case q.task != "" && q.task != t.ID:
		q.results[t.ID] = state.TaskSkipped
		return nil
	case missing >= 0 && policy != "continue":
		q.results[t.ID] = state.TaskSkipped
		q.add(taskOutcome{ID: t.ID, Status: state.TaskSkipped, Why: "it depends on " + t.DependsOn[missing] +
			", which is not done"})
		if q.stored[t.ID].Status == state.TaskPending {
			err = q.store.SetStatus(calm, t.ID, state.TaskSkipped)
		}
	case ctx.Err() != nil:
		q.end("interrupted")
	case q.stop.exists():
		q.end(q.stop.reason())
	case tooMany && q.task == "":
		q.end(fmt.Sprintf("held, because %d attempts in a row have failed (max_consecutive_failures); -task ID does a "+
			"task nevertheless", limit))
	case q.stored[t.ID].Status == state.TaskFailed && q.countedLast(calm, t.ID):
		last, _ := q.store.Attempts(calm, t.ID, 1)
		q.failed(t, taskOutcome{ID: t.ID, Status: state.TaskFailed, Code: last[0].Code, Error: last[0].Error,
			Why: "it has failed before; -reset " + t.ID + " lets it begin anew"})
	default:
		var runs []state.Run
		if runs, err = q.store.Runs(calm, t.ID); err == nil {
			generation := q.stored[t.ID].Generation
			runs = slices.DeleteFunc(runs, func(r state.Run) bool { return r.Generation != generation })
			return q.do(ctx, t, fmt.Sprintf("%s.%d.%d", t.ID, generation, len(runs)+1))
		}
	}
	if err != nil {
		return broken("%w", err)
	}
	return nil
}

// countedLast reports whether the last attempt at a task failed by its fault.
func (q *queue) countedLast(ctx context.Context, id string) bool {
	last, err := q.store.Attempts(ctx, id, 1)
	return err == nil && len(last) > 0 && last[0].Counted.Or(false)
}

// do does a task in a run.
func (q *queue) do(ctx context.Context, t *task, run string) error {
	// The attempts of the task's other runs count, too.
	attempts, err := q.store.Attempts(context.WithoutCancel(ctx), t.ID, 1000)
	if err != nil {
		return broken("%w", err)
	}
	limit := maxAttempts(q.table)
	for _, a := range attempts {
		if a.Run != run && a.Counted.Or(false) {
			limit--
		}
	}
	if limit <= 0 {
		q.failed(t, taskOutcome{ID: t.ID, Status: state.TaskFailed,
			Why: "its attempts are exhausted; -reset " + t.ID + " lets it begin anew"})
		return nil
	}
	r, err := q.execute(ctx, t, run, limit)
	if err != nil {
		return err
	}
	o := taskOutcome{ID: t.ID, Status: state.TaskStatus(r.Status), EndReason: r.EndReason, Run: run,
		Attempts: r.Iterations, Code: r.ErrorCode, Error: r.Error, Question: r.Question, Usage: r.Usage,
		Warnings: r.Warnings}
	if r.Status == executor.StatusCompleted {
		q.results[t.ID] = state.TaskCompleted
		q.add(o)
		return nil
	}
	if about := taxonomy.Describe(r.Err); about != nil {
		o.Resolution = about.Resolution
	}
	q.failed(t, o)
	switch {
	case q.stop.exists() && r.Status == executor.StatusCancelled:
		q.end(q.stop.reason())
	case r.EndReason == executor.EndCancelled:
		q.end("interrupted")
	case r.EndReason == executor.EndRefused:
		q.end("run " + run + " cannot be resumed; -reset " + t.ID + " lets its task begin anew")
	case r.EndsRun:
		q.end("task " + t.ID + " ended everything, because every other task would fail, too: " + o.Error)
	}
	return nil
}

// maxAttempts returns the most attempts that count.
func maxAttempts(table taxonomy.Table) (most int) {
	for row := range table.Taxonomy.Rows() {
		if r := table.Row(row).Reaction; r != nil && r.Action == taxonomy.Retry && r.Policy != nil && r.CountFailure {
			most = max(most, r.Policy.MaxAttempts)
		}
	}
	return most
}

// execute runs a task. Its error reports that the state cannot be written.
func (p *program) execute(ctx context.Context, t *task, run string, attempts int) (*executor.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var unsaved error
	watch := observer(func(e executor.Event) {
		if ev, ok := errors.AsType[*taxonomy.Evidence](e.Err); ok && e.Kind == executor.Warned && ev.Source == "state" {
			unsaved = e.Err
			cancel(e.Err)
		}
		if e.Kind == executor.IterationEnded && p.stop.exists() {
			cancel(errors.New(p.stop.reason()))
		}
	})
	observers := []executor.Observer{p.screen, watch}
	if p.verbose {
		log := slog.New(slog.NewTextHandler(p.hints, &slog.HandlerOptions{Level: slog.LevelDebug}))
		observers = append(observers, executor.Slog(log, p.table))
	}
	h := p.newHooks(t.ID)
	provider, err := p.newAgent(t.ID, h)
	if err != nil {
		return nil, misuse("agent: %w", err)
	}
	l := p.settings.Limits
	iteration := cmp.Or(l.Attempt, defaultLimit) + time.Minute // the agent's own limit is reached first
	for _, before := range h.PreStart {
		iteration += h.limit(before) + time.Minute
	}
	cfg := executor.Config{
		Table: p.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(p.table)),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: provider, Validator: h, Store: p.store.RunStore(),
		Admission: executor.Admission{
			Lanes:  p.store.Lanes(),
			Budget: p.store.Budget(state.BudgetOptions{Assume: p.settings.Budget.Assume.state()}),
		},
		Prompt:   p.store.Prompt(state.PromptOptions{MaxAttempts: maxAttempts(p.table), Limit: l.Context}),
		Observer: executor.Observers(observers...), Clock: stopClock{retry.System, p.stop, cancel},
		Markers: executor.Markers{Done: markComplete, Blocked: markBlocked},
		Limits: executor.Limits{Iterations: l.Iterations, Failures: executor.Unlimited, Attempts: attempts,
			Iteration: iteration, Run: l.Run, Grace: l.Grace},
	}
	if p.settings.Git {
		tree, err := workspace.New(ctx, p.dir, run, workspace.Options{
			Leftover: func(c workspace.Clone) string { return p.leftover(ctx, c) }})
		if err != nil {
			return nil, broken("%w", err)
		}
		cfg.Workspace, h.dir = tree, tree.Dir()
		cfg.Deliver = executor.DeliverCommits
		cfg.CommitMessage = func(t executor.Task, _ int, _ []string) string { return t.ID + ": " + t.Title }
	}
	e, err := executor.New(cfg)
	if err != nil {
		return nil, broken("%w", err)
	}
	p.named[run] = true // the outcome reports it
	r := e.Run(ctx, executor.Task{Run: run, ID: t.ID, Title: t.Title, Prompt: t.Prompt})
	if unsaved != nil {
		return nil, broken("run %s of task %s was ended, because the state cannot be written: %w", run, t.ID, unsaved)
	}
	return r, nil
}

type observer func(executor.Event)

func (f observer) Observe(e executor.Event) { f(e) }

// stopFile is a file that stops the queue between two attempts, and in waits.
type stopFile string

func (f stopFile) exists() bool {
	_, err := os.Lstat(string(f))
	return err == nil
}

func (f stopFile) reason() string { return "stopped, until the stop file " + string(f) + " is removed" }

// stopClock ends a wait when the stop file exists.
type stopClock struct {
	retry.Clock
	file   stopFile
	cancel context.CancelCauseFunc
}

// Sleep implements [retry.Clock].
func (c stopClock) Sleep(ctx context.Context, d time.Duration) error {
	for until := c.Now().Add(d); ; {
		left := until.Sub(c.Now())
		if left <= 0 {
			return nil
		}
		if c.file.exists() {
			c.cancel(errors.New(c.file.reason()))
		}
		if err := c.Clock.Sleep(ctx, min(left, time.Second)); err != nil {
			return err
		}
	}
}
