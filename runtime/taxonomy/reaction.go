package taxonomy

import (
	"iter"
	"time"
)

// Action is what a reaction does. The zero Action aborts, so that what was forgotten stops.
type Action uint8

// The actions.
const (
	Abort          Action = iota // end as failed
	Block                        // stop and wait for a person
	Continue                     // go on as if nothing had happened
	Retry                        // run the iteration again
	RetryOperation               // run again only what failed
	Escalate                     // hand over to a higher tier
	Recover                      // run a strategy, then retry
)

// Extent is how much an ending ends.
type Extent uint8

// The extents.
const (
	ExtentTask Extent = iota // this task
	ExtentRun                // everything
)

// Revert is what a reaction takes back.
type Revert uint8

// What can be reverted.
const (
	RevertNone      Revert = iota
	RevertFiles            // the files that the error names
	RevertIteration        // all that this iteration changed
)

// Session is which conversation a retry is held in.
type Session uint8

// The sessions.
const (
	SessionKeep    Session = iota
	SessionFresh           // a new conversation
	SessionReduced         // a new conversation, and a shorter one
)

// Purpose is what a tier is asked for about a failure.
type Purpose uint8

// The purposes.
const (
	PurposeNone         Purpose = iota
	PurposeDiagnosis            // find out what is wrong, or missing
	PurposeAnalysis             // find out why something that ran has failed
	PurposeVerification         // find out whether the result, or what was expected of it, is wrong
)

// Resume is where work goes on after a strategy.
type Resume uint8

// The points of resuming.
const (
	ResumeIteration Resume = iota
	ResumeOperation
)

// Shared is whose wait a wait is.
type Shared uint8

// The scopes of a wait.
const (
	SharedRun        Shared = iota
	SharedCredential        // everyone who uses the credential waits
)

// LogLevel is how loudly a reaction speaks. The zero LogLevel says nothing.
type LogLevel uint8

// The levels.
const (
	LogNone LogLevel = iota
	LogDebug
	LogInfo
	LogWarn
	LogError
)

// Reaction is what is to be done about an error. It is a value: changing it changes no table. What
// Policy and Then point to is the table's own; change a copy. The zero Reaction aborts the task.
type Reaction struct {
	// Name is the reaction's name in the taxonomy; a reaction that stands in place has the name of
	// its owner.
	Name string
	// Policy bounds and spaces the tries; nil when the reaction names none.
	Policy *Policy
	// Then follows when the policy, the ladder or the strategy is exhausted; nil when the action ends
	// or continues by itself. [Profile.Next] passes over those that a profile has switched off.
	Then *Reaction
	// Strategy is the strategy that Recover runs.
	Strategy string
	// To is the tier that Escalate goes up to, at least; with Retry and a Purpose it is the one
	// that is asked.
	To string
	// LogMessage is said at LogLevel when the reaction is taken; empty means the error's own
	// message.
	LogMessage string

	Action  Action
	Extent  Extent
	Revert  Revert
	Session Session
	// Purpose is what the tier that takes over is asked for first. Package plan puts it into the
	// tier's prompt; a Retry repeats without asking.
	Purpose  Purpose
	Resume   Resume
	Shared   Shared
	LogLevel LogLevel

	// CountFailure raises the counter of consecutive failures.
	CountFailure bool
	// HonorRetryAfter lets the error's hint replace the policy's delay.
	HonorRetryAfter bool
	// AcceptCompletion lets what is left after the revert count as done, once validated.
	AcceptCompletion bool
	// FeedBack says the error to the provider in its next prompt.
	FeedBack bool
}

// Retries reports whether the reaction repeats the call that failed: the iteration or the operation.
func (r *Reaction) Retries() bool { return r.Action == Retry || r.Action == RetryOperation }

// MaxChain is how many reactions of a chain are carried out: one, and those that follow it by Then.
const MaxChain = 8

// Chain returns the reaction and those that follow it by Then, at most [MaxChain]. It contains
// reactions that a profile has switched off; [Profile.Chain] does not.
func (r *Reaction) Chain() iter.Seq[*Reaction] {
	return func(yield func(*Reaction) bool) {
		next := r
		for n := 0; n < MaxChain && next != nil && yield(next); n++ {
			next = next.Then
		}
	}
}

// Backoff is how a delay grows.
type Backoff uint8

// The kinds of backoff.
const (
	Exponential Backoff = iota
	Constant
	Linear
)

// JitterKind is how chance changes a delay.
type JitterKind uint8

// The kinds of jitter.
const (
	JitterNone JitterKind = iota
	JitterProportional
	JitterFull
	JitterDecorrelated
)

// Policy bounds and spaces tries.
type Policy struct {
	// Name is the policy's name in the taxonomy.
	Name string
	// MaxAttempts counts calls in total, the first included.
	MaxAttempts int
	// InitialDelay is the wait before the second call.
	InitialDelay time.Duration
	// MaxDelay bounds every computed wait.
	MaxDelay time.Duration
	// Multiplier is the factor of exponential growth.
	Multiplier float64
	// MaxElapsed bounds the time waited in a row; 0 is no bound.
	MaxElapsed time.Duration
	// MaxRetryAfter is the longest hint that is obeyed; a longer one goes to Then at once. 0 is
	// MaxDelay, or 30 seconds where that is 0 too.
	MaxRetryAfter time.Duration
	// Jitter is the fraction of proportional jitter, 0 to 1.
	Jitter float64

	// Adapt lets what has come of tries move the numbers; nil leaves them as they are.
	Adapt *Adapt
	// Budget bounds what everybody who uses a provider and a credential tries together; nil is no
	// bound.
	Budget *Budget

	Backoff    Backoff
	JitterKind JitterKind
}

// Adapt says how far what has come of tries may move a policy's numbers.
type Adapt struct {
	// MinAttempts and MaxAttempts bound the policy's MaxAttempts; both 0 leave it as it is.
	MinAttempts, MaxAttempts int
	// MinDelay and MaxDelay bound its InitialDelay; both 0 leave it as it is.
	MinDelay, MaxDelay time.Duration
	// Target is the share of first retries that shall succeed, which the delay is moved towards.
	Target float64
	// Window is how many outcomes are remembered for each code.
	Window int
}

// Budget bounds what all callers in a lane, which is a provider and a credential, try together.
type Budget struct {
	// Retries is how many retries there may be for each call, over Window; 0 is none beyond
	// Reserve, and less than 0 no bound.
	Retries float64
	// Reserve is how many retries there may be in Window however few calls there are.
	Reserve int
	// Window is the time over which calls and retries are counted.
	Window time.Duration
	// Breaker stops all calls while the provider fails; nil never does.
	Breaker *Breaker
}

// Breaker says when a circuit breaker opens and how it closes again.
type Breaker struct {
	// Failures of the last Of calls open it.
	Failures, Of int
	// Probe is the time between probes while it is open: one call is let through in each.
	Probe time.Duration
	// Successes is how many probes in a row must succeed to close it.
	Successes int
}
