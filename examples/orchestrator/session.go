package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
	"orchestrator.example.com/runner/planfile"
)

// session carries out one plan.
type session struct {
	*options
	doc      *planfile.Document
	name     string // of the run
	table    taxonomy.Table
	tree     *tree
	verifier *verify.Verifier
	desk     desk
	config   escalate.Config
}

// open reads and opens what the run needs.
func (o *options) open(ctx context.Context) (*session, error) {
	s := &session{options: o}
	var err error
	if s.table, err = errs.Table.Profile(taxonomy.ProfileName(o.profile)); err != nil {
		return nil, err
	}
	if s.doc, err = planfile.Read(o.plan); err != nil {
		return nil, err
	}
	if s.name, err = o.runName(); err != nil {
		return nil, err
	}
	var tiers ladder
	if !s.check {
		if tiers, err = loadLadder(s.tiers, s.plan); err != nil {
			return nil, err
		}
	}
	if err := s.checkOutputs(s.deciding(tiers)); err != nil {
		return nil, err
	}
	if s.tree, err = s.openTree(ctx, s.name); err != nil {
		return nil, err
	}
	if err := s.equip(tiers); err != nil {
		return nil, errors.Join(err, s.tree.close(o.state != ""))
	}
	return s, nil
}

// equip makes what the run works with.
func (s *session) equip(tiers ladder) error {
	if err := s.tree.apart(s.state); err != nil {
		return err
	}
	scope, err := s.scope(s.tree.Dir(), tiers)
	if err != nil {
		return err
	}
	s.tree.Watch(scope)
	made, err := s.providers(tiers, scope)
	if err != nil {
		return err
	}
	return s.configure(made, scope)
}

// providers makes the providers; to check a plan none is needed.
func (s *session) providers(all ladder, scope *scope.Scope) (map[string]executor.Provider, error) {
	made, err := all.providers(&s.desk, scope)
	if err != nil {
		return nil, err
	}
	if s.review != "" && made[s.review] == nil {
		return nil, fmt.Errorf("-review is %q, and there is no such tier", s.review)
	}
	return made, nil
}

// configure makes the configuration of the runner.
func (s *session) configure(providers map[string]executor.Provider, scope *scope.Scope) (err error) {
	if s.verifier, err = verify.New(verify.Options{Dir: s.tree.Dir()}); err != nil {
		return err
	}
	s.config = escalate.Config{
		Calls: executor.Config{
			Table: s.table, Classify: detect.Classifier(errs.Explain, detect.WithTable(s.table)), Decode: decode,
			Tiers: providers, Workspace: s.tree.Git, Guard: scope,
			Lanes: retry.NewSharedWait(retry.System, noJitter),
		},
		Verifier: s.verifier, Commit: s.commit,
		Guards: escalate.Guards{Turns: s.turns, Time: s.time, StepTime: s.stepTime},
	}
	if p := providers[s.review]; p != nil {
		o := escalate.ReviewerOptions{Findings: findings(), Dir: s.tree.Dir()}
		r := &reviewer{&s.desk, s.review, escalate.NewReviewer(p, o), escalate.NewPlanReviewer(p, o)}
		s.config.Reviewer, s.config.PlanReviewer = r, r
	}
	return s.settle()
}

// decode reads an error of the taxonomy from the JSON that it was kept as.
func decode(b []byte) (error, error) {
	e, err := errs.UnmarshalError(b)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// findings are the words for what a review can find.
func findings() []string {
	for _, c := range errs.Table.Taxonomy.Categories {
		if c.Name != taxonomy.CategoryOf(errs.CodeInterAgentMisalignment) {
			continue
		}
		for _, f := range c.Fields {
			if f.Name == "finding" {
				return f.Enum
			}
		}
	}
	return nil
}

// runPlan carries the plan out, and writes what came of it.
func (s *session) runPlan(ctx context.Context, out *checked) (*escalate.Result, error) {
	var shown io.Writer = out
	if s.quiet() {
		shown = io.Discard
	}
	lines := newTimeline(shown, s.doc.Plan, s.table)
	s.config.Observer, s.config.Calls.Observer = observers{&s.desk, lines}, &calls{&s.desk, lines}
	runner, err := escalate.New(s.config)
	if err != nil {
		return nil, fmt.Errorf("configure the run: %w", err)
	}
	r, err := s.carryOut(ctx, runner)
	if err != nil {
		return nil, err
	}
	refused := r.EndReason == escalate.EndRefused
	if !lines.shown && !refused {
		s.writeRemembered(shown, r)
		lines.rest(r)
	}
	if !refused {
		writeSteps(shown, r)
		s.writeAnswering(context.WithoutCancel(ctx), shown, r)
	}
	err = s.write(r, out)
	if err == nil && out.failed() == nil { // what nobody has seen is shown again
		err = s.forget(context.WithoutCancel(ctx), s.forgettable()...)
	}
	return r, err
}

// carryOut carries the plan out, goes on with it, or returns how it has ended. A run that is
// completed and still kept is one whose result nobody has seen, as its process died, or could not
// write; it is let go of when it is not about this plan and this tree any more.
func (s *session) carryOut(ctx context.Context, runner *escalate.Runner) (*escalate.Result, error) {
	if a := s.reply(); a != nil {
		return runner.Answer(ctx, s.name, s.doc.Plan, *a), nil
	}
	r := runner.Run(ctx, s.name, s.doc.Plan)
	if r.EndReason != escalate.EndRefused || !s.inTree() || s.endKept(ctx) != escalate.EndCompleted {
		return r, nil
	}
	if err := s.forget(ctx, escalate.EndCompleted); err != nil {
		return nil, err
	}
	return runner.Run(ctx, s.name, s.doc.Plan), nil
}

// write writes what was asked for besides.
func (s *session) write(r *escalate.Result, out io.Writer) error {
	if s.json {
		b, err := encode(r)
		if err != nil {
			return err
		}
		_, _ = out.Write(append(b, '\n')) // out keeps the error
	}
	if s.diagram != "" {
		if err := writeFile(s.diagram, diagram(r), out); err != nil {
			return err
		}
	}
	if s.corrected == "" {
		return nil
	}
	text, err := s.doc.Corrected(corrections(r))
	if err != nil {
		return err
	}
	return writeFile(s.corrected, text, out)
}

// corrections are the instructions of steps that were corrected by work that counts.
func corrections(r *escalate.Result) map[string]string {
	all := map[string]string{}
	for _, step := range r.Steps {
		if step.Correction != nil {
			all[step.ID] = step.Correction.New
		}
	}
	return all
}

// noJitter is enough, because the calls of a plan wait one after the other.
func noJitter() float64 { return 0 }
