package report

import "time"

// Metrics are counts of all that was reported. A key that is not known is "unknown"; when there are too many, what is new
// counts as "other".
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
	// RetryAttempts counts the calls that retries took, SuccessfulRetries and FailedRetries the operations.
	RetryAttempts     int `json:"retryAttempts"`
	SuccessfulRetries int `json:"successfulRetries"`
	FailedRetries     int `json:"failedRetries"`
}

// Timeline is how many errors there were when, in buckets that follow each other without a gap.
type Timeline struct {
	// Step is how long a bucket lasts, a round number of seconds to days; 0 of an empty timeline.
	Step    time.Duration
	Buckets []Bucket
}

// Bucket counts what happened from Start on, for one step. Keys are those of [Metrics].
type Bucket struct {
	Start                  time.Time
	ByCategory, BySeverity map[string]int
}

// ReactionOutcome is how often a reaction was taken, and what came of the recoveries that it led to.
type ReactionOutcome struct {
	Reaction string `json:"reaction"`
	Action   string `json:"action"`
	Count    int    `json:"count"`
	// Recovered and Failed count the occurrences whose recovery succeeded and failed; of the others nobody knows, or none
	// was tried.
	Recovered int `json:"recovered"`
	Failed    int `json:"failed"`
}
