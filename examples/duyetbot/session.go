package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/recovery"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/report/predict/prevent"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

const (
	// maxWait is the longest wait that a failure may request: GitHub renews its quota every hour.
	maxWait = time.Hour
)

// session runs skills. They share waits, breakers and learned numbers, so a rate limit that one
// skill meets delays the others.
type session struct {
	out     io.Writer
	log     *slog.Logger // nil is no log
	profile string       // replaces the profiles of the skills
	stop    bool         // after the first skill that fails

	reporter *report.Reporter
	groups   *report.Groups
	runs     report.Runs
	lanes    retry.SharedWait
	gate     retry.Breaker
	adaptive *retry.Adaptive
	model    *predict.Model
	prevent  executor.Preventer
	clock    retry.Clock
}

func newSession(out io.Writer, clock retry.Clock) *session {
	model := predict.New()
	return &session{
		out: out, clock: clock,
		reporter: report.NewReporter(report.ReporterOptions{Clock: clock}),
		groups:   report.NewGroups(report.GroupOptions{Clock: clock, ByCode: taxonomy.Some(true)}),
		lanes:    retry.NewSharedWait(clock, noJitter),
		gate:     breaker.New(breaker.Options{}),
		adaptive: retry.NewAdaptive(),
		model:    model,
		prevent:  prevent.New(model, errs.Table),
	}
}

// noJitter is no jitter, because the skills of a session run one after the other.
func noJitter() float64 { return 0 }

// run runs skills, one after the other. It reports whether all of them succeeded. An error says
// that one of them cannot be run as it is configured; then none is.
func (s *session) run(ctx context.Context, skills []*skill) (all bool, err error) {
	var ready []*job
	var wrong []error
	for _, sk := range skills {
		j, err := s.prepare(ctx, sk)
		ready, wrong = append(ready, j), append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return false, err
	}
	return s.runAll(ctx, ready), nil
}

// runAll runs the skills until one fails with a reaction that ends the session.
func (s *session) runAll(ctx context.Context, ready []*job) (all bool) {
	all = true
	for _, j := range ready {
		if ctx.Err() != nil {
			return false
		}
		out := j.run(ctx)
		all = all && out.Success()
		if !out.Success() && (s.stop || out.Result.EndsRun) {
			return false
		}
	}
	return all
}

// job is a skill that is ready to be run.
type job struct {
	skill   *skill
	shows   *shows
	handler *recovery.Handler
}

func (s *session) prepare(ctx context.Context, sk *skill) (*job, error) {
	table, err := sk.table(s.profile)
	if err != nil {
		return nil, err
	}
	shows := &shows{w: s.out, table: table, source: sk.Source, mask: sk.secrets.mask}
	recoverer, err := s.recoverer(ctx, sk, shows)
	if err != nil {
		return nil, err
	}
	h, err := recovery.NewHandler(recovery.Config{
		Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)), Recoverer: recoverer,
		Sink: report.Sinks{
			s.reporter,
			s.groups,
			shows,
		}, Runs: &s.runs, Observer: executor.Observers(shows, s.logs(table)),
		StatusSources: []string{"github"}, Clock: s.clock, Timeout: sk.Timeout,
		Admission: executor.Admission{Breaker: s.gate, Adaptive: s.adaptive, Learners: []retry.Learner{s.model},
			Preventer: s.prevent, Lanes: s.lanes},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sk.path, err)
	}
	return &job{sk, shows, h}, nil
}

func (j *job) run(ctx context.Context) recovery.Outcome {
	c := &command{skill: j.skill}
	j.shows.ctx = ctx
	j.shows.begin(j.skill)
	out := j.handler.Handle(ctx, recovery.Op{
		Name: j.skill.Name, Source: j.skill.Source, Component: j.skill.Component, Facts: j.skill.facts(), Do: c.run,
	})
	j.shows.end(out, c.output)
	return out
}

// logs returns the observer that logs at the level of the table's profile, or nil.
func (s *session) logs(table taxonomy.Table) executor.Observer {
	if s.log == nil {
		return nil
	}
	return executor.Slog(s.log, table)
}
