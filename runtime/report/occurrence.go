package report

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

// Occurrence is one error that happened, with its description, time, place and recovery. It is
// plain data that marshals to JSON and back, masked and bounded. An occurrence that a program fills
// in is masked when it is reported or marshalled.
type Occurrence struct {
	// ID is unique to the occurrence.
	ID string `json:"errorId"`
	// At is the time of the error, in JSON as milliseconds since 1970 in UTC.
	At time.Time `json:"-"`
	// Domain is the domain of the taxonomy. Category and Code may be empty.
	Domain   string `json:"domain,omitempty"`
	Category string `json:"category"`
	Code     string `json:"errorCode,omitempty"`
	// Severity and Recoverability are words of the taxonomy, or empty.
	Severity       string `json:"severity"`
	Recoverability string `json:"recoverability"`
	Retryable      bool   `json:"retryable"`
	Message        string `json:"message"`
	// SourceCode is the code from the source, or the HTTP status.
	SourceCode string `json:"code,omitempty"`
	// Stack is the stack at which the error was made.
	Stack string `json:"stack,omitempty"`
	// Fingerprint is equal for occurrences of the same failure.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Cause is the wrapped error, if it has a code or another text.
	Cause    *Occurrence `json:"cause,omitempty"`
	Source   *Source     `json:"source,omitempty"`
	Recovery *Recovery   `json:"recovery,omitempty"`
	// Finding is the finding of a compiler or linter.
	Finding *Finding `json:"finding,omitempty"`
	// Reaction and Action are the reaction of the taxonomy.
	Reaction string `json:"reaction,omitempty"`
	Action   string `json:"action,omitempty"`
	// Context is the error's context, a JSON object; nil unless the profile reports contexts.
	Context json.RawMessage `json:"context,omitempty"`
	// Metadata has the program's facts, as encoding/json decodes them.
	Metadata map[string]any `json:"metadata,omitempty"`

	masked bool // masked and bounded
}

// Source is the reporter of an error.
type Source struct {
	// Type is the evidence's source: "llm", "git". Component is the failed part of it.
	Type      string `json:"type"`
	Component string `json:"component"`
	Endpoint  string `json:"endpoint,omitempty"`
	Method    string `json:"method,omitempty"`
}

// Recovery is the attempt to recover from an error.
type Recovery struct {
	Attempts    int    `json:"attempts"`
	MaxAttempts int    `json:"maxAttempts"`
	Strategy    string `json:"strategy,omitempty"`
	// Successful is nil until the result is known.
	Successful *bool `json:"successful,omitempty"`
}

// Finding is a finding of a compiler or linter: its code, such as TS2322, and its place.
type Finding struct {
	Code   string `json:"code,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

// With returns a copy of the occurrence with another recovery.
func (o *Occurrence) With(r *Recovery) *Occurrence {
	c := *o
	if c.Recovery = nil; r != nil {
		tried := *r
		tried.Strategy = beginning(r.Strategy, maxName)
		if r.Successful != nil {
			successful := *r.Successful
			tried.Successful = &successful
		}
		c.Recovery = &tried
	}
	return &c
}

// MarshalJSON returns an object with the keys errorId, timestamp, domain, category, errorCode
// (Code), severity, recoverability, retryable, message, code (SourceCode), stack, fingerprint,
// cause, source, recovery, finding, reaction, action, context and metadata. Empty optional values
// are left out.
func (o Occurrence) MarshalJSON() ([]byte, error) {
	type fields Occurrence
	c := masked(&o)
	return json.Marshal(struct {
		ID string `json:"errorId"`
		At int64  `json:"timestamp"`
		*fields
	}{c.ID, milliseconds(c.At), (*fields)(c)})
}

// UnmarshalJSON reads an object that MarshalJSON wrote, and masks and bounds it.
func (o *Occurrence) UnmarshalJSON(b []byte) error {
	type fields Occurrence
	var read fields
	in := struct {
		At int64 `json:"timestamp"`
		*fields
	}{fields: &read}
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("occurrence: %w", err)
	}
	read.At = fromMilliseconds(in.At)
	*o = *masked((*Occurrence)(&read))
	return nil
}

// milliseconds returns a time as milliseconds since 1970, and the zero time as 0.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMilliseconds(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// NewID returns a random UUID of version 4. It is unique but not a secret.
func NewID() string {
	var b [16]byte
	for i := 0; i < len(b); i += 8 {
		n := rand.Uint64()
		for j := range 8 {
			b[i+j] = byte(n >> (8 * j))
		}
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
