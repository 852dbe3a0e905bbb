package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/prevent"
	"github.com/errgen/errgen/runtime/executor/recovery"
	"github.com/errgen/errgen/runtime/executor/terminal"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/report/predict"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

const (
	// maxWait is the longest wait that a failure may request: GitHub renews its quota every hour.
	maxWait = time.Hour
	// maxLines limits the shown lines of a skill's output.
	maxLines = 5
)

// session runs skills. They share waits, breakers and learned numbers, so a rate limit that one
// skill meets delays the others.
type session struct {
	out    io.Writer
	screen executor.Observer
	log    *slog.Logger // nil is no log
	stop   bool         // after the first skill that fails

	reporter  *report.Reporter
	runs      report.Runs
	admission executor.Admission
	clock     retry.Clock
}

func newSession(out io.Writer, clock retry.Clock) *session {
	model := predict.New()
	return &session{
		out: out, clock: clock, screen: terminal.New(out),
		reporter: report.NewReporter(report.ReporterOptions{
			Clock: clock, Groups: report.GroupOptions{ByCode: taxonomy.Some(true)},
		}),
		admission: executor.Admission{
			// The skills of a session run one after the other, so their waits need no jitter.
			Lanes:   retry.NewSharedWait(clock, func() float64 { return 0 }),
			Breaker: breaker.New(breaker.Options{}), Adaptive: retry.NewAdaptive(),
			Learners: []retry.Learner{model}, Preventer: prevent.New(model, errs.Table, nil),
		},
	}
}

// job is a skill that is ready to be run.
type job struct {
	skill   *skill
	handler *recovery.Handler
}

// load reads the skills and makes their handlers. The error joins those of all skills.
func (s *session) load(ctx context.Context, files []string, profile string) (jobs []*job, err error) {
	var wrong []error
	for _, file := range files {
		sk, err := loadSkill(file)
		if err == nil {
			var j *job
			j, err = s.prepare(ctx, sk, profile)
			jobs = append(jobs, j)
		}
		wrong = append(wrong, err)
	}
	return jobs, errors.Join(wrong...)
}

func (s *session) prepare(ctx context.Context, sk *skill, profile string) (*job, error) {
	table, err := sk.table(profile)
	if err != nil {
		return nil, err
	}
	o, err := sk.tools(ctx)
	if err != nil {
		return nil, err
	}
	o.Lanes, o.Clock, o.MaxWait = s.admission.Lanes, s.clock, maxWait
	o.Waiting = func(strategy string, d time.Duration) { s.line("%s waits %s", strategy, d.Round(time.Millisecond)) }
	standard, err := recovery.New(o)
	if err != nil {
		return nil, fmt.Errorf("%s: tools: %w", sk.path, err)
	}
	observers := []executor.Observer{s.screen}
	if s.log != nil {
		observers = append(observers, executor.Slog(s.log, table))
	}
	h, err := recovery.NewHandler(recovery.Config{
		Table: table, Classify: detect.Classifier(errs.Explain, detect.WithTable(table)),
		Recoverer: strategies{standard}, Sink: s.reporter, Runs: &s.runs,
		Observer:      executor.Observers(observers...),
		StatusSources: []string{"github"}, Clock: s.clock, Timeout: sk.Timeout, Admission: s.admission,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sk.path, err)
	}
	return &job{sk, h}, nil
}

// run runs the skills until one fails with a reaction that ends the session, and reports whether
// all of them succeeded.
func (s *session) run(ctx context.Context, jobs []*job) (all bool) {
	all = true
	for _, j := range jobs {
		if ctx.Err() != nil {
			return false
		}
		c := &command{skill: j.skill}
		out := j.handler.Handle(ctx, j.skill.operation(c.run))
		all = all && out.Success()
		if !out.Success() && (s.stop || out.Result.EndsRun) {
			return false
		}
		lines := strings.Split(c.output, "\n")
		for _, line := range lines[max(0, len(lines)-maxLines):] {
			if line != "" {
				s.line("%s", line)
			}
		}
	}
	return all
}

// line prints a line between those of the screen. Its text is not trusted.
func (s *session) line(format string, args ...any) {
	fmt.Fprintf(s.out, "  | %s\n", terminal.Printable(taxonomy.Redact(fmt.Sprintf(format, args...))))
}

// strategies implements the taxonomy's strategies. If the taxonomy names a strategy that
// recovery.Standard does not have, this does not compile until the type has a method for it.
type strategies struct{ *recovery.Standard }

var _ errs.Strategies = strategies{}

// Recover runs the strategy that a failure's reaction names.
func (s strategies) Recover(ctx context.Context, failed taxonomy.RecoveryRequest) error {
	return errs.Recover(ctx, s, failed)
}
