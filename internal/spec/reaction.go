package spec

import "github.com/errgen/errgen/internal/diag"

// Policy limits retries and the waits between them.
type Policy struct {
	Name Text `key:"*"`
	// Reason for the numbers.
	Doc Text `key:"doc" not:"numbers"`
	// Maximum number of calls, including the first.
	MaxAttempts Int `key:"max_attempts" range:"1..1000000" default:"3"`
	// Wait before the second call.
	InitialDelay Duration `key:"initial_delay" default:"1s"`
	// Longest computed wait.
	MaxDelay Duration `key:"max_delay" default:"30s"`
	// Factor of exponential growth.
	Multiplier Float `key:"multiplier" range:"1.." default:"2"`
	// Growth of the wait.
	Backoff Text `key:"backoff" words:"backoff" default:"exponential"`
	// Random part of the wait: a proportion in both directions, or a kind.
	Jitter Jitter `key:"jitter" default:"none"`
	// Maximum total time of consecutive waits.
	MaxElapsed Duration `key:"max_elapsed" default:"no limit"`
	// Longest hint that is obeyed. After a longer one, `then` follows immediately.
	MaxRetryAfter Duration `key:"max_retry_after" default:"max_delay"`
	// Limits within which the runtime adapts the numbers to the outcomes of earlier retries.
	Adapt *Adapt `key:"adapt"`
	// Limits for all callers of the same provider with the same credential.
	Budget *Budget `key:"budget"`
	Span   diag.Span
}

// Adapt limits how far a policy's numbers follow the outcomes of earlier retries.
type Adapt struct {
	_ struct{} `name:"adaptation"`
	// Limits of `max_attempts`.
	Attempts *Attempts `key:"attempts" default:"unchanged"`
	// Limits of `initial_delay`. The longest is at most `max_delay`.
	Delay *Delays `key:"delay" default:"unchanged"`
	// Intended share of first retries that succeed. The delay changes towards it.
	Target Float `key:"target" range:"0.01..0.99" default:"0.8"`
	// Number of outcomes that are remembered for each policy, code and number of the call.
	Window Int `key:"window" range:"10..1000" default:"50"`
	Span   diag.Span
}

// Attempts are limits of max_attempts.
type Attempts struct {
	_ struct{} `name:"range of attempts"`
	// Minimum number of calls, including the first.
	Min Int `key:"min" range:"1..100" default:"max_attempts"`
	// Maximum number of calls, including the first.
	Max  Int `key:"max" range:"1..100" default:"max_attempts"`
	Span diag.Span
}

// Delays are limits of initial_delay.
type Delays struct {
	_ struct{} `name:"range of delays"`
	// Shortest first wait.
	Min Duration `key:"min" default:"initial_delay"`
	// Longest first wait.
	Max  Duration `key:"max" default:"initial_delay"`
	Span diag.Span
}

// Budget limits the retries of all callers of one provider with one credential.
type Budget struct {
	// Maximum number of retries for each call: `0.2` is one for five calls. Further ones lead to
	// `then`.
	Retries Float `key:"retries" range:"0.." default:"no limit"`
	// Number of retries that are always possible in a window.
	Reserve Int `key:"reserve" range:"0..1000000" default:"3"`
	// Time over which calls and retries are counted.
	Window Duration `key:"window" range:">0s" default:"10s"`
	// Limit of failures that stops all calls.
	Breaker *Breaker `key:"breaker"`
	Span    diag.Span
}

// Breaker stops all calls of a failing provider until a probe succeeds.
type Breaker struct {
	// Number of failures among the last calls that opens the breaker. Required, except in a
	// profile.
	Failures Int `key:"failures" range:"1..1000"`
	// Number of calls among which failures are counted.
	Of Int `key:"of" range:"1..1000" default:"failures"`
	// Time between two probes of an open breaker.
	Probe Duration `key:"probe" range:">0s" default:"5s"`
	// Number of consecutive successful probes that closes the breaker.
	Successes Int `key:"successes" range:"1..1000" default:"1"`
	Span      diag.Span
}

// Jitter is the random part of a wait: a fraction, or a kind.
type Jitter struct {
	Fraction Float `key:"|" range:"0..1"`
	Kind     Text  `key:"|" words:"jitter"`
}

// PolicyRef is the name of a policy, or a policy in place.
type PolicyRef struct {
	Name   Text    `key:"|" ref:"policy"`
	Inline *Policy `key:"|"`
	Span   diag.Span
}

// Reaction describes what the program does about an error.
type Reaction struct {
	_    struct{} `partial:"reaction overlay"`
	Name Text     `key:"*"`
	// Reason for the reaction.
	Doc Text `key:"doc"`
	// What the program does.
	Action Text `key:"action" words:"action" required:""`
	// Limits of the retries: a name, or a policy in place.
	Policy *PolicyRef `key:"policy" actions:"retry retry_operation recover"`
	// Whether the error increases the counter of consecutive failures.
	CountFailure Bool `key:"count_failure" default:"true for retry and recover, otherwise false"`
	// Whether the error's hint replaces the policy's delay.
	HonorRetryAfter Bool `key:"honor_retry_after" default:"false" actions:"retry retry_operation recover"`
	// Runs that wait: only this one, or all with the same credential.
	Shared Text `key:"shared" words:"shared" default:"run" actions:"retry retry_operation recover"`
	// Reaction that follows when the policy, the ladder or the strategy is exhausted. Required by
	// `retry_operation`.
	Then *ReactionRef `key:"then" default:"block, abort for recover" actions:"retry retry_operation recover escalate"`
	// Log entry of the executor; `retry.Do` and handlers do not read it. Without it the entry has the
	// level debug, which few logs keep.
	Log *Log `key:"log"`
	// Changes that are reverted first: the files that the error names, or all of the iteration.
	Revert Text `key:"revert" words:"revert"`
	// Whether the rest may count as done after the revert, if it is valid.
	AcceptCompletion Bool `key:"accept_completion" default:"false"`
	// Whether the next prompt describes the error.
	FeedBack Bool `key:"feed_back" default:"false" actions:"retry retry_operation recover escalate continue block"`
	// Whether the action ends the task or the whole run.
	Extent Text `key:"extent" words:"extent" default:"task" actions:"abort block"`
	// Strategy that runs. Required by `recover`.
	Strategy Text `key:"strategy" ref:"strategy" actions:"recover"`
	// Conversation of the next call: the same, a new one, or a new and shorter one. `keep` needs
	// `Config.Continue` of the executor.
	Session Text `key:"session" words:"session" default:"keep" actions:"retry retry_operation recover escalate"`
	// Place where the work resumes after the strategy.
	Resume Text `key:"resume" words:"resume" default:"iteration" actions:"recover"`
	// Lowest tier that takes over, one higher if it is already active. For a retry with a
	// `purpose`, the tier that is asked.
	To Text `key:"to" ref:"tier" default:"the next tier" actions:"escalate"`
	// Question for the tier before the work resumes.
	Purpose Text `key:"purpose" words:"purpose" default:"that of the tier" actions:"retry retry_operation escalate"`
	Span    diag.Span
}

// ReactionRef is the name of a reaction, a reaction in place, or (in overlays) a choice by the
// flag.
type ReactionRef struct {
	Name   Text      `key:"|" ref:"reaction"`
	Inline *Reaction `key:"|"`
	ByFlag *ByFlag   `key:"|" only:"overlay"`
	Span   diag.Span
}

// ByFlag chooses a reaction by whether the code is retryable.
type ByFlag struct {
	_ struct{} `name:"reaction by flag" anyof:"retryable permanent"`
	// Reaction of retryable codes.
	Retryable Text `key:"retryable" ref:"reaction" default:"unchanged"`
	// Reaction of other codes.
	Permanent Text `key:"permanent" ref:"reaction" default:"unchanged"`
}

// Log is the log entry of a reaction.
type Log struct {
	// Level of the entry.
	Level Text `key:"level" words:"level" required:""`
	// Text of the entry, without placeholders.
	Message Text `key:"message" default:"the error's message"`
	Span    diag.Span
}

// Profile is an overlay of the sections with the same names.
type Profile struct {
	Name Text `key:"*"`
	// Use of the profile.
	Doc Text `key:"doc"`
	// Traits by code, category, `@group` or `*`. The most specific key wins, trait by trait. Of two
	// groups, the one that `groups` declares first wins.
	Codes []Overlay `key:"codes" keys:"overlay"`
	// Changes of reactions, key by key.
	Reactions []Reaction `key:"reactions" keys:"reaction" variant:"partial"`
	// Changes of policies, key by key.
	Policies []Policy `key:"policies" keys:"policy"`
	// Switches for parts of classification.
	Detection Detection `key:"detection"`
	// Switch and limits for strategies.
	Recovery Recovery `key:"recovery"`
	// Switch for retries, and limits for reactions without a policy.
	Retry Retry `key:"retry"`
	// Contents of reports.
	Reporting Reporting `key:"reporting"`
	Span      diag.Span
	Raw       Raw
}

// Overlay changes the traits of a code, a category, an @group or of all codes (*).
type Overlay struct {
	_      struct{} `name:"code overlay"`
	Key    Text     `key:"*"`
	Traits Traits   `key:",inline" variant:"overlay"`
	Span   diag.Span
}

// Detection switches parts of classification.
type Detection struct {
	// Whether rules on text apply.
	Text Bool `key:"text" default:"true"`
	// Whether classification gives a severity.
	Severity Bool `key:"severity" default:"true"`
	// Whether classification gives a recoverability.
	Recoverability Bool `key:"recoverability" default:"true"`
}

// Recovery switches and limits strategies.
type Recovery struct {
	// Whether strategies run. If not, `recover` leads to its `then`.
	Enabled Bool `key:"enabled" default:"true"`
	// Maximum number of strategies in a run. With 0, `recover` leads to its `then`.
	MaxAttempts Int `key:"max_attempts" range:"0.." default:"no limit"`
	// Strategies that can run.
	Allowed []Text `key:"allowed" ref:"strategy" default:"all"`
}

// Retry switches retries, and limits those of reactions without a policy.
type Retry struct {
	// Whether retries are made. If not, `retry` and `retry_operation` lead to their `then`.
	Enabled Bool   `key:"enabled" default:"true"`
	Policy  Policy `key:",inline" variant:"numbers"`
}

// Reporting selects the contents of reports.
type Reporting struct {
	// Lowest level that is logged.
	LogLevel Text `key:"log_level" words:"level"`
	// Whether errors capture a stack.
	Stack Bool `key:"stack" default:"false"`
	// Whether the context is reported.
	Context Bool `key:"context" default:"true"`
}
