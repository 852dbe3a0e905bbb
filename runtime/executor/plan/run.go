package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Verifier checks the facts of a plan and returns evidence of those that do not hold. Package
// verify implements it.
type Verifier interface {
	// Needs returns evidence of source "plan" and the given op for each missing prerequisite.
	//
	//errgen:errors foreign
	Needs(ctx context.Context, op string, needs []Need) []*taxonomy.Evidence
	// Gate returns evidence of source "check" for each command that fails.
	//
	//errgen:errors foreign
	Gate(ctx context.Context, gate []Command) []*taxonomy.Evidence
	// Criteria returns evidence of source "check" for each criterion that does not hold.
	//
	//errgen:errors foreign
	Criteria(ctx context.Context, criteria []Criterion) []*taxonomy.Evidence
}

// Config configures a [Runner]. Table, Classify, Tiers, Facts and Workspace are required, and Store
// for [Runner.Run] and [Runner.Answer].
type Config struct {
	// Table is the generated table, or a profile of it.
	Table    taxonomy.Table
	Classify executor.Classifier
	// Tiers are the providers by the names of the taxonomy's tiers. A tier without a provider is
	// skipped.
	Tiers map[string]executor.Provider
	Facts Verifier

	// Workspace is the working tree of the plan, which all its steps share. Its run has the plan's
	// name.
	Workspace executor.Workspace
	// KeepBranch leaves the commits of a completed plan on their branch; see executor.Config.
	KeepBranch bool
	// Store returns a new store for each run. The run of a review is open inside that of its step.
	Store func() executor.Store
	// Guard returns the guard of a step that may change only files that match the patterns. Without
	// patterns, the step may change any file. If Guard is nil, everything is allowed.
	//
	//errgen:errors foreign
	Guard func(files []string) (executor.Guard, error)
	// Dirty returns the uncommitted changes, which stop a new plan. If Dirty is nil, they are
	// not checked.
	//
	//errgen:errors foreign
	Dirty func(ctx context.Context) ([]string, error)
	// Admission limits the calls of all steps and reviews.
	Admission executor.Admission
	Clock     retry.Clock   // retry.System by default
	Grace     time.Duration // of a cancelled run; 30 seconds by default

	// ReviewPlan makes the highest tier review the plan before its first step.
	ReviewPlan bool
	// KeepWork leaves the work of all steps uncommitted in the tree.
	KeepWork bool
	// Turns limits the calls of a step; 0 is 150.
	Turns int
	// Call limits the time of a call; 0 is 10 minutes. StepTime limits the time of a step; 0 is no
	// limit.
	Call, StepTime time.Duration
	// Observe gets the events of each step and of its reviews; it may be nil.
	Observe func(step string, e executor.Event)
}

// Runner carries out plans.
type Runner struct {
	cfg    Config
	tiers  []taxonomy.Tier
	labels []label
}

// New returns a runner.
func New(cfg Config) (*Runner, error) {
	var problems []error
	require := func(ok bool, what string) {
		if !ok {
			problems = append(problems, errors.New(what))
		}
	}
	require(cfg.Table.Taxonomy != nil, "a table")
	require(cfg.Classify != nil, "a classifier")
	require(cfg.Facts != nil, "a verifier of facts")
	require(cfg.Workspace != nil, "a workspace")
	r := &Runner{cfg: cfg}
	if cfg.Table.Taxonomy != nil {
		r.tiers = cfg.Table.Taxonomy.Tiers
		require(r.next(-1) >= 0, "a provider for a tier of the taxonomy")
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("plan: the configuration lacks %w", errors.Join(problems...))
	}
	r.cfg.Turns, r.cfg.Call = cmp.Or(cfg.Turns, 150), cmp.Or(cfg.Call, 10*time.Minute)
	r.labels = labelsOf(cfg)
	return r, nil
}

// labelsOf returns the codes that the taxonomy's rules accept as labels of an agent.
func labelsOf(cfg Config) (labels []label) {
	for _, code := range cfg.Table.Taxonomy.Codes() {
		ev := &taxonomy.Evidence{Source: "agent", Op: "execute", Attributes: map[string]string{"label": code.Value}}
		err, _ := cfg.Classify(ev, ev.Source, ev.Op)
		if taxonomy.CodeOf(err) == code.Value && code.Value != cfg.Table.Taxonomy.Fallback {
			labels = append(labels, label{code.Value, code.Doc})
		}
	}
	return labels
}

// provider returns the provider of a tier, or nil.
func (r *Runner) provider(tier int) executor.Provider {
	if r.tiers[tier].Person {
		return nil
	}
	return r.cfg.Tiers[r.tiers[tier].Name]
}

// next returns the next higher tier with a provider, or -1.
func (r *Runner) next(tier int) int {
	for i := tier + 1; i < len(r.tiers); i++ {
		if r.provider(i) != nil {
			return i
		}
	}
	return -1
}

// highest returns the highest tier with a provider.
func (r *Runner) highest() (tier int) {
	for i := r.next(-1); i >= 0; i = r.next(i) {
		tier = i
	}
	return tier
}

// Result is the state of a plan.
type Result struct {
	Run      string       `json:"run"`
	Status   string       `json:"status"` // completed, blocked, failed or cancelled
	Steps    []StepResult `json:"steps"`
	Question *Question    `json:"question,omitempty"` // if the plan is blocked or failed
	// Branch is the branch of the person's repository that has the commits. It is empty if there are
	// none, or the branch that the person has checked out has them.
	Branch   string   `json:"branch,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// StepResult is the state of a step.
type StepResult struct {
	ID     string `json:"id"`
	Status string `json:"status"` // open, or as in a Result
	// Tier is the tier that completed the step; empty if a person did.
	Tier string `json:"tier,omitempty"`
	// Instructions are the instructions as the tier corrected them, or empty.
	Instructions string                 `json:"instructions,omitempty"`
	Errors       []executor.ErrorRecord `json:"errors,omitempty"`
	Commits      []executor.CommitDone  `json:"commits,omitempty"`
	// State is the state of the step's run; nil for an open step, and in JSON.
	State *executor.RunState `json:"-"`
}

// Question is a question to a person about a step.
type Question struct {
	Step   string             `json:"step"`
	Reason executor.EndReason `json:"reason"`
	Asks   string             `json:"asks,omitempty"`
	Tried  []Tried            `json:"tried,omitempty"` // the newest last
}

// Tried is a failure that led to a question.
type Tried struct {
	Tier string `json:"tier"`
	executor.ErrorRecord
}

// Answer is the answer of a person.
type Answer struct {
	// Step is the step of the question. It is an error if the plan does not have it.
	Step string
	// Text is in every later prompt of the step. It may be empty, for example if the cause is fixed
	// or the step was edited.
	Text string
	// ByHand reports that the person carried out the step. The work is verified before any tier is
	// called.
	ByHand bool
}

// Run carries out a plan, or resumes it. To resume a blocked or failed step, use [Runner.Answer].
// The error is about the plan's store or definition; failures of steps are in the result.
func (r *Runner) Run(ctx context.Context, name string, p *Plan) (*Result, error) {
	return r.CarryOut(name, p, nil, &local{r, ctx})
}

// Answer resumes a blocked or failed step, and then the plan. Steps that are not done may have been
// edited.
func (r *Runner) Answer(ctx context.Context, name string, p *Plan, a Answer) (*Result, error) {
	return r.CarryOut(name, p, &a, &local{r, ctx})
}

// CarryOut carries out a plan whose runs are elsewhere, such as in a workflow engine. It is
// deterministic. A nil answer means [Runner.Run].
func (r *Runner) CarryOut(name string, p *Plan, answer *Answer, runs Runs) (*Result, error) {
	if answer != nil && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.ID == answer.Step }) {
		return nil, fmt.Errorf("the plan has no step %s to answer", text.Quote(answer.Step, 40))
	}
	res := &Result{Run: name, Status: "completed"}
	end := func() (*Result, error) {
		ended := runs.End(Ending{Name: name, Plan: p, Completed: res.Status == "completed"})
		if res.Branch, res.Warnings = ended.Branch, ended.Warnings; ended.Failed && res.Status == "completed" {
			res.Status = "blocked"
		}
		return res, nil
	}
	var before []*executor.RunState
	prepared := false
	for i := range p.Steps {
		s := &p.Steps[i]
		run := p.stepRun(name, i)
		task := executor.Task{Run: run, ID: run, Title: s.Title, Prompt: p.fingerprint(*s)}
		st, err := runs.Peek(task.Run)
		if err != nil {
			return nil, fmt.Errorf("read the state of step %s: %w", s.ID, err)
		}
		given := answer
		if given != nil && given.Step != s.ID {
			given = nil
		}
		over := st != nil && st.Step == loop.StepOver
		switch {
		case over && st.End == executor.EndCompleted && st.Task.Prompt != task.Prompt:
			return nil, fmt.Errorf("step %s is done, and the plan defines it differently now", s.ID)
		case over && st.End == executor.EndCompleted:
		case over && st.End != executor.EndCancelled && given == nil:
		case st == nil && given == nil && repeated(before) != nil:
			st = r.stopped(task, repeated(before))
		default:
			part := Part{Name: name, Plan: p, Step: i, Begun: i > 0 || st != nil, Prepare: !prepared}
			var how executor.Reopening
			if given != nil {
				how.Answer, how.ByHand = taxonomy.Redact(given.Text), given.ByHand
				part.Answered = given.Text != ""
			}
			if st, err = runs.Run(part, task, how); err != nil {
				return nil, fmt.Errorf("step %s: %w", s.ID, err)
			}
			prepared = true
		}
		before = append(before, st)
		res.Steps = append(res.Steps, r.result(s, st))
		if st.End == executor.EndCompleted {
			continue
		}
		if res.Status = string(st.End.Status()); res.Status != "cancelled" {
			res.Question = r.question(s, st)
		}
		for _, open := range p.Steps[i+1:] {
			res.Steps = append(res.Steps, StepResult{ID: open.ID, Status: "open"})
		}
		return end()
	}
	return end()
}

const inARow = 3

// repeated returns an error that each of the last three steps had before it was done, or nil. A
// step with an answer of a person does not count.
func repeated(before []*executor.RunState) *executor.ErrorRecord {
	if len(before) < inARow {
		return nil
	}
	last := before[len(before)-inARow:]
	if slices.ContainsFunc(last, func(st *executor.RunState) bool { return len(st.Answers) > 0 }) {
		return nil
	}
	for i := range last[0].Errors {
		e := &last[0].Errors[i]
		had := func(st *executor.RunState) bool {
			return slices.ContainsFunc(st.Errors, func(o executor.ErrorRecord) bool {
				return endsTurn(&o) && o.Fingerprint == e.Fingerprint
			})
		}
		if endsTurn(e) && had(last[1]) && had(last[2]) {
			return e
		}
	}
	return nil
}

// endsTurn reports whether the error ended the tier's turn. Temporary errors do not, because they
// are retried.
func endsTurn(e *executor.ErrorRecord) bool {
	return e.Fingerprint != "" && !e.Retried && e.Action != taxonomy.Retry.String() &&
		e.Action != taxonomy.RetryOperation.String()
}

// stopped returns the state of a step that was not begun because of a repeated error.
func (r *Runner) stopped(task executor.Task, e *executor.ErrorRecord) *executor.RunState {
	return &executor.RunState{
		Task: task, Step: loop.StepOver, End: executor.EndBlocked, LastError: e,
		Tier: ladderIndex(r.next(-1)), History: executor.History{
			Errors: []executor.ErrorRecord{*e},
			Question: fmt.Sprintf("the last %d steps failed with the same error before they were done: "+
				"does something affect all steps?", inARow),
		},
	}
}

func (r *Runner) result(s *Step, st *executor.RunState) StepResult {
	out := StepResult{ID: s.ID, Status: string(st.End.Status()), Errors: st.Errors, Commits: st.Commits, State: st}
	tier := tierIndex(st.Tier)
	if st.End != executor.EndCompleted || st.Text == "" || tier < 0 || tier >= len(r.tiers) {
		return out
	}
	out.Tier = r.tiers[tier].Name
	if corrected := blockOf(st.Text).Instructions; r.tiers[tier].Classifies && corrected != s.Instructions {
		out.Instructions = strings.TrimSpace(corrected)
	}
	return out
}

// blockOf returns the report of an accepted answer, with its block.
func blockOf(answer string) *report {
	raw, _ := cutClaim(answer)
	r := &report{raw: raw}
	r.readBlock()
	return r
}

func (r *Runner) question(s *Step, st *executor.RunState) *Question {
	q := &Question{Step: s.ID, Reason: st.End, Asks: st.Question, Tried: r.tried(st.Errors)}
	for _, t := range slices.Backward(q.Tried) {
		r := &report{raw: t.Report}
		r.readBlock()
		q.Asks = cmp.Or(q.Asks, r.Needed)
	}
	if st.LastError != nil {
		q.Asks = cmp.Or(q.Asks, st.LastError.Message)
	}
	return q
}

const maxTried = 6

// tried returns the latest failures that were not retried in place, the newest last.
func (r *Runner) tried(errors []executor.ErrorRecord) []Tried {
	var out []Tried
	for _, e := range errors {
		if tier := tierIndex(e.Tier); !e.Retried && tier >= 0 && tier < len(r.tiers) {
			out = append(out, Tried{r.tiers[tier].Name, e})
		}
	}
	return out[max(0, len(out)-maxTried):]
}

// The executor's ladder begins with its single provider, which a plan does not have.
func ladderIndex(tier int) int { return tier + 1 }
func tierIndex(ladder int) int { return ladder - 1 }
