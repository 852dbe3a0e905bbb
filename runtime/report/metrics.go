package report

import "time"

// Metrics are counts of all that was reported. A key that is not known is "unknown", as is a
// severity that is none of "low", "medium", "high" and "critical"; when there are too many keys,
// what is new counts as "other".
type Metrics struct {
	TotalErrors      int            `json:"totalErrors"`
	ErrorsByCategory map[string]int `json:"errorsByCategory"`
	ErrorsBySeverity map[string]int `json:"errorsBySeverity"`
	// ErrorsBySource has keys of the form "type:component".
	ErrorsBySource         map[string]int `json:"errorsBySource"`
	ErrorsByRecoverability map[string]int `json:"errorsByRecoverability"`
	// RecoveryAttempts counts the occurrences for which a recovery was tried.
	RecoveryAttempts     int `json:"recoveryAttempts"`
	SuccessfulRecoveries int `json:"successfulRecoveries"`
	FailedRecoveries     int `json:"failedRecoveries"`
	// RetryAttempts counts the calls that retries took, SuccessfulRetries and FailedRetries the
	// operations.
	RetryAttempts     int `json:"retryAttempts"`
	SuccessfulRetries int `json:"successfulRetries"`
	FailedRetries     int `json:"failedRetries"`
	// ErrorsByCode counts errors, as the maps above do.
	ErrorsByCode map[string]int `json:"errorsByCode"`
}

// CodeCount is how many errors of a code there were.
type CodeCount struct {
	// Code is a key of [Metrics.ErrorsByCode]. Category is that of its errors, a key of
	// [Metrics.ErrorsByCategory]; empty where they have several.
	Code, Category string
	Count          int
	// Severity is the highest that was seen; empty when none was stated.
	Severity string
	// Latest is when the last of them happened. One that does not say when, or is more than an hour
	// ahead of the clock, happened when it came.
	Latest time.Time
}

// Timeline is how many errors there were when, in buckets that follow each other without a gap.
type Timeline struct {
	// Step is how long a bucket lasts, a round number of seconds to days; 0 of an empty timeline.
	Step    time.Duration
	Buckets []Bucket
	// Outside counts the errors that are in no bucket: those too long ago; a few, at most 1 %, that
	// are so far before all others that hardly anything else would be seen, or one of 20 and more
	// that is a month before all others, if these are close together; and those of a clock that was
	// ahead.
	Outside int
}

// Bucket counts what happened from Start on, for one step. Keys are those of [Metrics].
type Bucket struct {
	Start                  time.Time
	ByCategory, BySeverity map[string]int
}

// ReactionOutcome is how often a reaction was taken, and what came of the recoveries and retries
// that it led to.
type ReactionOutcome struct {
	Reaction string `json:"reaction"`
	Action   string `json:"action"`
	Count    int    `json:"count"`
	// Recovered and Failed count the occurrences whose recovery succeeded and failed, Pending those
	// of which nobody knows yet. For the others none was tried.
	Recovered int `json:"recovered"`
	Failed    int `json:"failed"`
	Pending   int `json:"pending"`
	// SuccessfulRetries and FailedRetries count the operations that were tried again because of it,
	// as in [Metrics]. One operation may have failed several times.
	SuccessfulRetries int `json:"successfulRetries"`
	FailedRetries     int `json:"failedRetries"`
}

// Tried counts the recoveries and the retried operations. As in [Metrics], what is pending counts
// as tried.
func (o ReactionOutcome) Tried() int {
	return o.Recovered + o.Failed + o.Pending + o.SuccessfulRetries + o.FailedRetries
}

// Helped counts those of [ReactionOutcome.Tried] that succeeded.
func (o ReactionOutcome) Helped() int { return o.Recovered + o.SuccessfulRetries }
