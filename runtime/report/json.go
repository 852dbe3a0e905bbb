package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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
	Cause          *wireOccurrence `json:"cause,omitempty"`
	Source         *Source         `json:"source,omitempty"`
	Execution      *Execution      `json:"execution,omitempty"`
	Repository     *Repository     `json:"github,omitempty"`
	Recovery       *Recovery       `json:"recovery,omitempty"`
	Reaction       string          `json:"reaction,omitempty"`
	Action         string          `json:"action,omitempty"`
	Context        json.RawMessage `json:"context,omitempty"`
	Metadata       map[string]any  `json:"metadata,omitempty"`
}

// MarshalJSON returns an object with the keys errorId, timestamp, domain, category, errorCode
// (Code), severity, recoverability, retryable, message, code (SourceCode), stack, fingerprint,
// cause, source, execution, github (Repository), recovery, reaction, action, context and metadata;
// what is optional and empty is left out. Secrets are masked and what is long is cut, also where o
// was not made by [New].
func (o Occurrence) MarshalJSON() ([]byte, error) {
	return json.Marshal(clean(&o).wire())
}

// wire returns a clean occurrence as it is in JSON.
func (o *Occurrence) wire() *wireOccurrence {
	if o == nil {
		return nil
	}
	return &wireOccurrence{
		o.ID, wireTime(o.At), o.Domain, o.Category, o.Code, o.Severity, o.Recoverability, o.Retryable, o.Message,
		o.SourceCode, o.Stack, o.Fingerprint, o.Cause.wire(), o.Source, o.Execution, o.Repository, o.Recovery,
		o.Reaction, o.Action, o.Context, o.Metadata,
	}
}

// UnmarshalJSON reads what MarshalJSON writes. Keys that it does not know are passed over; secrets
// are masked, what is long is cut, and of causes of causes no more are kept than [New] makes.
func (o *Occurrence) UnmarshalJSON(b []byte) error {
	var w wireOccurrence
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("occurrence: %w", err)
	}
	*o = *clean(w.occurrence(maxCauses))
	return nil
}

// occurrence returns what was read, with at most so many causes.
func (w *wireOccurrence) occurrence(causes int) *Occurrence {
	var cause *Occurrence
	if w.Cause != nil && causes > 0 {
		cause = w.Cause.occurrence(causes - 1)
	}
	var context bytes.Buffer
	if len(w.Context) > 0 && json.Compact(&context, w.Context) == nil {
		w.Context = context.Bytes()
	}
	return &Occurrence{
		w.ID, time.Time(w.At), w.Domain, w.Category, w.ErrorCode, w.Severity, w.Recoverability, w.Retryable, w.Message,
		w.SourceCode, w.Stack, w.Fingerprint, cause, w.Source, w.Execution, w.Repository, w.Recovery,
		w.Reaction, w.Action, w.Context, w.Metadata,
	}
}

// wireTime is a time as milliseconds since 1970; the zero time is 0, and the first millisecond of
// 1970 is written as the second. What is beyond maxTime is written as maxTime.
type wireTime time.Time

// MarshalJSON returns a number.
func (t wireTime) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, t.milliseconds(), 10), nil
}

func (t wireTime) milliseconds() int64 {
	at := time.Time(t)
	if at.IsZero() {
		return 0
	}
	if ms := withinMaxTime(at); ms != 0 {
		return ms
	}
	return 1
}

// withinMaxTime returns a time as milliseconds since 1970, and what is beyond maxTime as maxTime.
func withinMaxTime(t time.Time) int64 {
	// The seconds are compared first: of times that are far away the milliseconds overflow.
	switch seconds := t.Unix(); {
	case seconds >= maxTime/1000:
		return maxTime
	case seconds <= -maxTime/1000:
		return -maxTime
	}
	return t.UnixMilli()
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
	switch {
	case ms == 0:
		*t = wireTime{}
	case math.Abs(ms) < 1:
		*t = wireTime(time.UnixMilli(1).UTC())
	default:
		*t = wireTime(time.UnixMilli(int64(ms)).UTC())
	}
	return nil
}

// maxTime is how many milliseconds from 1970 a time is at most, as in JavaScript: some 270 000
// years.
const maxTime = 8.64e15

// MarshalJSON returns an object with the keys groupId, category, errorCode (Code, left out when
// empty), pattern, severity, count, firstSeen, lastSeen, errors and sampleError.
func (g Group) MarshalJSON() ([]byte, error) {
	if g.Errors == nil {
		g.Errors = []Occurrence{}
	}
	return json.Marshal(wireGroup{
		g.ID, g.Category, g.Code, g.Pattern, g.Severity, g.Count, wireTime(g.FirstSeen), wireTime(g.LastSeen), g.Errors,
		g.Sample,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (g *Group) UnmarshalJSON(b []byte) error {
	var w wireGroup
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	*g = Group{
		w.ID, w.Category, w.Pattern, w.Code, w.Severity, w.Count, time.Time(w.FirstSeen), time.Time(w.LastSeen),
		w.Errors, w.Sample,
	}
	return nil
}

type wireGroup struct {
	ID        string       `json:"groupId"`
	Category  string       `json:"category"`
	Code      string       `json:"errorCode,omitempty"`
	Pattern   string       `json:"pattern"`
	Severity  string       `json:"severity"`
	Count     int          `json:"count"`
	FirstSeen wireTime     `json:"firstSeen"`
	LastSeen  wireTime     `json:"lastSeen"`
	Errors    []Occurrence `json:"errors"`
	Sample    Occurrence   `json:"sampleError"`
}
