package plan

import (
	"cmp"
	"context"
	"embed"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// checkReview is the phase of the review, after the criteria.
const checkReview executor.Phase = "review"

// work is a run of a plan: a step that is being carried out, whose work it checks, or a review.
type work struct {
	*Runner
	Part
	step *Step
	tree *stepTree
}

// Executor returns the executor of a run of a plan. Its tiers are the run's ladder.
func (r *Runner) Executor(p Part) (*executor.Executor, error) {
	w := &work{Runner: r, Part: p, step: &p.Plan.Steps[p.Step]}
	cfg := executor.Config{
		Table: r.cfg.Table, Classify: r.cfg.Classify, Decode: notDecoded, Tiers: map[string]executor.Provider{},
		Admission: r.cfg.Admission, Clock: r.cfg.Clock, Strict: true, Markers: executor.Markers{Off: true},
		Limits: executor.Limits{Iterations: r.cfg.Turns, Failures: executor.Unlimited, Iteration: r.cfg.Call,
			Grace: r.cfg.Grace},
	}
	if r.cfg.Store != nil {
		cfg.Store = r.cfg.Store()
	}
	if r.cfg.Observe != nil {
		cfg.Observer = observer(func(e executor.Event) { r.cfg.Observe(w.step.ID, e) })
	}
	configure := w.configureStep
	if p.Review != nil {
		configure = w.configureReview
	}
	if err := configure(&cfg); err != nil {
		return nil, err
	}
	return executor.New(cfg)
}

func (w *work) configureStep(cfg *executor.Config) error {
	w.tree = &stepTree{Workspace: w.cfg.Workspace, plan: w.Name, step: w.step.ID, begun: w.Begun}
	cfg.Workspace, cfg.Validator = w.tree, w
	if clone, ok := w.cfg.Workspace.(executor.Clone); ok {
		cfg.Workspace = stepClone{clone, w.tree}
	}
	cfg.Checks = []executor.Phase{executor.PreCommit}
	if w.Plan.Review || w.step.Review {
		cfg.Checks = append(cfg.Checks, checkReview)
	}
	if !w.cfg.KeepWork {
		cfg.Deliver = executor.DeliverCommits
	}
	if w.cfg.Guard != nil {
		guard, err := w.cfg.Guard(w.step.Files)
		if err != nil {
			return err
		}
		cfg.Guard = guard
	}
	cfg.Limits.Run = w.cfg.StepTime
	if w.Prepare {
		cfg.Setup = w.prepare
	}
	lowest := w.next(-1)
	for i := range w.tiers {
		if p := w.provider(i); p != nil {
			t := &tier{Provider: p, of: &w.tiers[i], step: w.step.ID, claim: stepClaim}
			if i == lowest {
				t.needs = func(ctx context.Context) error {
					return w.combined(w.cfg.Facts.Needs(ctx, "verify", w.Plan.needsOf(w.step)), false)
				}
			}
			cfg.Tiers[t.of.Name] = t
		}
	}
	cfg.Prompt = w.prompt
	return nil
}

// configureReview configures a run without files.
func (w *work) configureReview(cfg *executor.Config) error {
	for i := w.Review.By; i < len(w.tiers); i++ {
		if p := w.provider(i); p != nil {
			cfg.Tiers[w.tiers[i].Name] = &tier{Provider: p, of: &w.tiers[i], step: w.step.ID, claim: reviewClaim}
		}
	}
	cfg.Prompt = func(p executor.PromptInput) string {
		data := &prompt{Plan: w.Plan, Step: w.step, Mark: p.Mark, Report: w.Review.Report, Changed: w.Review.Changed}
		return data.render(w.Review.Of)
	}
	return nil
}

type observer func(executor.Event)

func (o observer) Observe(e executor.Event) { o(e) }

// notDecoded decodes no error, because a plan uses only the records of errors.
func notDecoded([]byte) (error, error) { return nil, nil }

func (w *work) prompt(p executor.PromptInput) string {
	index := slices.IndexFunc(w.tiers, func(t taxonomy.Tier) bool { return t.Name == p.Tier })
	of := &w.tiers[index]
	data := &prompt{Plan: w.Plan, Step: w.step, Mark: p.Mark, Classifies: of.Classifies, Answers: p.Answers}
	if of.Classifies {
		data.Labels = w.labels
	}
	all := w.tried(p.Errors)
	if index != w.next(-1) && len(all) > 0 {
		purpose := of.Purpose
		if purpose == taxonomy.PurposeNone {
			purpose = taxonomy.PurposeDiagnosis
		}
		data.Purpose = cmp.Or(all[len(all)-1].Purpose, purpose.String())
	}
	if !p.Reduced {
		data.Tried = all
	}
	return data.render("step")
}

// prepare returns the first kind of fault before any step runs: faults of the plan, uncommitted
// changes, missing prerequisites that no open step makes, and findings of the plan's review.
func (w *work) prepare(ctx context.Context) error {
	var found []*taxonomy.Evidence
	for _, p := range Check(w.Plan) {
		found = append(found, &taxonomy.Evidence{Source: "plan", Op: "prepare", Type: p.Kind, Text: p.String(),
			Attributes: map[string]string{"step": p.Step}})
	}
	if err := w.combined(found, false); err != nil {
		return err
	}
	if w.cfg.Dirty != nil && !w.Begun {
		paths, err := w.cfg.Dirty(ctx)
		if err != nil {
			return err
		}
		if len(paths) > 0 {
			return &taxonomy.Evidence{Source: "check", Op: "clean", Type: "unclean", Files: paths,
				Text: "the working tree has changes that are not committed: " + strings.Join(paths, " ")}
		}
	}
	if w.tree.space == nil { // the facts are those of the working tree
		space, err := w.tree.Open(ctx, w.Name)
		if err != nil {
			return err
		}
		defer func() { _ = space.Close(false) }()
	}
	needs, open := slices.Clone(w.Plan.Needs), map[string]bool{}
	for _, s := range w.Plan.Steps[w.Step:] {
		needs, open[s.ID] = append(needs, s.Needs...), true
	}
	needs = slices.DeleteFunc(needs, func(n Need) bool { return open[n.MadeBy] })
	err := w.combined(w.cfg.Facts.Needs(ctx, "prepare", needs), false)
	if err != nil || !w.cfg.ReviewPlan || w.Answered { // a person has answered the review's findings
		return err
	}
	review, err := w.review(ctx, w.Plan.reviewRun(w.Name), &Review{Of: "plan", By: w.highest()})
	if err != nil {
		return err
	}
	return w.combined(review.evidenceOf("plan", "prepare", ""), false)
}

// combined returns one piece of evidence with the texts of all: the first one that is retryable or
// not, or otherwise the first one. It returns nil if there is no evidence.
func (w *work) combined(found []*taxonomy.Evidence, retryable bool) error {
	if len(found) == 0 {
		return nil
	}
	best := slices.IndexFunc(found, func(ev *taxonomy.Evidence) bool {
		err, _ := w.cfg.Classify(ev, ev.Source, ev.Op)
		return w.cfg.Table.Retryable(err) == retryable
	})
	one := *found[max(best, 0)]
	var texts []string
	for _, ev := range found {
		texts = append(texts, ev.Text)
	}
	one.Text = strings.Join(texts, "\n")
	return &one
}

// Validate implements executor.Validator. It checks the prerequisites, the gate and the criteria,
// or runs the review. Then it checks that the tree is unchanged.
func (w *work) Validate(ctx context.Context, c executor.Check) error {
	if c.Started != nil {
		ctx = context.WithValue(ctx, startedKey{}, c.Started)
	}
	before, err := w.tree.space.Snapshot(ctx)
	if err != nil {
		return err
	}
	if c.Phase == checkReview {
		err = w.reviewWork(ctx, c)
	} else {
		err = w.verify(ctx)
	}
	if err != nil || ctx.Err() != nil {
		return err
	}
	after, err := w.tree.space.Snapshot(ctx)
	if err != nil || after == before {
		return err
	}
	changes, err := w.tree.space.Diff(ctx, before, after)
	if err != nil {
		return err
	}
	return &taxonomy.Evidence{Source: "check", Op: "clean", Type: "unclean", Files: paths(changes),
		Text: "the checks changed the working tree: " + strings.Join(paths(changes), " ")}
}

// End implements executor.Ender.
func (w *work) End(ctx context.Context, p executor.Process) error {
	if e, ok := w.cfg.Facts.(executor.Ender); ok {
		return e.End(ctx, p)
	}
	return nil
}

func paths(changes []executor.Change) (out []string) {
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return out
}

func (w *work) verify(ctx context.Context) error {
	if err := w.combined(w.cfg.Facts.Needs(ctx, "verify", w.Plan.needsOf(w.step)), false); err != nil {
		return err
	}
	return w.combined(append(w.cfg.Facts.Gate(ctx, w.Plan.Gate), w.cfg.Facts.Criteria(ctx, w.step.Criteria)...), true)
}

// reviewWork makes the next higher tier review the work. The highest tier reviews its own work.
func (w *work) reviewWork(ctx context.Context, c executor.Check) error {
	changes, err := w.tree.space.Diff(ctx, c.Base, c.Tree)
	if err != nil {
		return err
	}
	by := w.next(tierIndex(c.Tier))
	if by < 0 {
		by = w.highest()
	}
	raw, _ := cutClaim(c.Text)
	review, err := w.review(ctx, w.Plan.stepRun(w.Name, w.Part.Step)+".review"+strconv.Itoa(c.Iteration),
		&Review{Of: "review", By: by, Report: raw, Changed: paths(changes)})
	if err != nil {
		return err
	}
	return w.combined(review.evidenceOf("review", "review", w.step.ID), true)
}

// review makes a tier review a step or the plan. The review waits, retries and escalates to higher
// tiers like any other run.
func (w *work) review(ctx context.Context, name string, of *Review) (*report, error) {
	part := Part{Name: w.Name, Plan: w.Plan, Step: w.Step, Review: of}
	task := executor.Task{Run: name, ID: name, Prompt: of.Of}
	run := func() (*executor.RunState, error) {
		return (&local{w.Runner, ctx}).Run(part, task, executor.Reopening{})
	}
	if elsewhere, ok := ctx.Value(reviewerKey{}).(Reviewer); ok {
		run = func() (*executor.RunState, error) { return elsewhere(ctx, part, task) }
	}
	st, err := run()
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case st.End != executor.EndCompleted: // this is not a finding about the step
		ev := &taxonomy.Evidence{Source: "executor", Op: "review", Type: string(st.End),
			Text: "the review could not be made"}
		if st.LastError != nil {
			ev.Text += ": " + st.LastError.Message
		}
		return nil, ev
	}
	r := blockOf(st.Text)
	_, claim := cutClaim(st.Text)
	r.done = !strings.HasPrefix(claim, reviewClaim.name+" FAILED ")
	return r, nil
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// prompt is the data of the templates.
type prompt struct {
	Plan *Plan
	Step *Step
	Mark string // of the call: a hash that texts from elsewhere cannot contain

	// Of a step.
	Classifies bool
	Labels     []label
	Purpose    string  // of the tier's call; empty for the lowest tier
	Tried      []Tried // the failures of the step so far
	Answers    []string

	// Of a review.
	Report  string
	Changed []string
}

// label is a code that a tier may give to a failure.
type label struct{ Code, Doc string }

// render returns a prompt with secrets masked.
func (p *prompt) render(name string) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, p); err != nil {
		panic(err) // the templates and their data are this package's
	}
	return taxonomy.Redact(b.String())
}
