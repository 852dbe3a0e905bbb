package escalate

import (
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// StepState is how a step stands.
type StepState string

// The states.
const (
	StepPending   StepState = "pending"
	StepRunning   StepState = "running"
	StepDone      StepState = "done"
	StepBlocked   StepState = "blocked"   // a person has to decide or to mend something
	StepFailed    StepState = "failed"    // given up
	StepCancelled StepState = "cancelled" // the run ended while it was under way
)

// EndReason is why a run ended.
type EndReason string

// The end reasons.
//
// After [EndRevert] files are missing in the working tree, or are as a tier has left them. The
// error says which, why, and where they are kept. Once the cause is removed (space on the disk, a
// permission, a file that is neither regular nor a link) the same run is run again, which puts them
// back first. Nothing else can be answered to it than [GiveUp].
const (
	EndCompleted EndReason = "completed" // every step counts
	// blocked: the plan, or what it takes for granted, is not fit to begin with, or to end with
	EndPlan     EndReason = "plan"
	EndQuestion EndReason = "question" // blocked: the ladder led to a person
	EndLadder   EndReason = "ladder"   // blocked: there is no higher tier, and no person's
	EndBlocked  EndReason = "blocked"  // blocked: a reaction said so
	EndGuard    EndReason = "guard"    // blocked: a guard was reached
	EndFailed   EndReason = "failed"   // failed: a reaction aborted, or went on without a step
	// failed: what did not count could not be put back, so that the working tree is not as it was;
	// see below
	EndRevert    EndReason = "revert"
	EndRefused   EndReason = "refused"   // failed: a run that cannot be begun or gone on with
	EndCancelled EndReason = "cancelled" // cancelled: the context ended
)

// Status returns the status that follows from e; an unknown reason is a failure.
func (e EndReason) Status() executor.Status {
	switch e {
	case EndCompleted:
		return executor.StatusCompleted
	case EndPlan, EndQuestion, EndLadder, EndBlocked, EndGuard:
		return executor.StatusBlocked
	case EndCancelled:
		return executor.StatusCancelled
	}
	return executor.StatusFailed
}

// Role is what a tier is called for.
type Role string

// The roles.
const (
	Execute  Role = "execute"  // to carry the step out
	Diagnose Role = "diagnose" // to find out why it failed; changes nothing
	Fix      Role = "fix"      // to mend what is wrong, and carry the step out again
)

// Response is what kind of answer a failure asks for.
type Response string

// The responses. They follow from the kind of what went wrong: a fault is a cause, a failure an
// observation.
const (
	// validate, clarify: the plan or what it stands on is mended before the step is tried again
	Prevention Response = "prevention"
	Tolerance  Response = "tolerance" // retry, escalate, compensate
)

// Result is what a run came to. It marshals to JSON; texts in it are scrubbed and bounded.
type Result struct {
	Run       string          `json:"run"`
	Title     string          `json:"title,omitempty"`
	Status    executor.Status `json:"status"`
	EndReason EndReason       `json:"endReason"`
	Resumed   bool            `json:"resumed,omitempty"`

	Steps []StepResult `json:"steps"`
	// Prerequisites are what was verified before the first step, met or not.
	Prerequisites []Verification `json:"prerequisites,omitempty"`
	// Question is what a person is asked; nil when the run is not blocked.
	Question *Question `json:"question,omitempty"`
	// Error, ErrorCode and ErrorCategory are those of what ended the run; empty after success.
	Error         string `json:"error,omitempty"`
	ErrorCode     string `json:"errorCode,omitempty"`
	ErrorCategory string `json:"errorCategory,omitempty"`
	// Err is that error itself; of a result that was kept, what could be read of it.
	Err error `json:"-"`

	// Path is what happened, in order; of very much the first and the last.
	Path     []Event        `json:"path"`
	Calls    int            `json:"calls"`
	Usage    executor.Usage `json:"usage,omitzero"`
	Warnings []string       `json:"warnings,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt"`
}

// StepResult is what became of a step.
type StepResult struct {
	ID    string    `json:"id"`
	Title string    `json:"title,omitempty"`
	State StepState `json:"state"`
	// By is the tier whose work counts; empty unless the step is done.
	By string `json:"by,omitempty"`
	// Correction is how its instructions were corrected, by work that counts; nil when they were
	// not.
	Correction *Correction `json:"correction,omitempty"`
	// Attempts are the calls of tiers for it, in order: the first 100, and the last 100.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Files are what it has changed, Commit where that was committed.
	Files  []string `json:"files,omitempty"`
	Commit string   `json:"commit,omitempty"`
}

// Correction is a change of a step's instructions.
type Correction struct {
	By  string `json:"by"`
	Old string `json:"old"`
	New string `json:"new"`
	Why string `json:"why,omitempty"`
}

// Attempt is one call of a tier for a step, and what came of it.
type Attempt struct {
	// Number counts the run's calls from 1.
	Number  int              `json:"number"`
	Tier    string           `json:"tier"`
	Role    Role             `json:"role"`
	Purpose taxonomy.Purpose `json:"purpose,omitzero"`
	// Counts reports that the work was accepted.
	Counts bool `json:"counts,omitempty"`
	// Own reports that what failed is the tier itself, not the step.
	Own bool `json:"own,omitempty"`
	// Claimed is the code that the agent gave, Refused why it was not taken; empty when it was, or
	// when there was none.
	Claimed string `json:"claimed,omitempty"`
	Refused string `json:"refused,omitempty"`
	// Disagrees is what the agent says of trying again where the taxonomy, which decides, says
	// otherwise; empty otherwise.
	Disagrees string `json:"disagrees,omitempty"`

	Code      string        `json:"code,omitempty"`
	Category  string        `json:"category,omitempty"`
	Retryable bool          `json:"retryable,omitempty"`
	Kind      taxonomy.Kind `json:"kind,omitzero"`
	Response  Response      `json:"response,omitempty"`
	Reaction  string        `json:"reaction,omitempty"`
	Message   string        `json:"message,omitempty"`
	// Findings are all that was wrong, the one that decided first.
	Findings  []Finding  `json:"findings,omitempty"`
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"`
	// Unreviewed are failures of the reviewer's own, of at most 8 the last; they say nothing of the
	// work.
	Unreviewed []Finding `json:"unreviewed,omitempty"`
	// Said is what the tier said, bounded.
	Said string `json:"said,omitempty"`
	// Files are what it changed; SavedRef is where that was saved before it was put back.
	Files    []string          `json:"files,omitempty"`
	SavedRef string            `json:"savedRef,omitempty"`
	Usage    executor.Usage    `json:"usage,omitzero"`
	Took     executor.Duration `json:"took"`
}

// Finding is one thing that was wrong.
type Finding struct {
	Source  string `json:"source,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

// Question is what a person is asked. Texts in it that others have written are bounded, and
// scrubbed.
type Question struct {
	// Step is what it is about; empty for the plan as a whole.
	Step string `json:"step,omitempty"`
	// Why is why nobody below could do it, in one line.
	Why string `json:"why"`
	// Tried says who tried what, and why that failed, in order.
	Tried []Tried `json:"tried,omitempty"`
	// Needed is what has to be decided or provided.
	Needed []string `json:"needed,omitempty"`
	// Evidence is what the last failure was reported with.
	Evidence string `json:"evidence,omitempty"`
}

// Tried is one attempt, as a person reads it.
type Tried struct {
	By       string `json:"by"`
	What     string `json:"what"`
	Why      string `json:"why"`
	Code     string `json:"code,omitempty"`
	SavedRef string `json:"savedRef,omitempty"`
}

// AnswerAction is what a person wants done.
type AnswerAction string

// The answers. Whatever is answered, a step counts only when what the plan demands of it is
// verified.
const (
	// TryAgain goes on with the step, or with the checks of the plan, with the answer in the
	// prompt. It is the zero action.
	TryAgain AnswerAction = ""
	// DoneByHand says that the person has carried out the step: it is verified, and no tier is
	// asked. To a question about a plan whose steps are over it says that the plan is clear as it
	// is: a [PlanReviewer] is not asked any more, and only what plan.Check finds still counts.
	DoneByHand AnswerAction = "done"
	// GiveUp fails the step, and ends the run. To a run that ended with [EndRevert] it is what
	// there is besides running it again: what does not count is put back first, and when that fails
	// once more the run ends all the same ([EndFailed]), with a warning that the tree stays as it
	// is. What a person has to take out of it then is in the refs that the warning names, until the
	// run is taken up again.
	GiveUp AnswerAction = "give_up"
)

// Answer is a person's answer to a [Question], or what a person says to a run that has failed.
type Answer struct {
	Action AnswerAction
	// Text is said to the tier that goes on. It is trusted: it stands outside the fence.
	Text string
	// By names the person; empty is the tier's name.
	By string
}
