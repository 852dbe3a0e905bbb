package executor

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Config is what an [Executor] works with. Table, Classify and Provider or Tiers are required; what
// else is nil or zero is left out, or is as its comment says.
type Config struct {
	// Table is the taxonomy's table, of a profile if one is wanted, with the run's own overrides
	// (Table.Override).
	Table taxonomy.Table
	// Classify gives failures their codes.
	Classify Classifier
	// Decode reads an error back from the JSON that its package wrote: a generated package's
	// UnmarshalError, as a func that returns error. It is required with a Journal, because a run
	// cannot be resumed without it.
	Decode func(b []byte) (error, error)

	// Setup is the host's own part of the setup, such as reading its configuration. A run begins
	// with it, and what is wrong with it is a failure like any other: it has a code, and is in the
	// result, the log and the notification. An error that does not say so itself is one of source
	// "config" and op "load_config". With a Setup there need not be a Provider, as long as it
	// fails.
	Setup func(ctx context.Context) error

	// Provider does the work.
	Provider Provider
	// Tiers are the providers of the taxonomy's tiers, by name. Without a Provider the first tier
	// that has one begins.
	Tiers map[string]Provider

	Workspace Workspace
	Guard     Guard
	Validator Validator
	Journal   Journal
	// Lanes are the waits that runs share; nil shares them with nobody.
	Lanes     retry.SharedWait
	Clock     retry.Clock  // retry.System
	Random    retry.Random // math/rand/v2
	Observer  Observer
	Asker     Asker
	Recoverer Recoverer
	// Gate bounds what all runs that share it do with a provider together, where policies have a
	// budget; nil bounds nothing.
	Gate retry.Breaker
	// Adaptive moves the numbers of policies that say `adapt`, and learns from each call; nil
	// leaves them as they are.
	Adaptive *retry.Adaptive
	// Preventer takes measures against failures that are likely; nil takes none. Checker runs the
	// checks that it asks for; without one they count as passed, with a warning.
	Preventer Preventer
	Checker   Checker
	// Learners are told what became of each call. They are not told of calls that a resumed run
	// replays.
	Learners []retry.Learner
	Filer    Filer
	Notifier Notifier
	Budget   Budget

	// Limits bound a run.
	Limits Limits
	// Deliver is how far finished work goes.
	Deliver Delivery
	// Continue holds iterations in one conversation as long as it works.
	Continue bool
	// ApproveUnattended allows what a person would have to be asked about, if there is none to ask.
	// Otherwise that is a denial.
	ApproveUnattended bool
	// DryRun runs the setup, makes the first prompt and calls nobody.
	DryRun bool
	// Markers are what a provider ends its answers with.
	Markers Markers
	// Prompt makes the prompt of an iteration; nil is [DefaultPrompt].
	Prompt func(PromptInput) string
	// CommitMessage makes the message of a commit; nil uses the task's title.
	CommitMessage func(t Task, iteration int, paths []string) string
}

// Delivery is how far finished work goes.
type Delivery uint8

// The deliveries; each includes the ones before it.
const (
	DeliverNothing     Delivery = iota // changes stay in the working tree
	DeliverCommits                     // what is allowed and valid is committed
	DeliverPush                        // and pushed when the task is done
	DeliverPullRequest                 // and a pull request opened
)

// Limits bound a run. A zero limit has the default that is named.
type Limits struct {
	// Iterations is how many iterations a run may have; 50.
	Iterations int
	// Failures is how many failures in a row block it; 3.
	Failures int
	// Attempts is how many failures that count a task may have in all, in a row or not; 0 is no
	// limit.
	Attempts int
	// Iteration is how long an iteration's calls may take; 10 minutes.
	Iteration time.Duration
	// Check is how long a check that `prevent` asks for may take, within the iteration; 1 minute.
	Check time.Duration
	// Run is how long the whole run may take, waits included; 0 is no limit. A run that is resumed
	// has it anew.
	Run time.Duration
	// Deadline is when the run must be over; zero is no limit.
	Deadline time.Time
	// Grace is how long is given, after a cancellation, to judging and putting back what was
	// changed; 30 seconds. The Filer and the Notifier have as long each, whatever the end.
	Grace time.Duration
	// Feedback is how many bytes of feedback a prompt has at most; 16 KiB.
	Feedback int
}

// Task is what a run is about.
type Task struct {
	// Run names the run: letters, digits, '-', '_' and '.', 1 to 100 of them. A run of that name
	// which the journal knows is gone on with. Empty is a new name.
	Run string
	// ID names the task.
	ID string
	// Title is one line for people and commits; empty is the ID.
	Title string
	// Prompt is the task for the provider.
	Prompt string
}

// Markers are lines by which a provider says how its task stands. They count in the final answer
// only, as whole lines.
type Markers struct {
	// Done is the line that says that the task is done; "TASK COMPLETE" unless set.
	Done string
	// Blocked begins the line that says that a person is needed; ": " and the question may follow;
	// "BLOCKED" unless set.
	Blocked string
}

// PromptInput is what a prompt is made of.
type PromptInput struct {
	Task      Task
	Iteration int
	// Continued reports that the provider knows the conversation so far.
	Continued bool
	Markers   Markers
	// Feedback is fenced, scrubbed and bounded already; empty when there is none.
	Feedback string
	// Introduced reports that Feedback itself says what it is, and what of it others have said.
	Introduced bool
}
