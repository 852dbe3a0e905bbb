package resolve

import (
	"maps"
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// words is one of the language's closed sets of words.
type words[T any] map[string]T

// of returns what the word means; an absent or unknown word means the zero T.
func (w words[T]) of(t spec.Text) T { return w[t.V] }

var (
	actions = words[taxonomy.Action]{
		"abort": taxonomy.Abort, "block": taxonomy.Block, "continue": taxonomy.Continue, "retry": taxonomy.Retry,
		"retry_operation": taxonomy.RetryOperation, "escalate": taxonomy.Escalate, "recover": taxonomy.Recover,
	}
	extents  = words[taxonomy.Extent]{"task": taxonomy.ExtentTask, "run": taxonomy.ExtentRun}
	reverts  = words[taxonomy.Revert]{"files": taxonomy.RevertFiles, "iteration": taxonomy.RevertIteration}
	sessions = words[taxonomy.Session]{"keep": taxonomy.SessionKeep, "fresh": taxonomy.SessionFresh,
		"reduced": taxonomy.SessionReduced}
	purposes = words[taxonomy.Purpose]{
		"diagnosis": taxonomy.PurposeDiagnosis, "analysis": taxonomy.PurposeAnalysis,
		"verification": taxonomy.PurposeVerification,
	}
	resumes   = words[taxonomy.Resume]{"iteration": taxonomy.ResumeIteration, "operation": taxonomy.ResumeOperation}
	shares    = words[taxonomy.Shared]{"run": taxonomy.SharedRun, "credential": taxonomy.SharedCredential}
	logLevels = words[taxonomy.LogLevel]{
		"debug": taxonomy.LogDebug, "info": taxonomy.LogInfo, "warn": taxonomy.LogWarn, "error": taxonomy.LogError,
	}
	backoffs = words[taxonomy.Backoff]{
		"exponential": taxonomy.Exponential, "constant": taxonomy.Constant, "linear": taxonomy.Linear,
	}
	jitters = words[taxonomy.JitterKind]{
		"none": taxonomy.JitterNone, "full": taxonomy.JitterFull, "decorrelated": taxonomy.JitterDecorrelated,
	}
	kinds      = words[taxonomy.Kind]{"fault": taxonomy.Fault, "failure": taxonomy.Failure}
	severities = words[taxonomy.Severity]{
		"low": taxonomy.SeverityLow, "medium": taxonomy.SeverityMedium, "high": taxonomy.SeverityHigh,
		"critical": taxonomy.SeverityCritical,
	}
	recoverabilities = words[taxonomy.Recoverability]{
		"permanent": taxonomy.Permanent, "retryable": taxonomy.Retryable, "recoverable": taxonomy.Recoverable,
		"unknown": taxonomy.Unknowable,
	}
	roles = words[model.Role]{
		"retry_after": model.RoleRetryAfter, "reset_at": model.RoleResetAt, "files": model.RoleFiles,
		"credential": model.RoleCredential, "output": model.RoleOutput,
	}
	grpcCodes = words[int]{
		"OK": 0, "CANCELLED": 1, "CANCELED": 1, "UNKNOWN": 2, "INVALID_ARGUMENT": 3, "DEADLINE_EXCEEDED": 4,
		"NOT_FOUND": 5, "ALREADY_EXISTS": 6, "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8,
		"FAILED_PRECONDITION": 9, "ABORTED": 10, "OUT_OF_RANGE": 11, "UNIMPLEMENTED": 12, "INTERNAL": 13,
		"UNAVAILABLE": 14, "DATA_LOSS": 15, "UNAUTHENTICATED": 16,
	}
)

// GRPCCode returns the number of a word of google.rpc.Code.
func GRPCCode(word string) (int, bool) {
	n, ok := grpcCodes[word]
	return n, ok
}

// GRPCWord returns the word of a number of google.rpc.Code, of two spellings the canonical one; ""
// for 0, which stands for none, and for what is no such number.
func GRPCWord(code int) string {
	if code == 0 {
		return ""
	}
	for word, n := range grpcCodes {
		if n == code && word != "CANCELED" {
			return word
		}
	}
	return ""
}

// GRPCCodes returns the words of google.rpc.Code, sorted.
func GRPCCodes() []string { return slices.Sorted(maps.Keys(grpcCodes)) }
