package escalate

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Config is what a [Runner] works with. Calls and Verifier are required.
//
// Of the reaction to a step's failure these parts count: Action, Policy, HonorRetryAfter, Strategy,
// To, Purpose and Then, and of Session that it is reduced: the next try is then told nothing of the
// tries before and at most 4 KiB of what was reported, and [executor.Request.Reduced] is set. The
// others say what the executor does within a call, and count for failures of a tier's own: here
// everything that does not count is put back whatever Revert says, what failed is in the next
// prompt whatever FeedBack says, and LogLevel and LogMessage are left to whoever observes.
type Config struct {
	// Calls is how tiers are called, and what with: Table, Classify, Decode, Tiers (the providers
	// of the taxonomy's tiers, by name), Workspace, Guard, Asker, Recoverer, Clock, Random, Lanes,
	// Gate, Adaptive, Learners, Preventer, Checker, Budget, Observer and Journal. The tiers' own
	// failures, such as that one is rate-limited, are reacted to by it. What an escalation decides
	// itself must not be set: Setup, Provider, Validator, Filer, Notifier, Limits, Deliver,
	// Continue, DryRun, Markers, Prompt, CommitMessage.
	Calls executor.Config
	// Verifier finds out whether prerequisites are there and whether a step is done. With a
	// Journal, what a [Tracked] one has left running when the process died is ended before the run
	// is gone on with.
	Verifier Verifier
	// Reviewer looks at what a tier has done before it counts; nil is nobody. Only a review can
	// find that an agent departs from its instructions. A review that cannot be made is no failure
	// of the step: its error has a reaction, which says whether it is tried again or a person is
	// asked.
	Reviewer Reviewer
	// PlanReviewer looks at the plan before the first step and after the last; nil leaves it to
	// what plan.Check finds.
	PlanReviewer PlanReviewer
	// Journal keeps what a run knows, so that it can be gone on with and answered; nil keeps
	// nothing.
	Journal Journal
	// Guards bound what a step may cost.
	Guards Guards
	// Commit commits what a step that counts has changed. Otherwise it stays in the working tree.
	Commit bool
	// Observer is told what happens; nil is nobody.
	Observer Observer
	// MaxEvidence is how many bytes of what a tier reported are passed on, in a prompt or a
	// question; 0 is 64 KiB.
	MaxEvidence int
}

// Guards bound what a step may cost. A zero guard has the default that is named.
type Guards struct {
	// Turns is how many calls a step may have in all, of all tiers and for all purposes; 150.
	Turns int
	// Time is how long one call of a tier may take, the waits for failures of the tier's own
	// included; 10 minutes. Verifiers and reviewers have limits of their own, and so have waits
	// between calls. A provider that does not heed the end of its context is waited for, and its
	// answer counts.
	Time time.Duration
	// StepTime is how long a step may take in all, from its first call on, in every process that
	// works on it; what passes while a person is asked is not in it, nor what a process has taken
	// since its state was saved last when it is killed. 0 is without bound. A call has no more time
	// than what is left of it, and a wait that is longer than that is not begun; strategies,
	// verifiers and reviewers that are under way are not ended by it.
	StepTime time.Duration
	// Repeats is how often the same error may come back although something was done about it,
	// before what follows is done instead of another try; 2.
	Repeats int
	// TierFailures is how many failures of its own in a row, over all steps, a tier may have before
	// it is passed over for the rest of the run; 3.
	TierFailures int
}

// Verifier finds out what is so. It must be safe for concurrent use, and must not change the
// working tree: what it changes while a step is judged has the work not count, and is put back. Of
// what one call of Gate or Criteria finds the first 1000 findings are looked at. After the last
// step the criteria of all steps are verified once more; what does not hold any more is warned of.
type Verifier interface {
	// Prerequisites verifies each of the prerequisites, and returns as many verifications in their
	// order. One that is not returned counts as not met.
	Prerequisites(ctx context.Context, all []plan.Prerequisite) []Verification
	// Gate runs the commands, and returns evidence of source "check" and op "gate" for each that
	// does not pass. An empty list says that all pass; nil entries are dropped. So it is for
	// criteria and reviews.
	Gate(ctx context.Context, commands []plan.Command) []*taxonomy.Evidence
	// Criteria returns evidence of source "check" and op "criteria" for each criterion that is not
	// met.
	Criteria(ctx context.Context, criteria []plan.Criterion) []*taxonomy.Evidence
}

// Verification is what came of verifying a prerequisite.
type Verification struct {
	Prerequisite plan.Prerequisite `json:"prerequisite"`
	// Step is the step that it belongs to; empty for the plan's.
	Step string `json:"step,omitempty"`
	// How says how it was verified, for people: "opened for reading".
	How string `json:"how"`
	// Failed is evidence of source "plan" and op "prepare"; nil when the prerequisite is there.
	Failed *taxonomy.Evidence `json:"failed,omitempty"`
}

// Reviewer looks at what a tier has done.
type Reviewer interface {
	// Review returns evidence of source "review" for each finding. An error says that there was no
	// review; then the findings beside it are not looked at. It is not bounded by Guards.Time, and
	// has to return when ctx ends.
	Review(ctx context.Context, in ReviewInput) ([]*taxonomy.Evidence, error)
}

// ReviewInput is what a reviewer is shown.
type ReviewInput struct {
	Run string
	// Step is the step as the plan has it.
	Step plan.Step
	// Corrected are the instructions as the tier CorrectedBy has corrected them, which is what was
	// followed; both are empty when nobody has. Whether they still ask for what the step is about
	// is for the review to find. Untrusted.
	Corrected, CorrectedBy string
	// Tier is whose work it is: a tier's, or a person's.
	Tier string
	// Report is what the tier said; untrusted.
	Report string
	// Files are what it has changed.
	Files []string
	// Dir is the working tree.
	Dir string
	// Started, unless nil, is to be called with each process that reviews, as soon as there is one.
	// When it returns an error the process is to be ended. A Reviewer that is an [executor.Ender]
	// is given it by a run with a Journal; should this process die, it is asked to end what it has
	// begun.
	Started func(executor.Process) error
}

// PlanReviewer looks at a plan. It must not change the working tree: what it changes is put back,
// kept as what a tier changes, and warned of.
type PlanReviewer interface {
	// ReviewPlan returns what is wrong with the plan. An error says that there was no review; then
	// nothing of the plan is carried out. It has to return when ctx ends.
	ReviewPlan(ctx context.Context, in PlanReviewInput) ([]plan.Fault, error)
}

// PlanReviewInput is what a reviewer of plans is shown.
type PlanReviewInput struct {
	Run string
	// Plan is the plan. Steps that are done have their instructions as they were corrected, if that
	// counts.
	Plan plan.Plan
	// AtEnd reports that every step is over; otherwise nothing, or not all, was carried out yet.
	AtEnd bool
	// Answers are what persons have said about the plan and its steps, in that order; trusted. What
	// was asked and is answered is no fault.
	Answers []string
	// Started is as in [ReviewInput].
	Started func(executor.Process) error
}
