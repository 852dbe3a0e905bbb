package executor

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Status is the status of a run that is over. It follows from the [EndReason].
type Status string

// The statuses.
const (
	StatusCompleted Status = "completed"
	StatusFailed    Status = "failed"
	StatusBlocked   Status = "blocked"
	StatusCancelled Status = "cancelled"
)

// EndReason is why a run ended.
type EndReason string

// The end reasons.
const (
	EndCompleted      EndReason = "completed"
	EndDryRun         EndReason = "dry_run"
	EndFatal          EndReason = "fatal"            // a reaction aborted
	EndMaxFailures    EndReason = "max_failures"     // too many failures in a row
	EndAttemptsUsedUp EndReason = "attempts_used_up" // too many failures in all
	EndRetriesUsedUp  EndReason = "retries_used_up"  // a policy was exhausted, and the run blocked
	EndMaxIterations  EndReason = "max_iterations"
	EndDeadline       EndReason = "deadline"       // the run's time
	EndBlocked        EndReason = "blocked"        // a reaction blocked
	EndBlockedSignal  EndReason = "blocked_signal" // the provider needs a person
	EndLadderUsedUp   EndReason = "ladder_used_up" // there is no higher tier
	EndCancelled      EndReason = "cancelled"
	EndRefused        EndReason = "refused" // the run cannot be resumed
)

// Status returns the status of the reason. The status of an unknown reason is failed.
func (r EndReason) Status() Status {
	switch r {
	case EndCompleted, EndDryRun:
		return StatusCompleted
	case EndMaxFailures, EndRetriesUsedUp, EndMaxIterations, EndDeadline, EndBlocked, EndBlockedSignal, EndLadderUsedUp:
		return StatusBlocked
	case EndCancelled:
		return StatusCancelled
	}
	return StatusFailed
}

// Result is the result of a run. It marshals to JSON, and back except for Err. Secrets in it are
// masked, also in paths.
type Result struct {
	Run       string    `json:"run"`
	Task      string    `json:"task"`
	Status    Status    `json:"status"`
	EndReason EndReason `json:"endReason"`
	// EndsRun reports that the reaction which ended the task ends every other task too.
	EndsRun bool `json:"endsRun,omitempty"`
	// Resumed reports that an earlier process of the run died.
	Resumed bool `json:"resumed,omitempty"`

	// Error is the message of the last error; empty after success.
	Error string `json:"error,omitempty"`
	// ErrorCategory, ErrorCode and ErrorDetails are those of the last error; empty after success.
	ErrorCategory string          `json:"errorCategory,omitempty"`
	ErrorCode     string          `json:"errorCode,omitempty"`
	ErrorDetails  json.RawMessage `json:"errorDetails,omitempty"`
	// Err is the last error itself, for errors.Is and errors.As. After a cancellation without an
	// error it is the cause of the context.
	Err error `json:"-"`

	// Errors are the errors in order. If there are many, they are the first and the last ones.
	// ErrorCount counts all errors.
	Errors     []ErrorRecord `json:"errors,omitempty"`
	ErrorCount int           `json:"errorCount"`
	// Iterations counts the iterations, Calls the calls in them.
	Iterations int `json:"iterations"`
	Calls      int `json:"calls"`
	// Failures is the counter of failures in a row at the end, Counted the failures in all.
	Failures int `json:"failures"`
	Counted  int `json:"counted"`
	// Waits are the waits between iterations and calls. If there are many, they are the first and
	// the last ones.
	Waits  []Wait   `json:"waits,omitempty"`
	Waited Duration `json:"waited"`
	// Reactions counts the reactions by name.
	Reactions map[string]int `json:"reactions,omitempty"`

	// Commits are the commits that were made, CommittedFiles the paths in them.
	Commits        []CommitDone `json:"commits,omitempty"`
	CommittedFiles []string     `json:"committedFiles,omitempty"`
	// UncommittedFiles are allowed changes of this run that are in no commit.
	UncommittedFiles []string `json:"uncommittedFiles,omitempty"`
	// UncheckedFiles are changes that were not judged, or could not be reverted. They are saved.
	UncheckedFiles []string `json:"uncheckedFiles,omitempty"`
	// SavedRefs are the refs of saved reverted and unchecked work.
	SavedRefs   []string `json:"savedRefs,omitempty"`
	Pushed      bool     `json:"pushed,omitempty"`
	PullRequest string   `json:"pullRequest,omitempty"`

	// Usage is the known cost of all calls.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens and UnknownCost count the calls whose usage is unknown; see [Spending].
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
	// Text is the provider's last answer, bounded; after a dry run the prompt.
	Text string `json:"text,omitempty"`
	// Question is the question for a person if the run is blocked.
	Question string `json:"question,omitempty"`
	// Warnings are problems that did not change the outcome.
	Warnings []string `json:"warnings,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt"`

	// State is the final state. It must not be changed.
	State *RunState `json:"-"`
}

// Spending returns the cost of the run.
func (r *Result) Spending() Spending {
	return Spending{Calls: r.Calls, Usage: r.Usage, UnknownTokens: r.UnknownTokens, UnknownCost: r.UnknownCost}
}

// NewResult returns the result of a state. If the last error occurred in another process, decode
// reads it. Decode may be nil.
func NewResult(s *RunState, decode func([]byte) (error, error)) *Result {
	h := Host{cfg: Config{Decode: decode}}
	return h.result(s)
}

func (h *Host) result(s *RunState) *Result {
	r := &Result{
		Run: s.Task.Run, Task: s.Task.ID, Status: s.End.Status(), EndReason: s.End, EndsRun: s.EndsRun,
		Resumed: s.Resumed, Errors: slices.Clone(s.Errors), ErrorCount: s.ErrorCount, Iterations: s.Iter.Number,
		Calls: s.Spent.Calls, Failures: s.Failures, Counted: s.Counted, Waits: s.Waits, Waited: s.Waited,
		Reactions: s.Reactions, Commits: slices.Clone(s.Commits), UncommittedFiles: maskedPaths(s.Uncommitted),
		UncheckedFiles: maskedPaths(s.Unchecked), SavedRefs: s.Refs, Pushed: s.Pushed, PullRequest: s.PullRequest,
		Usage: s.Spent.Usage, UnknownTokens: s.Spent.UnknownTokens, UnknownCost: s.Spent.UnknownCost, Text: s.Text,
		Question: s.Question, Warnings: s.Warnings, StartedAt: s.Began, EndedAt: s.Ended, State: s,
	}
	for i := range r.Errors {
		r.Errors[i].Files = maskedPaths(r.Errors[i].Files)
	}
	for i := range r.Commits {
		r.Commits[i].Paths = maskedPaths(r.Commits[i].Paths)
		r.CommittedFiles = append(r.CommittedFiles, r.Commits[i].Paths...)
	}
	slices.Sort(r.CommittedFiles)
	r.CommittedFiles = slices.Compact(r.CommittedFiles)
	if last := s.LastError; last != nil && r.Status != StatusCompleted {
		r.Error, r.ErrorCategory, r.ErrorCode, r.ErrorDetails = last.Message, last.Category, last.Code, last.Details
		if r.Err = last.err; r.Err == nil {
			r.Err = h.decode(last.Wire)
		}
		if r.Err == nil {
			r.Err = plainFailure(last.Message)
		}
	}
	return r
}

// cancelledBy adds the cause of a cancellation to a result without an error.
func (r *Result) cancelledBy(cause error) {
	if r.EndReason == EndCancelled && r.Err == nil && cause != nil {
		r.Err, r.Error = cause, text.Error(cause, maxMessage)
	}
}
