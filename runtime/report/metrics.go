package report

import (
	"fmt"
	"strings"
	"time"
)

// Metrics count all reported errors. A missing key, and a severity outside low, medium, high and
// critical, counts as "unknown". Keys beyond the limit count as "other".
type Metrics struct {
	TotalErrors      int            `json:"totalErrors"`
	ErrorsByCategory map[string]int `json:"errorsByCategory"`
	ErrorsBySeverity map[string]int `json:"errorsBySeverity"`
	// ErrorsBySource has keys of the form "type:component".
	ErrorsBySource         map[string]int `json:"errorsBySource"`
	ErrorsByRecoverability map[string]int `json:"errorsByRecoverability"`
	// RecoveryAttempts counts the occurrences for which a recovery was tried. SuccessfulRecoveries
	// counts those whose strategy ran without an error, even if the next call failed again.
	RecoveryAttempts     int `json:"recoveryAttempts"`
	SuccessfulRecoveries int `json:"successfulRecoveries"`
	FailedRecoveries     int `json:"failedRecoveries"`
	// RetryAttempts counts the calls of retries. SuccessfulRetries and FailedRetries count the
	// retried operations.
	RetryAttempts     int            `json:"retryAttempts"`
	SuccessfulRetries int            `json:"successfulRetries"`
	FailedRetries     int            `json:"failedRetries"`
	ErrorsByCode      map[string]int `json:"errorsByCode"`
}

// CodeCount is the number of errors of a code.
type CodeCount struct {
	// Code is a key of [Metrics.ErrorsByCode], and Category one of [Metrics.ErrorsByCategory];
	// Category is empty if the errors have several.
	Code     string `json:"code"`
	Category string `json:"category"`
	Count    int    `json:"count"`
	// Severity is the highest one, or empty.
	Severity string `json:"severity"`
	// Latest is the time of the latest error.
	Latest time.Time `json:"latest"`
}

// Timeline is the number of kept errors over time, in buckets without gaps.
type Timeline struct {
	// Step is the length of a bucket: 1, 5 or 15 seconds, 1, 5 or 15 minutes, 1 or 6 hours, or 1,
	// 7, 14 or 28 days; 0 without errors.
	Step    time.Duration `json:"step"`
	Buckets []Bucket      `json:"buckets"`
	// Outside counts the errors outside all buckets: those that are no longer kept, and up to 1 %
	// of the others.
	Outside int `json:"outside"`
}

// Bucket counts the errors from Start on, for one step. The keys are those of [Metrics].
type Bucket struct {
	Start      time.Time      `json:"start"`
	ByCategory map[string]int `json:"byCategory"`
	ByCode     map[string]int `json:"byCode"`
	BySeverity map[string]int `json:"bySeverity"`
}

// ReactionOutcome counts a reaction and the results of its recoveries and retries.
type ReactionOutcome struct {
	Reaction string `json:"reaction"`
	Action   string `json:"action"`
	Count    int    `json:"count"`
	// Recovered, Failed and Pending count the occurrences for which a recovery was tried, by its
	// result.
	Recovered int `json:"recovered"`
	Failed    int `json:"failed"`
	Pending   int `json:"pending"`
	// SuccessfulRetries and FailedRetries count operations, as in [Metrics].
	SuccessfulRetries int `json:"successfulRetries"`
	FailedRetries     int `json:"failedRetries"`
}

// Summary returns the counts as text of several lines: the number of errors, the success rates of
// recoveries and of retried operations, and errors by severity and recoverability.
func (m Metrics) Summary() string {
	var b strings.Builder
	b.WriteString("Error Summary:\n-------------\n")
	fmt.Fprintf(&b, "Total Errors: %d\n", m.TotalErrors)
	fmt.Fprintf(&b, "Recovery Rate: %s\n", rate(m.SuccessfulRecoveries, m.RecoveryAttempts))
	fmt.Fprintf(&b, "Retry Rate: %s\n", rate(m.SuccessfulRetries, m.SuccessfulRetries+m.FailedRetries))
	b.WriteString("\nBy Severity:\n")
	for _, severity := range []string{"Low", "Medium", "High", "Critical"} {
		fmt.Fprintf(&b, "- %s: %d\n", severity, m.ErrorsBySeverity[strings.ToLower(severity)])
	}
	if n := m.ErrorsBySeverity[unknown]; n > 0 {
		fmt.Fprintf(&b, "- Unknown: %d\n", n)
	}
	b.WriteString("\nBy Recoverability:\n")
	for _, recoverability := range []string{"Retryable", "Recoverable", "Permanent", "Unknown"} {
		fmt.Fprintf(&b, "- %s: %d\n", recoverability, m.ErrorsByRecoverability[strings.ToLower(recoverability)])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rate returns a share as a percentage with its two numbers.
func rate(succeeded, tried int) string {
	if tried == 0 {
		return "0% (0/0)"
	}
	return fmt.Sprintf("%.1f%% (%d/%d)", 100*float64(succeeded)/float64(tried), succeeded, tried)
}
