package cli

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The words of the language for the values of the model.
var (
	severityWords = []string{taxonomy.SeverityNone: "", taxonomy.SeverityLow: "low",
		taxonomy.SeverityMedium: "medium", taxonomy.SeverityHigh: "high", taxonomy.SeverityCritical: "critical"}
	kindWords           = []string{taxonomy.KindNone: "", taxonomy.Fault: "fault", taxonomy.Failure: "failure"}
	recoverabilityWords = []string{taxonomy.Permanent: "permanent", taxonomy.Retryable: "retryable",
		taxonomy.Recoverable: "recoverable", taxonomy.Unknowable: "unknown"}
	actionWords = []string{
		taxonomy.Abort: "abort", taxonomy.Block: "block", taxonomy.Continue: "continue", taxonomy.Retry: "retry",
		taxonomy.RetryOperation: "retry_operation", taxonomy.Escalate: "escalate", taxonomy.Recover: "recover",
	}
	logWords = []string{taxonomy.LogNone: "", taxonomy.LogDebug: "debug", taxonomy.LogInfo: "info",
		taxonomy.LogWarn: "warn", taxonomy.LogError: "error"}
)

func word[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return ""
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
