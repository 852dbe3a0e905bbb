package report

import (
	"encoding/json"
	"time"
)

// Occurrence is one error that happened: what it is, and when, where and during what, and what was
// done about it. It is plain data, masked and bounded, that marshals to JSON and back. Copies share
// what they point to; [Occurrence.Clone] shares nothing.
type Occurrence struct {
	// ID is unique to the occurrence.
	ID string
	// At is when it happened; in JSON a number, the milliseconds since 1970 in UTC.
	At time.Time
	// Domain says whose codes these are. Category and Code are empty for an error of no taxonomy.
	Domain, Category, Code string
	// Severity and Recoverability are the taxonomy's words; empty when it, or the profile, states
	// none.
	Severity, Recoverability string
	Retryable                bool
	Message                  string
	// SourceCode is the source's own code or the HTTP status, Stack where the error was made;
	// either may be empty.
	SourceCode, Stack string
	// Fingerprint is equal for occurrences of the same failure.
	Fingerprint string
	// Cause is what the error wraps, if it is one that says more than its text.
	Cause      *Occurrence
	Source     *Source
	Execution  *Execution
	Repository *Repository
	Recovery   *Recovery
	// Reaction and Action are what the taxonomy says is to be done.
	Reaction, Action string
	// Context is the error's context, a JSON object; nil unless the profile reports contexts.
	Context json.RawMessage
	// Metadata is whatever else is known; its values are what encoding/json makes of JSON.
	Metadata map[string]any
}

// Source is who reported an error.
type Source struct {
	// Type is the evidence's source: "llm", "git". Component is the part of it that failed.
	Type      string `json:"type"`
	Component string `json:"component"`
	Endpoint  string `json:"endpoint,omitempty"`
	Method    string `json:"method,omitempty"`
}

// Execution is what was being done.
type Execution struct {
	Mode      string `json:"mode"`
	Skill     string `json:"skill,omitempty"`
	Tool      string `json:"tool,omitempty"`
	Step      string `json:"step,omitempty"`
	TaskID    string `json:"taskId,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
}

// Repository is what it was being done to.
type Repository struct {
	Owner string `json:"owner"`
	Repo  string `json:"repo"`
	// EntityNumber is 0 when there is none.
	EntityNumber int `json:"entityNumber,omitempty"`
	// EntityType is "issue", "pr" or "comment".
	EntityType string `json:"entityType,omitempty"`
}

// Recovery is what was tried.
type Recovery struct {
	Attempts    int    `json:"attempts"`
	MaxAttempts int    `json:"maxAttempts"`
	Strategy    string `json:"strategy,omitempty"`
	// Successful is nil while nobody knows.
	Successful *bool `json:"successful,omitempty"`
}
