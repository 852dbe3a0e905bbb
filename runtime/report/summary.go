package report

import (
	"fmt"
	"strings"
)

// Summary returns the counts as text of several lines, without a line break at the end: how many
// errors there were, how many recoveries and retried operations succeeded, and how many errors
// there were of each severity and recoverability.
func (r *Reporter) Summary() string { return r.Metrics().Summary() }

// Summary returns the counts as text; see [Reporter.Summary].
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
	b.WriteString("\nBy Recoverability:\n")
	for _, recoverability := range []string{"Retryable", "Recoverable", "Permanent", "Unknown"} {
		fmt.Fprintf(&b, "- %s: %d\n", recoverability, m.ErrorsByRecoverability[strings.ToLower(recoverability)])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rate returns a share as percent, and its two numbers.
func rate(succeeded, tried int) string {
	if tried == 0 {
		return "0% (0/0)"
	}
	return fmt.Sprintf("%.1f%% (%d/%d)", 100*float64(succeeded)/float64(tried), succeeded, tried)
}
