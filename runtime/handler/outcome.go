package handler

import (
	"encoding/json"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
)

// Outcome is what became of an operation. The zero Outcome is a success without a call.
type Outcome struct {
	// Err is the last error of an operation that failed, as the taxonomy has it, or the cause of a
	// context that has ended; nil when the operation succeeded.
	Err error
	// Occurrence is what was reported last: of an operation that failed its failure, of one that
	// succeeded the failure that was overcome last. It is nil when nothing was reported.
	Occurrence *report.Occurrence
	// Calls counts the calls of the operation.
	Calls int
	// Recovered reports that it succeeded after it had failed.
	Recovered bool
	// Result says more; nil when there was no operation.
	Result *executor.Result
}

// Success reports whether the operation succeeded.
func (o *Outcome) Success() bool { return o.Err == nil }

// MarshalJSON returns success, and of a failure its message, and its ID, category, code and
// severity as metadata.
func (o Outcome) MarshalJSON() ([]byte, error) {
	type metadata struct {
		ErrorID  string `json:"errorId"`
		Category string `json:"category"`
		Code     string `json:"errorCode"`
		Severity string `json:"severity"`
	}
	said := struct {
		Success  bool      `json:"success"`
		Error    string    `json:"error,omitempty"`
		Metadata *metadata `json:"metadata,omitempty"`
	}{Success: o.Success()}
	if o.Success() {
		return json.Marshal(said)
	}
	said.Error = o.Message()
	if f := o.Occurrence; f != nil {
		said.Metadata = &metadata{ErrorID: f.ID, Category: f.Category, Code: f.Code, Severity: f.Severity}
	}
	return json.Marshal(said)
}

// Message says what failed, secrets masked; it is empty after success.
func (o *Outcome) Message() string {
	switch {
	case o.Success():
		return ""
	case o.Occurrence != nil:
		return o.Occurrence.Message
	case o.Result != nil && o.Result.Error != "":
		return o.Result.Error
	}
	return o.Err.Error()
}
