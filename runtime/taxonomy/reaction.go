package taxonomy

import (
	"iter"
	"time"
)

// Action is the action of a reaction. The zero Action aborts.
type Action uint8

// The actions.
const (
	Abort          Action = iota // end as failed
	Block                        // stop and wait for a person
	Continue                     // continue as if nothing had happened
	Retry                        // run the iteration again
	RetryOperation               // run only the failed operation again
	Escalate                     // hand over to a higher tier
	Recover                      // run a strategy, then retry
)

// Extent is the work that Abort and Block end.
type Extent uint8

// The extents.
const (
	ExtentTask Extent = iota // this task
	ExtentRun                // the whole run
)

// Revert selects the changes that a reaction reverts.
type Revert uint8

// The selections of changes.
const (
	RevertNone      Revert = iota
	RevertFiles            // the files that the error names
	RevertIteration        // all changes of the iteration
)

// Session selects the conversation of the next call.
type Session uint8

// The sessions.
const (
	SessionKeep    Session = iota
	SessionFresh           // a new conversation
	SessionReduced         // a new conversation, and a shorter one
)

// Purpose is the question about a failure that a tier answers first.
type Purpose uint8

// The purposes.
const (
	PurposeNone         Purpose = iota
	PurposeDiagnosis            // find the fault or the missing part
	PurposeAnalysis             // find the reason of a failure
	PurposeVerification         // find out whether the result or the expectation is wrong
)

// Resume is the point at which work resumes after a strategy.
type Resume uint8

// The points.
const (
	ResumeIteration Resume = iota
	ResumeOperation
)

// Shared selects the callers that a wait delays.
type Shared uint8

// The scopes.
const (
	SharedRun        Shared = iota
	SharedCredential        // all callers with the credential
)

// LogLevel is the level of a reaction's log entry. The zero LogLevel makes no entry.
type LogLevel uint8

// The levels.
const (
	LogNone LogLevel = iota
	LogDebug
	LogInfo
	LogWarn
	LogError
)

// Reaction declares what a program does about an error. Changing a Reaction does not change the
// table. Policy and Then point to data of the table, which must not be changed. The zero Reaction
// aborts the task.
type Reaction struct {
	// Name is the reaction's name in the taxonomy. A reaction without a name has the name of its
	// owner.
	Name string
	// Policy limits the calls and sets the waits between them. It may be nil.
	Policy *Policy
	// Then follows when the policy, the ladder or the strategy is exhausted. It is nil for actions
	// that end or continue the work. [Profile.Next] skips reactions that a profile has switched
	// off.
	Then *Reaction
	// Strategy is the strategy that Recover runs.
	Strategy string
	// LogMessage is the text of the log entry. If it is empty, the entry has the error's message.
	LogMessage string

	Action   Action
	Shared   Shared
	LogLevel LogLevel

	// CountFailure raises the counter of consecutive failures.
	CountFailure bool
	// HonorRetryAfter lets the error's hint replace the policy's delay.
	HonorRetryAfter bool

	// Agent is for programs that run agents. Other programs ignore it.
	Agent AgentReaction
}

// AgentReaction is the part of a reaction that only a program with agents carries out, such as
// package executor.
type AgentReaction struct {
	// To is the lowest tier that Escalate leads to. With Retry and a Purpose, it is the tier that
	// is asked.
	To string

	Extent  Extent
	Revert  Revert
	Session Session
	// Purpose is the question for the tier that takes over. Package plan puts it into the tier's
	// prompt. The executor ignores it.
	Purpose Purpose
	Resume  Resume

	// AcceptCompletion allows the changes that remain after the revert to complete the task, if
	// they are valid.
	AcceptCompletion bool
	// FeedBack puts the error into the provider's next prompt.
	FeedBack bool
}

// Predeclared returns the reaction without parameters of [Abort] or [Block], which applies where a
// taxonomy has no other one. It must not be changed.
func Predeclared(a Action) *Reaction { return &predeclared[a] }

var predeclared = [...]Reaction{Abort: {Name: "abort"}, Block: {Name: "block", Action: Block}}

// Retries reports whether the reaction repeats the call that failed: the iteration or the
// operation.
func (r *Reaction) Retries() bool { return r.Action == Retry || r.Action == RetryOperation }

// MaxChain is the maximum number of reactions in a chain of Then.
const MaxChain = 8

// Chain returns the reaction and its successors by Then, at most [MaxChain]. They include reactions
// that a profile has switched off; [Profile.Chain] omits those.
func (r *Reaction) Chain() iter.Seq[*Reaction] {
	return func(yield func(*Reaction) bool) {
		next := r
		for n := 0; n < MaxChain && next != nil && yield(next); n++ {
			next = next.Then
		}
	}
}

// Backoff is the growth of a delay.
type Backoff uint8

// The kinds of backoff.
const (
	Exponential Backoff = iota
	Constant
	Linear
)

// JitterKind is the random part of a delay.
type JitterKind uint8

// The kinds of jitter.
const (
	JitterNone JitterKind = iota
	JitterProportional
	JitterFull
	JitterDecorrelated
)

// Policy limits calls and sets the waits between them.
type Policy struct {
	// Name is the policy's name in the taxonomy.
	Name string
	// MaxAttempts is the maximum number of calls, including the first.
	MaxAttempts int
	// InitialDelay is the wait before the second call.
	InitialDelay time.Duration
	// MaxDelay is the longest computed wait.
	MaxDelay time.Duration
	// Multiplier is the factor of exponential growth.
	Multiplier float64
	// MaxElapsed is the maximum total time of consecutive waits; 0 is no limit.
	MaxElapsed time.Duration
	// MaxRetryAfter is the longest hint that is obeyed. After a longer one, Then follows
	// immediately. 0 is MaxDelay, or 30 seconds if that is 0 as well.
	MaxRetryAfter time.Duration
	// Jitter is the fraction of JitterProportional, from 0 to 1.
	Jitter float64

	// Adapt allows the outcomes of calls to change the numbers. Nil keeps them fixed.
	Adapt *Adapt
	// Budget limits all callers of one provider with one credential. Nil is no limit.
	Budget *Budget

	Backoff    Backoff
	JitterKind JitterKind
}

// DefaultPolicy returns a policy with a name and the numbers that apply where none are declared:
// three calls, and waits from 1 to 30 seconds that double.
func DefaultPolicy(name string) Policy {
	return Policy{
		Name: name, MaxAttempts: 3, InitialDelay: time.Second, MaxDelay: 30 * time.Second,
		MaxRetryAfter: 30 * time.Second, Multiplier: 2,
	}
}

// Adapt limits the changes of a policy's numbers by the outcomes of calls.
type Adapt struct {
	// MinAttempts and MaxAttempts limit the policy's MaxAttempts. If both are 0, it does not
	// change.
	MinAttempts, MaxAttempts int
	// MinDelay and MaxDelay limit its InitialDelay. If both are 0, it does not change.
	MinDelay, MaxDelay time.Duration
	// Target is the intended share of first retries that succeed.
	Target float64
	// Window is the number of outcomes that are remembered for each code.
	Window int
}

// Budget limits all callers in a lane, which is a provider and a credential.
type Budget struct {
	// Retries is the maximum number of retries for each call, over Window. 0 allows only Reserve. A
	// negative number is no limit.
	Retries float64
	// Reserve is the number of retries in Window that are always allowed.
	Reserve int
	// Window is the time over which calls and retries are counted.
	Window time.Duration
	// Breaker stops all calls while the provider fails. It may be nil.
	Breaker *Breaker
}

// Breaker contains the limits at which a circuit breaker opens and closes.
type Breaker struct {
	// Failures among the last Of calls open the breaker.
	Failures, Of int
	// Probe is the time between the calls that an open breaker allows.
	Probe time.Duration
	// Successes is the number of consecutive successful probes that close the breaker.
	Successes int
}
