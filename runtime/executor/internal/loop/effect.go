package loop

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Env is everything outside of the loop: this process, or a workflow engine. Its results are plain
// data. It does not panic or retain its arguments.
type Env interface {
	// Do carries out an effect.
	Do(e Effect) Outcome
	// Classify classifies a failure that the loop itself found.
	Classify(ev taxonomy.Evidence) Failure
	Now() time.Time
	// Sleep reports whether the run was cancelled meanwhile.
	Sleep(d time.Duration) (cancelled bool)
	Cancelled() bool
	// Save makes the state durable before it returns. An engine that records a history does
	// nothing.
	Save(s *State)
	Emit(e Event)
}

// The operations, as rules of taxonomies name them.
const (
	OpLoadConfig = "load_config"
	OpPrepare    = "prepare"
	OpLock       = "lock"
	OpResume     = "resume"
	OpAvailable  = "available"
	OpDetect     = "detect_changes"
	OpScope      = "scope"
	OpAsk        = "ask"
	OpSave       = "save"
	OpRevert     = "revert"
	OpBudget     = "budget"
	OpCall       = "call"
	OpValidate   = "validate_" // followed by the phase
	OpCommit     = "commit"
	OpDeliver    = "deliver"
	OpPush       = "push"
	OpPR         = "pr"
	OpFile       = "file_task"
	OpNotify     = "notify"

	// These effects report their failures as other operations, or not at all.
	OpAccept  = "accept"  // as save
	OpRecover = "recover" // as the operation that failed
	OpPause   = "pause"   // ignored
	OpUpdate  = "update"  // as prepare
	OpForward = "forward" // as a warning
)

// The sources of evidence of the executor itself.
const (
	SourceConfig    = "config"
	SourceExecutor  = "executor"
	SourceGit       = "git"
	SourceScope     = "scope"
	SourceBudget    = "budget"
	SourceValidator = "validator"
	SourceNotify    = "notify"
)

// Effect is an operation outside of the loop, as plain data. Only the fields that the operation
// uses are set.
type Effect struct {
	Op     string `json:"op"`
	Source string `json:"source"`
	// Limit is the time limit of the effect; 0 is no limit. Span is the limit of the whole
	// iteration.
	Limit time.Duration `json:"limit,omitempty"`
	Span  time.Duration `json:"span,omitempty"`
	// Graced effects are also carried out after a cancellation, until the grace ends.
	Graced    bool   `json:"graced,omitempty"`
	Run       string `json:"run"`
	Iteration int    `json:"iteration,omitempty"`
	Tier      int    `json:"tier,omitempty"`

	Prompt    *Prompt   `json:"prompt,omitempty"` // call
	Call      *Call     `json:"call,omitempty"`   // budget
	Trees     Trees     `json:"trees,omitzero"`
	Paths     Paths     `json:"paths,omitempty"` // nil means all that differ
	Approved  Paths     `json:"approved,omitempty"`
	Check     Phase     `json:"check,omitempty"`
	Title     string    `json:"title,omitempty"`
	Text      string    `json:"text,omitempty"`
	Failed    *Failure  `json:"failed,omitempty"` // recover
	Attempt   int       `json:"attempt,omitempty"`
	Lane      string    `json:"lane,omitempty"` // pause: the credential
	Until     time.Time `json:"until,omitzero"`
	Processes []Running `json:"processes,omitempty"` // resume
	State     *State    `json:"state,omitempty"`     // file_task, notify
}

// Trees are the trees that an effect or an outcome is about.
type Trees struct {
	Checked   Tree `json:"checked,omitempty"`
	Found     Tree `json:"found,omitempty"`
	Delivered Tree `json:"delivered,omitempty"`
	Committed Tree `json:"committed,omitempty"`
}

// Call describes a call that is about to be made to an [Admitter] and its parts.
type Call struct {
	Run      string `json:"run"`
	Task     string `json:"task"`
	Provider string `json:"provider"`
	// Lane is the provider and its credential.
	Lane string `json:"lane,omitempty"`
	Tier int    `json:"tier"`
	// Iteration is the iteration in which the call would be made. It counts from 1.
	Iteration int       `json:"iteration"`
	Now       time.Time `json:"now"`
	// InPlace reports that the iteration is open already.
	InPlace bool `json:"inPlace,omitempty"`
	// OverBudget reports that the budget refused the call, and the reaction was to continue.
	OverBudget bool `json:"overBudget,omitempty"`
	// RetryOf is the failure that the call retries; nil for a first call.
	RetryOf *RetryOf `json:"retryOf,omitempty"`
	// Attempt is the cost of the iteration so far, Total the cost of the run with this iteration.
	Attempt Spending `json:"attempt"`
	Total   Spending `json:"total"`
}

// RetryOf is the failure that a call retries.
type RetryOf struct {
	Code   string           `json:"code"`
	Policy *taxonomy.Policy `json:"policy,omitempty"`
	// Attempt is the number of this call in the series, from 1.
	Attempt int           `json:"attempt"`
	Wait    time.Duration `json:"wait,omitempty"`
}

// Outcome is the result of an effect.
type Outcome struct {
	// Failure is nil after success.
	Failure *Failure `json:"failure,omitempty"`
	// Cancelled reports that the run was cancelled, or its grace is over; then nothing failed.
	Cancelled bool `json:"cancelled,omitempty"`

	Answer   *Answer       `json:"answer,omitempty"` // possible with a failure, too
	Trees    Trees         `json:"trees,omitzero"`
	Count    int           `json:"count,omitempty"`
	Bad      []Judged      `json:"bad,omitempty"`
	More     int           `json:"more,omitempty"`
	Mode     string        `json:"mode,omitempty"`  // of the guard
	Paths    Paths         `json:"paths,omitempty"` // paths that differ, bounded
	Left     Paths         `json:"left,omitempty"`  // changes in no commit, bounded
	Text     string        `json:"text,omitempty"`  // a ref, a branch, an address or a command
	Commit   *CommitDone   `json:"commit,omitempty"`
	Approved bool          `json:"approved,omitempty"`
	NoPerson bool          `json:"noPerson,omitempty"`
	Took     time.Duration `json:"took,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	// Until is when the call may ask for admission again, Why the reason. Why is also the reason
	// why a branch was not forwarded. Exhausted reports that no
	// retry is left.
	Until     time.Time `json:"until,omitzero"`
	Why       string    `json:"why,omitempty"`
	Exhausted bool      `json:"exhausted,omitempty"`
}

// Prompt is everything from which the host makes the prompt of a call.
type Prompt struct {
	Task      Task          `json:"task"`
	Iteration int           `json:"iteration"`
	Tier      string        `json:"tier,omitempty"` // its name
	Session   string        `json:"session,omitempty"`
	Reduced   bool          `json:"reduced,omitempty"`
	Answers   []string      `json:"answers,omitempty"`
	Errors    []ErrorRecord `json:"errors,omitempty"`
	Feedback  []Feedback    `json:"feedback,omitempty"`
	Mark      string        `json:"mark"`
}

// Answer is the result of a call that the run continues with.
type Answer struct {
	Text     string `json:"text,omitempty"`
	Signal   Signal `json:"signal,omitempty"`
	Question string `json:"question,omitempty"`
	Session  string `json:"session,omitempty"`
	Usage    Usage  `json:"usage,omitzero"`
}

// Host carries out the effects of runs in a process. It turns errors, deadlines and panics into
// plain data. It serves several runs concurrently if its collaborators do.
type Host interface {
	// Do carries out an effect. It does not panic. A failure after ctx ended is reported as a
	// cancellation.
	Do(ctx context.Context, e Effect) Outcome
	// Fail classifies an error and returns it as data, with its chain of reactions.
	Fail(err error, source, op string) Failure
	// Attach opens the working tree of a run, if this process does not have it open. An environment
	// in which several processes carry out the effects of one run calls it before an effect.
	Attach(ctx context.Context, run string) error
	// Release unlocks the working tree of a run. If the run is completed and all changes are
	// checked, it also removes everything that was stored for the run, except saved attempts.
	Release(s *State) error
	// Observe passes an event of a run to the observer.
	Observe(s *State, e Event)
	// Result returns the result of a state.
	Result(s *State) *Result
}

// WithHooks returns a context for [Host].Do. Emit receives the events of the effect, such as the
// progress of a call. Started receives each process that the effect starts; if it returns an error,
// the process is ended. Both may be nil.
func WithHooks(ctx context.Context, emit func(Event), started func(Running) error) context.Context {
	return context.WithValue(ctx, hooksKey{}, Hooks{Emit: emit, Started: started})
}

// HooksOf returns the callbacks of a context; each may be nil.
func HooksOf(ctx context.Context) Hooks {
	h, _ := ctx.Value(hooksKey{}).(Hooks)
	return h
}

// Hooks are the callbacks of an effect to its run.
type Hooks struct {
	Emit    func(Event)
	Started func(Running) error
}

type hooksKey struct{}
