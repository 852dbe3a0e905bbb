package executor

import (
	"context"
	"encoding/json"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// Journal keeps what a run must remember if its process dies, as entries in order; what a run knows
// is what its entries say. One Journal value serves one run at a time.
type Journal interface {
	// Open takes the run for this process and returns its entries, oldest first; none for a new
	// run. A run that another living process has is evidence of source "executor", op "lock".
	Open(ctx context.Context, run string) ([]Entry, error)
	// Append makes the entry durable before it returns. An entry is there wholly or not at all.
	// That another living process has the task of a run that begins is evidence like that of
	// [Journal.Open].
	Append(ctx context.Context, e Entry) error
	// Close lets go of the run. The entries stay.
	Close() error
}

// Point is where in a run an entry was written.
type Point string

// The points, in the order in which they come about.
const (
	PointBegun      Point = "begun"      // P0: Begun
	PointStarted    Point = "started"    // P1: Started
	PointProcess    Point = "process"    // P1: Process, once a call has one; or, with Op, once a check has one
	PointAnswered   Point = "answered"   // P2: Answered
	PointApproved   Point = "approved"   // Approved, before it is used
	PointReverting  Point = "reverting"  // P3: Judged, before anything is put back
	PointCommitting Point = "committing" // P4: Committing
	PointCommitted  Point = "committed"  // Committed
	PointPushed     Point = "pushed"     // P5
	PointPROpened   Point = "pr_opened"  // P5: PullRequest
	PointClosed     Point = "closed"     // P6: Closed
	PointEnded      Point = "ended"      // P7: Ended
	PointNotified   Point = "notified"   // P7, once everybody was told
)

// Entry is a line of a journal. Only what its point says is set. Secrets in it are masked.
type Entry struct {
	Point     Point     `json:"point"`
	At        time.Time `json:"at"`
	Iteration int       `json:"iteration,omitempty"`

	Begun      *Begun      `json:"begun,omitempty"`
	Started    *Started    `json:"started,omitempty"`
	Process    *Process    `json:"process,omitempty"`
	Answered   *Answered   `json:"answered,omitempty"`
	Approved   []Change    `json:"approved,omitempty"`
	Judged     *Judged     `json:"judged,omitempty"`
	Committing *Committing `json:"committing,omitempty"`
	Committed  *CommitDone `json:"committed,omitempty"`
	Closed     *Closed     `json:"closed,omitempty"`
	Ended      *Result     `json:"ended,omitempty"`
	// PullRequest is the address of one that was opened.
	PullRequest string `json:"pullRequest,omitempty"`
	// Op is the operation that Process carries out, a check's; empty is a call.
	Op string `json:"op,omitempty"`
}

// Begun is what a run began with.
type Begun struct {
	Version int     `json:"version"` // of the journal's form; 1
	Run     string  `json:"run"`
	Task    string  `json:"task"`
	Dir     string  `json:"dir,omitempty"`
	Checked Checked `json:"checked,omitempty"`
	// Taxonomy, Config and Prompt are fingerprints of what the run was begun with.
	Taxonomy string `json:"taxonomy"`
	Config   string `json:"config"`
	Prompt   string `json:"prompt"`
}

// Started is a call that begins.
type Started struct {
	Call     int    `json:"call"` // within the iteration, from 1
	Provider string `json:"provider"`
	Tier     int    `json:"tier,omitempty"`
	Session  string `json:"session,omitempty"`
	// Executor is the process that runs the run.
	Executor Process `json:"executor,omitzero"`
	// Waits are the waits since the last entry that has some.
	Waits []Wait `json:"waits,omitempty"`
	// Lane names whose waits the call shares.
	Lane string `json:"lane,omitempty"`
	// RetryOf is the failure that the call is the retry of; nil for a first call.
	RetryOf *RetryOf `json:"retryOf,omitempty"`
}

// Answered is how a call ended. One that was not started was not made: the check before it failed.
type Answered struct {
	Call     int          `json:"call"`
	Signal   Signal       `json:"signal,omitempty"`
	Question string       `json:"question,omitempty"`
	Text     string       `json:"text,omitempty"` // bounded
	Session  string       `json:"session,omitempty"`
	Usage    Usage        `json:"usage,omitzero"`
	Error    *ErrorRecord `json:"error,omitempty"`
	Took     Duration     `json:"took"`
	// Cancelled reports that the run was cancelled meanwhile: the rest says what the call cost, and
	// no answer is gone on from.
	Cancelled bool `json:"cancelled,omitempty"`
}

// Judged is what was found after a call and is about to be put back.
type Judged struct {
	Changes  []Change      `json:"changes"`
	Verdicts []Verdict     `json:"verdicts"`
	Errors   []ErrorRecord `json:"errors,omitempty"`
	Revert   []Change      `json:"revert,omitempty"`
	Ref      string        `json:"ref,omitempty"`
	// Passed is the last check that had passed, and whose changes are among Changes.
	Passed Phase `json:"passed,omitempty"`
	// Call is the call whose work is put back before another one; 0 at the end of an iteration.
	Call int `json:"call,omitempty"`
}

// Committing is a commit that is about to be made.
type Committing struct {
	Paths   []string `json:"paths"`
	Checked Checked  `json:"checked"`
	Message string   `json:"message"`
}

// CommitDone is a commit that was made, and the paths that it changes.
type CommitDone struct {
	ID    string   `json:"id"`
	Paths []string `json:"paths"`
}

// Closed is all that a run knows at the end of an iteration; a later entry of the kind replaces it.
type Closed struct {
	Failures    int                    `json:"failures"`
	Counted     int                    `json:"counted"` // failures that counted, in the whole task
	Count       bool                   `json:"count"`   // whether this iteration counted
	Clean       bool                   `json:"clean"`   // whether it was answered, and nothing is left of an error
	Streaks     map[string]retry.State `json:"streaks,omitempty"`
	Feedback    []Feedback             `json:"feedback,omitempty"`
	Tier        int                    `json:"tier,omitempty"`
	Session     string                 `json:"session,omitempty"`
	Reduced     bool                   `json:"reduced,omitempty"`
	NotBefore   time.Time              `json:"notBefore,omitzero"`
	Checked     Checked                `json:"checked,omitempty"`
	Pending     []string               `json:"pending,omitempty"`
	Added       []string               `json:"added,omitempty"` // those of Pending that were not there before
	Uncommitted []string               `json:"uncommitted,omitempty"`
	Errors      []ErrorRecord          `json:"errors,omitempty"` // of this iteration
	// what was found changed in this iteration; masked, and of very much the first and the last
	Changed   []string     `json:"changed,omitempty"`
	LastError *ErrorRecord `json:"lastError,omitempty"`
	Unchecked []string     `json:"unchecked,omitempty"`
	Pushed    bool         `json:"pushed,omitempty"`
	Waits     []Wait       `json:"waits,omitempty"` // since the last entry that has some
	// End is why the run ends with this iteration; empty when it goes on.
	End EndReason `json:"end,omitempty"`
	// EndsRun reports that it ends every other task too.
	EndsRun bool `json:"endsRun,omitempty"`
	// RetryOf is the failure that the next call is the retry of; nil when it is none.
	RetryOf *RetryOf `json:"retryOf,omitempty"`
	// Recoveries is how often strategies have run, for each operation, code and strategy, in the
	// whole run.
	Recoveries map[string]int `json:"recoveries,omitempty"`
}

// ErrorRecord is an error as it can be kept.
type ErrorRecord struct {
	Iteration int    `json:"iteration"`
	Op        string `json:"op,omitempty"`
	Source    string `json:"source,omitempty"`
	Code      string `json:"code,omitempty"`
	// Understood is the code that Code was taken for, where that is another one: one that the
	// taxonomy does not know is its fallback.
	Understood string `json:"understood,omitempty"`
	Category   string `json:"category,omitempty"`
	Message    string `json:"message"`
	// Fingerprint is that of the evidence, see [taxonomy.Evidence.Fingerprint].
	Fingerprint string `json:"fingerprint,omitempty"`
	// Files are what the executor knows that the error is about.
	Files []string `json:"files,omitempty"`
	// Details are the error's context.
	Details json.RawMessage `json:"details,omitempty"`
	// Reaction and Action are what was done about it.
	Reaction string `json:"reaction,omitempty"`
	Action   string `json:"action,omitempty"`
	// Decided is what that was decided with besides the taxonomy; nil when there was nothing.
	Decided *Decided `json:"decided,omitempty"`
	Counted bool     `json:"counted,omitempty"`
	// Overcome reports that another try took its place.
	Overcome bool `json:"overcome,omitempty"`
	// Wire is the whole error as its package wrote it; an executor reads it back with
	// [Config.Decode].
	Wire json.RawMessage `json:"wire,omitempty"`
	Why  string          `json:"why,omitempty"`
}

// Feedback is what the next prompt tells the provider about an error.
type Feedback struct {
	Iteration int    `json:"iteration"`
	Code      string `json:"code,omitempty"`
	Text      string `json:"text"`
}
