package executor

import "github.com/errgen/errgen/runtime/executor/internal/loop"

// Unlimited is a limit of [Limits] that permits any number, or any time.
const Unlimited = loop.Unlimited

// The values of a run. Package internal/loop declares them, because the loop passes them on; its
// documentation describes their fields.
type (
	// Task is the task of a run.
	Task = loop.Task
	// Limits limit a run. Zero means the documented default, [Unlimited] no limit.
	Limits = loop.Limits
	// RunState is the whole state of a run, which a [Store] stores. It marshals to JSON and back
	// without loss.
	RunState = loop.State
	// RunInfo describes a run in a [Store].
	RunInfo = loop.RunInfo
	// Reopening describes how a person continues a run that is over and not completed.
	Reopening = loop.Reopening
	// Result is the result of a run. It marshals to JSON, and back except for Err. Secrets in it
	// are masked, even in paths.
	Result = loop.Result
	// History is the part of a run's state that its [Result] contains too.
	History = loop.History
	// ErrorRecord is an error as a run records it.
	ErrorRecord = loop.ErrorRecord
	// CommitDone is a commit that was made.
	CommitDone = loop.CommitDone
	// Wait is a wait between iterations or calls.
	Wait = loop.Wait
	// PromptInput is the input of a prompt.
	PromptInput = loop.PromptInput
	// Markers are lines by which a provider reports the state of its task.
	Markers = loop.Markers
	// Event is an event of a run. Fields that do not apply are zero. Its texts are untrusted, with
	// secrets masked.
	Event = loop.Event
	// Process identifies a process, even if another process has its number by now.
	Process = loop.Process
	// Usage is the cost of calls. An unknown value is absent, which differs from zero.
	Usage = loop.Usage
	// Spending is the cost of several calls.
	Spending = loop.Spending
	// Call describes a call that is about to be made, to the parts of an [Admission].
	Call = loop.Call
	// Tree names a tree of files in a [Space].
	Tree = loop.Tree
	// Change is a path that differs between two trees.
	Change = loop.Change
	// Paths are paths in a state. Their JSON preserves all bytes.
	Paths = loop.Paths
)

// Status is the status of a run that is over. It follows from the [EndReason].
type Status = loop.Status

// The statuses.
const (
	StatusCompleted = loop.StatusCompleted
	StatusFailed    = loop.StatusFailed
	StatusBlocked   = loop.StatusBlocked
	StatusCancelled = loop.StatusCancelled
)

// EndReason is why a run ended.
type EndReason = loop.EndReason

// The end reasons.
const (
	EndCompleted      = loop.EndCompleted
	EndDryRun         = loop.EndDryRun
	EndFatal          = loop.EndFatal          // a reaction aborted
	EndMaxFailures    = loop.EndMaxFailures    // too many failures in a row
	EndAttemptsUsedUp = loop.EndAttemptsUsedUp // too many failures in all
	EndRetriesUsedUp  = loop.EndRetriesUsedUp  // a policy was exhausted, and the run blocked
	EndMaxIterations  = loop.EndMaxIterations
	EndDeadline       = loop.EndDeadline      // the run's time
	EndBlocked        = loop.EndBlocked       // a reaction blocked
	EndBlockedSignal  = loop.EndBlockedSignal // the provider needs a person
	EndLadderUsedUp   = loop.EndLadderUsedUp  // there is no higher tier
	EndCancelled      = loop.EndCancelled
	EndRefused        = loop.EndRefused // the run cannot be resumed
)

// EventKind is a kind of event.
type EventKind = loop.EventKind

// The kinds of events, with the fields of [Event] that they set besides Kind, At, Run, Task and
// Iteration.
const (
	RunStarted       = loop.RunStarted       // Text: "resumed" for a resumed run
	IterationStarted = loop.IterationStarted // Tier, Session
	CallStarted      = loop.CallStarted      // Source, Tier
	Progressed       = loop.Progressed       // Text
	CallEnded        = loop.CallEnded        // Source, Tier, Took, Usage
	ErrorClassified  = loop.ErrorClassified  // Err, Evidence, Op, Source, Text: the reason
	// Err, Op, Source, Reaction, Action, Exhausted, Attempt, MaxAttempts, Until if it waits
	ReactionTaken = loop.ReactionTaken
	Waiting       = loop.Waiting   // Until, Text: the reason, as in [Wait]
	Waited        = loop.Waited    // Took
	Reverted      = loop.Reverted  // Files
	Asked         = loop.Asked     // Files, Text: approved or denied
	Validated     = loop.Validated // Op, Took, Err if it failed
	Committed     = loop.Committed // Op, Files, Text: the commit
	// Op: deliver, forward, push or pr, Text: the branch, or the address of the pull request
	Delivered = loop.Delivered
	Escalated = loop.Escalated // Tier
	// For, Op, Source, Reaction, Attempt, MaxAttempts, Text: the strategy; Err if it failed
	Recovered      = loop.Recovered
	Warned         = loop.Warned         // Text
	IterationEnded = loop.IterationEnded // Took
	RunEnded       = loop.RunEnded       // Result
)

// Delivery selects how finished work is delivered.
type Delivery = loop.Delivery

// The deliveries; each includes the ones before it.
const (
	DeliverNothing     = loop.DeliverNothing     // changes stay in the working tree of the run
	DeliverCommits     = loop.DeliverCommits     // allowed and valid changes are committed to a branch
	DeliverPush        = loop.DeliverPush        // and pushed when the task is done
	DeliverPullRequest = loop.DeliverPullRequest // and a pull request is opened
)

// Verdict is a [Guard]'s judgement of one path. A greater one takes precedence. The zero Verdict
// counts as [Forbidden].
type Verdict = loop.Verdict

// The verdicts.
const (
	Allowed   = loop.Allowed
	NeedsAsk  = loop.NeedsAsk  // a person decides
	Outside   = loop.Outside   // not among the allowed paths
	Forbidden = loop.Forbidden // among the forbidden paths
)

// Phase is when a [Validator] checks.
type Phase = loop.Phase

// The phases of checks. A plan can have further ones before a commit; see [Config].Checks.
const (
	PreCommit = loop.PreCommit
	PrePush   = loop.PrePush
	PrePR     = loop.PrePR
)

// Signal is the state of the task that a provider reports.
type Signal = loop.Signal

// The signals.
const (
	SignalNone    = loop.SignalNone    // there is more to do
	SignalDone    = loop.SignalDone    // the task is done
	SignalBlocked = loop.SignalBlocked // a person is needed
)

// ChangeKind is how a path changed. A rename is a removal and an addition.
type ChangeKind = loop.ChangeKind

// The kinds of changes.
const (
	Added    = loop.Added
	Modified = loop.Modified
	Removed  = loop.Removed
)
