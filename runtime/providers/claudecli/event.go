package claudecli

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// event is a line of the stream, as far as it is read here.
type event struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`

	// Of type assistant. Error is set on the message that the program makes of a failed request.
	Message   message `json:"message"`
	Error     string  `json:"error"`
	RequestID string  `json:"request_id"`

	// Of type rate_limit_event.
	RateLimit *rateLimit `json:"rate_limit_info"`

	// Of type result.
	Verdict   verdict         `json:"is_error"`
	Result    string          `json:"result"`
	Errors    []string        `json:"errors"`
	APIStatus int             `json:"api_error_status"`
	Usage     usage           `json:"usage"`
	CostUSD   number[float64] `json:"total_cost_usd"`
	Denials   []denial        `json:"permission_denials"`
}

// verdict is what a result says of the run. Only the word false says that it succeeded: what is
// missing, or of another form, must not be taken for that.
type verdict uint8

const (
	unsaid verdict = iota
	succeeded
	unclear
	erred
)

// UnmarshalJSON reads a bool, or one that is written as a text. It never fails. Of several the
// worst counts.
func (v *verdict) UnmarshalJSON(b []byte) error {
	read := unclear
	switch string(b) {
	case "false":
		read = succeeded
	case "true", `"true"`:
		read = erred
	}
	*v = max(*v, read)
	return nil
}

type message struct {
	Content []block `json:"content"`
}

// block is a part of a message.
type block struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	Name  string    `json:"name"`
	Input toolInput `json:"input"`
}

// toolInput is what is shown of a tool's input.
type toolInput struct {
	Command  string `json:"command"`
	FilePath string `json:"file_path"`
	Pattern  string `json:"pattern"`
}

// rateLimit is how an account stands with its limits.
type rateLimit struct {
	Status   string      `json:"status"`
	ResetsAt json.Number `json:"resetsAt"`
	Kind     string      `json:"rateLimitType"`
}

// usage is what a call used. Of a cache that was not used there may be nothing.
type usage struct {
	Input         number[int64] `json:"input_tokens"`
	CacheCreation number[int64] `json:"cache_creation_input_tokens"`
	CacheRead     number[int64] `json:"cache_read_input_tokens"`
	Output        number[int64] `json:"output_tokens"`
}

// number is absent where there is none, and where there is something of another form: that is no
// zero.
type number[T int64 | float64] struct{ taxonomy.Opt[T] }

// UnmarshalJSON reads a number. It never fails.
func (n *number[T]) UnmarshalJSON(b []byte) error {
	*n = number[T]{}
	var v *T
	if json.Unmarshal(b, &v) == nil && v != nil {
		n.Opt = taxonomy.Some(*v)
	}
	return nil
}

// denial is a use of a tool that the permission rules refused.
type denial struct {
	Tool  string    `json:"tool_name"`
	Input toolInput `json:"tool_input"`
}

// parse reads a line. A field of another form than it is read here is passed over, and the others
// count.
func parse(line []byte) (event, bool) {
	var e event
	err := json.Unmarshal(line, &e)
	var form *json.UnmarshalTypeError
	if err != nil && !errors.As(err, &form) {
		return event{}, false
	}
	return e, e.Type != ""
}

// rejected reports whether the account is out of its limit.
func (r *rateLimit) rejected() bool { return r != nil && r.Status == "rejected" }

// leastMillis is where a number of seconds since 1970 would be in the year 5138, so that it must be
// milliseconds.
const leastMillis = 1e11

// beyondMillis is where milliseconds since 1970 would be in the year 5138, so that the number is
// absurd.
const beyondMillis = 1e14

// reset returns when the limit is lifted; zero when that is not known. The program gives seconds
// since 1970. A number that is absurd is the end of the year 9999, so that it is not taken for a
// limit that is lifted.
func (r *rateLimit) reset() time.Time {
	n, err := r.ResetsAt.Float64()
	switch {
	case n >= beyondMillis: // infinity too, which comes with an error
		return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	case err != nil || !(n > 0):
		return time.Time{}
	case n >= leastMillis:
		return time.UnixMilli(int64(n))
	}
	return time.UnixMilli(int64(n * 1000))
}

// used returns what a call cost. What was read from a cache was given to the model, too.
func (e *event) used() executor.Usage {
	u := executor.Usage{OutputTokens: e.Usage.Output.Opt, CostUSD: e.CostUSD.Opt}
	if input, ok := e.Usage.Input.Get(); ok {
		u.InputTokens = taxonomy.Some(input + e.Usage.CacheCreation.Or(0) + e.Usage.CacheRead.Or(0))
	}
	return u
}

// nothing is what a call without a process costs.
func nothing() executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0),
		CostUSD: taxonomy.Some(0.0)}
}
