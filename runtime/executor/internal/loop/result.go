package loop

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
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
// masked, even in paths.
type Result struct {
	Run       string    `json:"run"`
	Task      string    `json:"task"`
	Status    Status    `json:"status"`
	EndReason EndReason `json:"endReason"`
	History

	// Error is the message of the last error; empty after success.
	Error string `json:"error,omitempty"`
	// ErrorCategory, ErrorCode and ErrorDetails are those of the last error; empty after success.
	ErrorCategory string          `json:"errorCategory,omitempty"`
	ErrorCode     string          `json:"errorCode,omitempty"`
	ErrorDetails  json.RawMessage `json:"errorDetails,omitempty"`
	// Err is the last error itself, for errors.Is and errors.As. It matches [taxonomy.AlreadyDone] if
	// its effect is done. After a cancellation without an error it is the cause of the context.
	Err error `json:"-"`

	// Iterations counts the iterations. Spending is the known cost of all calls.
	Iterations int `json:"iterations"`
	Spending

	// CommittedFiles are the paths in the commits.
	CommittedFiles []string `json:"committedFiles,omitempty"`
	// UncommittedFiles are allowed changes of this run that are in no commit.
	UncommittedFiles []string `json:"uncommittedFiles,omitempty"`
	// UncheckedFiles are changes that were not judged, or could not be reverted. They are saved.
	UncheckedFiles []string `json:"uncheckedFiles,omitempty"`
	// SavedRefs are the refs of saved reverted and unchecked work.
	SavedRefs []string `json:"savedRefs,omitempty"`

	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt"`

	// State is the final state. It must not be changed.
	State *State `json:"-"`
}

// NewResult returns the result of a state. If the last error occurred in another process, decode
// returns it from its JSON, or nil.
func NewResult(s *State, decode func(wire []byte) error) *Result {
	r := &Result{
		Run: s.Task.Run, Task: s.Task.ID, Status: s.End.Status(), EndReason: s.End, History: s.History,
		Iterations: s.Iter.Number, Spending: s.Spent, UncommittedFiles: MaskedPaths(s.Uncommitted),
		UncheckedFiles: MaskedPaths(s.Unchecked), SavedRefs: s.Refs, StartedAt: s.Began, EndedAt: s.Ended, State: s,
	}
	r.Errors, r.Commits = slices.Clone(s.Errors), slices.Clone(s.Commits)
	for i := range r.Errors {
		r.Errors[i].Files = MaskedPaths(r.Errors[i].Files)
	}
	for i := range r.Commits {
		r.Commits[i].Paths = MaskedPaths(r.Commits[i].Paths)
		r.CommittedFiles = append(r.CommittedFiles, r.Commits[i].Paths...)
	}
	slices.Sort(r.CommittedFiles)
	r.CommittedFiles = slices.Compact(r.CommittedFiles)
	if last := s.LastError; last != nil && r.Status != StatusCompleted {
		r.Error, r.ErrorCategory, r.ErrorCode, r.ErrorDetails = last.Message, last.Category, last.Code, last.Details
		if r.Err = last.Err; r.Err == nil {
			r.Err = decode(last.Wire)
		}
		if r.Err == nil {
			r.Err = PlainFailure(last.Message)
		}
		if retry.EffectOf(r.Err) == taxonomy.EffectDone {
			r.Err = doneError{r.Err}
		}
	}
	return r
}

// doneError makes an error match taxonomy.AlreadyDone.
type doneError struct{ error }

func (e doneError) Unwrap() error        { return e.error }
func (e doneError) Is(target error) bool { return target == taxonomy.AlreadyDone }

// MaskedPaths returns the paths with secrets masked. The paths of a state are not masked, because a
// resumed run needs them.
func MaskedPaths(paths []string) []string {
	masked := slices.Clone(paths)
	for i, p := range masked {
		masked[i] = taxonomy.Redact(p)
	}
	return masked
}
