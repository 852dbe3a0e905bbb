package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// wireOccurrence is an occurrence as it is in JSON.
type wireOccurrence struct {
	ID             string          `json:"errorId"`
	At             wireTime        `json:"timestamp"`
	Domain         string          `json:"domain,omitempty"`
	Category       string          `json:"category"`
	ErrorCode      string          `json:"errorCode,omitempty"`
	Severity       string          `json:"severity"`
	Recoverability string          `json:"recoverability"`
	Retryable      bool            `json:"retryable"`
	Message        string          `json:"message"`
	SourceCode     string          `json:"code,omitempty"`
	Stack          string          `json:"stack,omitempty"`
	Fingerprint    string          `json:"fingerprint,omitempty"`
	Cause          *Occurrence     `json:"cause,omitempty"`
	Source         *Source         `json:"source,omitempty"`
	Execution      *Execution      `json:"execution,omitempty"`
	Repository     *Repository     `json:"github,omitempty"`
	Recovery       *Recovery       `json:"recovery,omitempty"`
	Reaction       string          `json:"reaction,omitempty"`
	Action         string          `json:"action,omitempty"`
	Context        json.RawMessage `json:"context,omitempty"`
	Metadata       map[string]any  `json:"metadata,omitempty"`
}

// MarshalJSON returns an object with the keys errorId, timestamp, domain, category, errorCode (Code), severity,
// recoverability, retryable, message, code (SourceCode), stack, fingerprint, cause, source, execution, github
// (Repository), recovery, reaction, action, context and metadata; what is optional and empty is left out. Secrets are masked
// and what is long is cut, also where o was not made by [New].
func (o Occurrence) MarshalJSON() ([]byte, error) {
	c := clean(&o)
	return json.Marshal(wireOccurrence{
		c.ID, wireTime(c.At), c.Domain, c.Category, c.Code, c.Severity, c.Recoverability, c.Retryable, c.Message,
		c.SourceCode, c.Stack, c.Fingerprint, c.Cause, c.Source, c.Execution, c.Repository, c.Recovery,
		c.Reaction, c.Action, c.Context, c.Metadata,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. Keys that it does not know are passed over; secrets are masked, and what is
// long is cut.
func (o *Occurrence) UnmarshalJSON(b []byte) error {
	var w wireOccurrence
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("occurrence: %w", err)
	}
	var context bytes.Buffer
	if len(w.Context) > 0 && json.Compact(&context, w.Context) == nil {
		w.Context = context.Bytes()
	}
	*o = *clean(&Occurrence{
		w.ID, time.Time(w.At), w.Domain, w.Category, w.ErrorCode, w.Severity, w.Recoverability, w.Retryable, w.Message,
		w.SourceCode, w.Stack, w.Fingerprint, w.Cause, w.Source, w.Execution, w.Repository, w.Recovery,
		w.Reaction, w.Action, w.Context, w.Metadata,
	})
	return nil
}

// wireTime is a time as milliseconds since 1970; the zero time is 0.
type wireTime time.Time

// MarshalJSON returns a number.
func (t wireTime) MarshalJSON() ([]byte, error) {
	if time.Time(t).IsZero() {
		return []byte("0"), nil
	}
	return json.Marshal(time.Time(t).UnixMilli())
}

// UnmarshalJSON reads a number.
func (t *wireTime) UnmarshalJSON(b []byte) error {
	var ms float64
	if err := json.Unmarshal(b, &ms); err != nil {
		return fmt.Errorf("timestamp: want milliseconds since 1970: %w", err)
	}
	if math.Abs(ms) > maxTime {
		return fmt.Errorf("timestamp: %g milliseconds since 1970 is no time", ms)
	}
	*t = wireTime{}
	if ms != 0 {
		*t = wireTime(time.UnixMilli(int64(ms)).UTC())
	}
	return nil
}

// maxTime is how many milliseconds from 1970 a time is at most, as in JavaScript: some 270 000 years.
const maxTime = 8.64e15

// MarshalJSON returns an object with the keys groupId, category, pattern, severity, count, firstSeen, lastSeen, errors
// and sampleError.
func (g Group) MarshalJSON() ([]byte, error) {
	if g.Errors == nil {
		g.Errors = []Occurrence{}
	}
	return json.Marshal(wireGroup{
		g.ID, g.Category, g.Pattern, g.Severity, g.Count, wireTime(g.FirstSeen), wireTime(g.LastSeen), g.Errors, g.Sample,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (g *Group) UnmarshalJSON(b []byte) error {
	var w wireGroup
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	*g = Group{w.ID, w.Category, w.Pattern, w.Severity, w.Count, time.Time(w.FirstSeen), time.Time(w.LastSeen), w.Errors, w.Sample}
	return nil
}

type wireGroup struct {
	ID        string       `json:"groupId"`
	Category  string       `json:"category"`
	Pattern   string       `json:"pattern"`
	Severity  string       `json:"severity"`
	Count     int          `json:"count"`
	FirstSeen wireTime     `json:"firstSeen"`
	LastSeen  wireTime     `json:"lastSeen"`
	Errors    []Occurrence `json:"errors"`
	Sample    Occurrence   `json:"sampleError"`
}
