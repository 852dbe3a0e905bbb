package taxonomy

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Example is a failure that the rules of a taxonomy give a code.
type Example struct {
	Code     string // on the wire
	Evidence Evidence
}

// Evidence has the facts about a failure before it has a code. The rules of a taxonomy test them,
// and they fill the fields of the error. Empty texts, a zero status, a zero time, nil lists and nil
// maps are absent.
//
// A *Evidence is an error, and classification finds it in a chain of errors. Its JSON, message, log
// value and printed forms mask secrets and cut long values. Its fields are unchanged. It must not
// be changed while others read it.
type Evidence struct {
	// Source is the taxonomy's name for the reporter: "anthropic-api", "git".
	Source string `json:"source,omitempty"`
	// Op is the operation that failed: "call", "push".
	Op string `json:"op,omitempty"`
	// Type is the source's own type of error ("overloaded_error"), or one that the runtime gives:
	// "timeout", "network", "not_found", "start".
	Type string `json:"type,omitempty"`
	// Status is the HTTP status, or 0.
	Status int `json:"status,omitempty"`
	// StatusDerived reports that Status was read from Text. Rules that test it then rank as rules
	// on text.
	StatusDerived bool `json:"status_derived,omitempty"`
	// Code is the source's own code: "23505", "ENOTFOUND".
	Code string `json:"code,omitempty"`
	// CodeDerived reports that Type or Code was read from a text without a status or an exit code.
	// The text may report the failure of another call, so a signature's effect does not count.
	CodeDerived bool `json:"code_derived,omitempty"`
	// ExitCode is the exit code of a process.
	ExitCode Opt[int] `json:"exit_code,omitzero"`
	// Signal is the name of the signal that ended a process: "SIGKILL".
	Signal string `json:"signal,omitempty"`
	// Errno is the name of a system error: "ECONNRESET".
	Errno string `json:"errno,omitempty"`
	// Text is the text of the error channel. Rules search its end; see detect.DefaultTextLimit.
	Text string `json:"text,omitempty"`
	// Output is the output of the failed work. Rules never search it.
	Output string `json:"output,omitempty"`
	// Files are the files that the failure is about.
	Files []string `json:"files,omitempty"`
	// RetryAfter is the wait that the source asks for.
	RetryAfter Opt[time.Duration] `json:"-"`
	// RetryAfterDerived reports that RetryAfter was read from Text. A profile that does not search
	// texts ignores it.
	RetryAfterDerived bool `json:"retry_after_derived,omitempty"`
	// ResetAt is the time from which a call can succeed again.
	ResetAt time.Time `json:"reset_at,omitzero"`
	// Credential names the credential that was used. It is a name, never the credential itself.
	Credential string `json:"credential,omitempty"`
	// Effect is what the failure means for the caller that observed it. It is never sent.
	Effect Effect `json:"effect,omitempty"`
	// Attributes are further facts from the source, by lower-case name.
	Attributes map[string]string `json:"attributes,omitempty"`
	// Err is the Go error that failed. It becomes the cause of the classified error.
	Err error `json:"-"`
}

// IsZero reports whether there is no evidence of a failure. It is true for nil.
func (e *Evidence) IsZero() bool {
	return e == nil || e.Source == "" && e.Op == "" && e.Type == "" && e.Status == 0 && e.Code == "" &&
		e.ExitCode.IsZero() && e.Signal == "" && e.Errno == "" && e.Text == "" && e.Output == "" && len(e.Files) == 0 &&
		e.RetryAfter.IsZero() && e.ResetAt.IsZero() && e.Credential == "" && e.Effect == EffectUnspecified &&
		len(e.Attributes) == 0 && e.Err == nil
}

// Attribute returns an attribute, or "" if it is absent.
func (e *Evidence) Attribute(name string) string {
	if e == nil || len(e.Attributes) == 0 {
		return ""
	}
	return e.Attributes[name]
}

// SetAttribute sets an attribute. It copies the map, so evidence that shares it does not change.
func (e *Evidence) SetAttribute(name, value string) {
	attributes := maps.Clone(e.Attributes)
	if attributes == nil {
		attributes = map[string]string{}
	}
	attributes[name] = value
	e.Attributes = attributes
}

// Unwrap returns Err.
func (e *Evidence) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// Bounds on the printed evidence, in bytes. maxList is the number of files and of attributes. A
// text and an output keep their end, where tools report the failure.
const (
	maxWord    = 256
	maxValue   = 1024
	maxMessage = 4096
	maxList    = 64
)

// Error returns source, operation and failure on one line of at most 4096 bytes. Secrets are
// masked, and control characters are replaced by spaces.
func (e *Evidence) Error() string {
	if e == nil {
		return noEvidence
	}
	var parts []string
	add := func(part string, limit int) {
		if part != "" {
			parts = append(parts, text.Beginning(part, limit))
		}
	}
	add(e.Source, maxWord)
	add(e.Op, maxWord)
	if len(parts) > 1 {
		parts = []string{parts[0] + " " + parts[1]}
	}
	if e.Status != 0 {
		add("status "+strconv.Itoa(e.Status), maxWord)
	}
	add(e.Type, maxWord)
	add(e.Code, maxWord)
	if code, ok := e.ExitCode.Get(); ok {
		add("exit code "+strconv.Itoa(code), maxWord)
	}
	add(e.Signal, maxWord)
	add(e.Errno, maxWord)
	line, _, _ := strings.Cut(strings.TrimSpace(text.Beginning(e.message(), maxMessage)), "\n")
	add(strings.TrimSpace(line), maxMessage)
	if parts == nil {
		return noEvidence
	}
	return text.Printable(text.Beginning(strings.Join(parts, ": "), maxMessage), "")
}

const noEvidence = "failure without evidence"

// message returns the text. If it is empty, it returns the text of Err.
func (e *Evidence) message() string {
	if e.Text != "" || reaches(e.Err, e) {
		return e.Text
	}
	return errtree.TreeText(e.Err)
}

// reaches reports whether e is in err's tree, so that the text of err would contain that of e. It
// is also true for a tree that is too large.
func reaches(err error, e *Evidence) bool {
	found, all := errtree.Find(err, func(x error) bool { return x == error(e) })
	return found || !all
}
