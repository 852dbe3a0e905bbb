package executor

import (
	"encoding/json"
	"time"
)

// Status is how a run stands. It follows from the [EndReason].
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
	EndAttemptsUsedUp EndReason = "attempts_used_up" // the task's attempts
	EndRetriesUsedUp  EndReason = "retries_used_up"  // a policy was used up, and then blocks
	EndMaxIterations  EndReason = "max_iterations"
	EndDeadline       EndReason = "deadline"       // the run's time
	EndBlocked        EndReason = "blocked"        // a reaction blocked
	EndBlockedSignal  EndReason = "blocked_signal" // the provider asked for a person
	EndLadderUsedUp   EndReason = "ladder_used_up"
	EndCancelled      EndReason = "cancelled"
	EndRefused        EndReason = "refused" // a run that cannot be gone on with
)

// Status returns the status that follows from r; an unknown reason is a failure.
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

// Result is what a run came to. It marshals to JSON, and back but for Err. Paths in it that look
// like secrets are masked.
type Result struct {
	Run       string    `json:"run"`
	Task      string    `json:"task"`
	Status    Status    `json:"status"`
	EndReason EndReason `json:"endReason"`
	// EndsRun reports that the reaction which ended the task ends every other task too.
	EndsRun bool `json:"endsRun,omitempty"`
	// Resumed reports that the run went on after its process had died.
	Resumed bool `json:"resumed,omitempty"`

	// Error is what the last error said; empty after success.
	Error string `json:"error,omitempty"`
	// ErrorCategory, ErrorCode and ErrorDetails are those of the last error, for ends that are not
	// a success; empty when it has none.
	ErrorCategory string          `json:"errorCategory,omitempty"`
	ErrorCode     string          `json:"errorCode,omitempty"`
	ErrorDetails  json.RawMessage `json:"errorDetails,omitempty"`
	// Err is the last error itself, for errors.Is and errors.As. A run that was cancelled without
	// one has the cause of its context, and that in Error, without a code.
	Err error `json:"-"`

	// Errors are all errors, in order; of very many the first and the last.
	Errors []ErrorRecord `json:"errors,omitempty"`
	// ErrorCount counts them all.
	ErrorCount int `json:"errorCount"`
	// Iterations counts the iterations that were begun, Calls the calls in them.
	Iterations int `json:"iterations"`
	Calls      int `json:"calls"`
	// Failures is the counter of consecutive failures at the end, Counted all failures that
	// counted.
	Failures int `json:"failures"`
	Counted  int `json:"counted"`
	// Waits are the waits between iterations and calls; of very many the first and the last.
	Waits []Wait `json:"waits,omitempty"`
	// Waited is how long they took together.
	Waited Duration `json:"waited"`
	// Reactions counts what was done, by the name of the reaction.
	Reactions map[string]int `json:"reactions,omitempty"`

	// Commits are the commits that were made, CommittedFiles the paths in them.
	Commits        []CommitDone `json:"commits,omitempty"`
	CommittedFiles []string     `json:"committedFiles,omitempty"`
	// UncommittedFiles are allowed changes of this run that are in no commit.
	UncommittedFiles []string `json:"uncommittedFiles,omitempty"`
	// UncheckedFiles are changes that nobody has judged, or that were not or could not be put back.
	// They are saved, and what the workspace keeps for the run stays.
	UncheckedFiles []string `json:"uncheckedFiles,omitempty"`
	// SavedRefs are where reverted and unchecked work was saved.
	SavedRefs   []string `json:"savedRefs,omitempty"`
	Pushed      bool     `json:"pushed,omitempty"`
	PullRequest string   `json:"pullRequest,omitempty"`

	// Usage is what all calls cost, as far as that is known.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens and UnknownCost count the calls of which it is not; see [Spending].
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
	// Text is the provider's last answer, bounded; for a dry run the prompt.
	Text string `json:"text,omitempty"`
	// Question is what a person is asked when the run is blocked.
	Question string `json:"question,omitempty"`
	// Warnings are what went wrong without changing the outcome.
	Warnings []string `json:"warnings,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt"`
}

// Wait is a wait between iterations or calls.
type Wait struct {
	Iteration int `json:"iteration"`
	// the code, "retry" where there is none, "lane", "breaker", or "prevent" with the likely code
	For  string   `json:"for"`
	Took Duration `json:"took"`
}
