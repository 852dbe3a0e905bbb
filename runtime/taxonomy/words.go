package taxonomy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The words of the taxonomy's language for the values of the small types. "none" is not a word of
// the language.
var (
	actionWords         = [...]string{"abort", "block", "continue", "retry", "retry_operation", "escalate", "recover"}
	extentWords         = [...]string{"task", "run"}
	revertWords         = [...]string{"none", "files", "iteration"}
	sessionWords        = [...]string{"keep", "fresh", "reduced"}
	purposeWords        = [...]string{"none", "diagnosis", "analysis", "verification"}
	resumeWords         = [...]string{"iteration", "operation"}
	sharedWords         = [...]string{"run", "credential"}
	logLevelWords       = [...]string{"none", "debug", "info", "warn", "error"}
	backoffWords        = [...]string{"exponential", "constant", "linear"}
	jitterKindWords     = [...]string{"none", "proportional", "full", "decorrelated"}
	recoverabilityWords = [...]string{"permanent", "retryable", "recoverable", "unknown"}
	severityWords       = [...]string{"none", "low", "medium", "high", "critical"}
	faultWords          = [...]string{"server", "client", "dependency"}
	effectWords         = [...]string{"unspecified", "none", "unknown", "done"}
	// The words of google.rpc.Code, by number.
	grpcWords = [...]string{
		"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
		"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
		"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
	}
)

// GRPCWords returns the words of google.rpc.Code, in the order of their numbers.
func GRPCWords() []string { return slices.Clone(grpcWords[:]) }

// word returns the word of value v of the named type. If the value does not exist, it returns a
// text such as Action(9).
func word(words []string, name string, v uint8) string {
	if int(v) < len(words) {
		return words[v]
	}
	return name + "(" + strconv.Itoa(int(v)) + ")"
}

// unword sets v to the value of a word. If the word is not one of words, it returns an error and
// leaves v unchanged.
func unword[T ~uint8](v *T, words []string, name string, b []byte) error {
	i := slices.Index(words, string(b))
	if i < 0 {
		return fmt.Errorf("%s is %q, expected one of %s", name, b, strings.Join(words, ", "))
	}
	*v = T(i)
	return nil
}

// String returns the word of the taxonomy's language.
func (a Action) String() string { return word(actionWords[:], "Action", uint8(a)) }

// MarshalText returns the word of the taxonomy's language.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the word of the taxonomy's language. Another word is an error and changes
// nothing.
func (a *Action) UnmarshalText(b []byte) error { return unword(a, actionWords[:], "action", b) }

// String returns the word of the taxonomy's language.
func (e Extent) String() string { return word(extentWords[:], "Extent", uint8(e)) }

// MarshalText returns the word of the taxonomy's language.
func (e Extent) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (e *Extent) UnmarshalText(b []byte) error { return unword(e, extentWords[:], "extent", b) }

// String returns the word of the taxonomy's language.
func (r Revert) String() string { return word(revertWords[:], "Revert", uint8(r)) }

// MarshalText returns the word of the taxonomy's language.
func (r Revert) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (r *Revert) UnmarshalText(b []byte) error { return unword(r, revertWords[:], "revert", b) }

// String returns the word of the taxonomy's language.
func (s Session) String() string { return word(sessionWords[:], "Session", uint8(s)) }

// MarshalText returns the word of the taxonomy's language.
func (s Session) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (s *Session) UnmarshalText(b []byte) error { return unword(s, sessionWords[:], "session", b) }

// String returns the word of the taxonomy's language.
func (p Purpose) String() string { return word(purposeWords[:], "Purpose", uint8(p)) }

// MarshalText returns the word of the taxonomy's language.
func (p Purpose) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the word of the taxonomy's language. Another word is an error and changes
// nothing.
func (p *Purpose) UnmarshalText(b []byte) error { return unword(p, purposeWords[:], "purpose", b) }

// String returns the word of the taxonomy's language.
func (r Resume) String() string { return word(resumeWords[:], "Resume", uint8(r)) }

// MarshalText returns the word of the taxonomy's language.
func (r Resume) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (r *Resume) UnmarshalText(b []byte) error { return unword(r, resumeWords[:], "resume", b) }

// String returns the word of the taxonomy's language.
func (s Shared) String() string { return word(sharedWords[:], "Shared", uint8(s)) }

// MarshalText returns the word of the taxonomy's language.
func (s Shared) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (s *Shared) UnmarshalText(b []byte) error { return unword(s, sharedWords[:], "shared", b) }

// String returns the word of the taxonomy's language.
func (l LogLevel) String() string { return word(logLevelWords[:], "LogLevel", uint8(l)) }

// MarshalText returns the word of the taxonomy's language.
func (l LogLevel) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (l *LogLevel) UnmarshalText(b []byte) error { return unword(l, logLevelWords[:], "log level", b) }

// String returns the word of the taxonomy's language.
func (b Backoff) String() string { return word(backoffWords[:], "Backoff", uint8(b)) }

// MarshalText returns the word of the taxonomy's language.
func (b Backoff) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (b *Backoff) UnmarshalText(text []byte) error {
	return unword(b, backoffWords[:], "backoff", text)
}

// String returns the word of the taxonomy's language.
func (j JitterKind) String() string { return word(jitterKindWords[:], "JitterKind", uint8(j)) }

// MarshalText returns the word of the taxonomy's language.
func (j JitterKind) MarshalText() ([]byte, error) { return []byte(j.String()), nil }

// UnmarshalText reads the word of the taxonomy's language.
func (j *JitterKind) UnmarshalText(b []byte) error {
	return unword(j, jitterKindWords[:], "jitter kind", b)
}

// String returns the word of the taxonomy's language.
func (r Recoverability) String() string {
	return word(recoverabilityWords[:], "Recoverability", uint8(r))
}

// MarshalText returns the word of the taxonomy's language.
func (r Recoverability) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String returns the word of the taxonomy's language.
func (s Severity) String() string { return word(severityWords[:], "Severity", uint8(s)) }

// MarshalText returns the word of the taxonomy's language.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the word of the taxonomy's language, or "unspecified".
func (e Effect) String() string { return word(effectWords[:], "Effect", uint8(e)) }

// MarshalText returns the word of the taxonomy's language, or "unspecified".
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the word of the taxonomy's language, or "unspecified". Another word is an
// error and changes nothing.
func (e *Effect) UnmarshalText(b []byte) error { return unword(e, effectWords[:], "effect", b) }

// String returns the word of the taxonomy's language.
func (f Fault) String() string { return word(faultWords[:], "Fault", uint8(f)) }

// MarshalText returns the word of the taxonomy's language.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }
