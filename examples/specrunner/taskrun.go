package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// do has the task done in the run of the name, and notes what came of it.
func (w *worker) do(ctx context.Context, t *task, run string) error {
	limit, err := w.attemptsLeft(context.WithoutCancel(ctx), t, run)
	if err != nil {
		return err
	}
	if limit < 0 {
		o := taskOutcome{ID: t.ID, Status: string(state.TaskFailed),
			Why: "its attempts are used up, and -reset " + t.ID + " has it begun anew"}
		w.tell("%s", o.summary())
		w.failed(t, o)
		return nil
	}
	r, err := w.execute(ctx, t, run, limit)
	if err != nil {
		return err
	}
	w.note(ctx, t, r)
	return nil
}

// execute runs the executor. The error is one of the instrument.
func (s *setup) execute(ctx context.Context, t *task, run string, attempts int, also ...executor.Observer) (
	*executor.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var broken breakage
	fails := func(err error) {
		broken.note(err)
		cancel(fmt.Errorf("the state cannot be written: %w", err))
	}
	cfg := s.configuration(cancel, attempts)
	cfg.Observer = executor.Observers(append(also, cfg.Observer)...)
	cfg.Journal = &watched{s.store.Journal(), fails}
	var err error
	if cfg.Provider, cfg.Validator, err = s.hire(t.ID); err != nil {
		return nil, err
	}
	x, err := executor.New(cfg)
	if err != nil {
		return nil, broke("%w", err)
	}
	r := x.Run(ctx, executor.Task{Run: run, ID: t.ID, Title: t.Title, Prompt: t.Prompt})
	if err := broken.get(); err != nil {
		return nil, broke("run %s of task %s was ended, because the state failed: %w", run, t.ID, err)
	}
	if errors.Is(context.Cause(ctx), errStopped) {
		r.Err = errStopped
	}
	return r, nil
}

// configuration is what the executor works with.
func (s *setup) configuration(cancel context.CancelCauseFunc, attempts int) executor.Config {
	l := s.settings.Limits
	cfg := executor.Config{
		Table: s.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(s.table)), Decode: decode,
		Lanes: s.store.Lanes(), Budget: s.budget(), Clock: s.stop.clock(cancel),
		Observer: executor.Observers(s.screen, s.log(), s.stop.observer(cancel)),
		Limits: executor.Limits{
			Iterations: l.Iterations, Attempts: attempts, Iteration: iterationLimit(l.Attempt, s.settings.Hooks),
			Run: l.Run, Grace: l.Grace,
			// How many failures there may be is said by Attempts, and by the taxonomy's policies.
			Failures: maxFailures,
		},
		Markers: markers,
		Prompt:  s.prompt(),
	}
	return cfg
}

// maxFailures is as good as no limit.
const maxFailures = 1 << 30

// maxAttempts is how many attempts that count the table allows a task; 0 when it sets no limit.
func maxAttempts(table taxonomy.Table) int {
	most := 0
	for row := range table.Taxonomy.Rows() {
		r := table.Row(row).Reaction
		if r == nil || r.Action != taxonomy.Retry || r.Policy == nil || !r.CountFailure {
			continue
		}
		most = max(most, r.Policy.MaxAttempts)
	}
	return most
}

// attemptsLeft returns how many attempts that count a run may have, besides those of the task's
// other runs: 0 is no limit, less is none.
func (w *worker) attemptsLeft(ctx context.Context, t *task, run string) (int, error) {
	limit, generation := maxAttempts(w.table), w.stock[t.ID].Generation
	if limit == 0 {
		return 0, nil
	}
	for a, err := range w.store.AllAttempts(ctx, t.ID) {
		if err != nil {
			return 0, broke("%w", err)
		}
		if a.Generation == generation && a.Run != run && a.Counted.Or(false) {
			limit--
		}
	}
	return cmp.Or(max(limit, 0), -1), nil
}

// nextRun names a new run of the task.
func (w *worker) nextRun(ctx context.Context, t *task) (string, error) {
	runs, err := w.store.Runs(ctx, t.ID)
	if err != nil {
		return "", broke("%w", err)
	}
	generation, n := w.stock[t.ID].Generation, 1
	for _, r := range runs {
		if r.Generation == generation {
			n++
		}
	}
	return fmt.Sprintf("%s.%d.%d", plain(t.ID), generation, n), nil
}

// maxPlain bounds the part of a run's name that is the task's.
const maxPlain = 60

// plain returns an ID as part of a run's name. One that has other characters than such a name is
// told apart by a fingerprint.
func plain(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
	if name == id && len(name) <= maxPlain && !strings.ContainsRune("-_", rune(name[0])) {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	return strings.TrimLeft(name[:min(len(name), maxPlain)]+"-", "-_") + hex.EncodeToString(sum[:4])
}

// note takes what the run of a task came to.
func (w *worker) note(ctx context.Context, t *task, r *executor.Result) {
	o := taskOutcome{
		ID: t.ID, Status: string(r.Status), EndReason: string(r.EndReason), Run: r.Run, Attempts: r.Iterations,
		Code: r.ErrorCode, Error: r.Error, Question: r.Question, Usage: r.Usage, Warnings: r.Warnings,
	}
	if r.Status == executor.StatusCompleted {
		o.Code, o.Error = "", ""
		w.queue.stand[t.ID] = done
		w.outcome.add(o)
		return
	}
	if about := taxonomy.Describe(r.Err); about != nil {
		o.Resolution = about.Resolution
	}
	w.failed(t, o)
	switch {
	case errors.Is(r.Err, errStopped):
		w.end("%s", w.stop.said())
	case ctx.Err() != nil || r.EndReason == executor.EndCancelled:
		w.end("interrupted")
	case r.EndReason == executor.EndRefused:
		w.end("run %s cannot be gone on with; -reset %s has its task begun anew", r.Run, t.ID)
	case r.EndsRun:
		w.end("ended by task %s, because every other task would fail likewise: %s", t.ID, o.Error)
	case r.Iterations == 0:
		w.end("no task can be begun: %s", o.Error)
	}
}

// decode reads an error of the taxonomy back from the journal.
func decode(b []byte) (error, error) {
	own, err := errs.UnmarshalError(b)
	if err != nil {
		return nil, err
	}
	return own, nil
}
