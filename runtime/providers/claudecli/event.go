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
	IsError   bool     `json:"is_error"`
	Result    string   `json:"result"`
	Errors    []string `json:"errors"`
	APIStatus int      `json:"api_error_status"`
	Usage     *usage   `json:"usage"`
	CostUSD   *float64 `json:"total_cost_usd"`
	Denials   []denial `json:"permission_denials"`
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

type usage struct {
	Input         int64 `json:"input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	Output        int64 `json:"output_tokens"`
}

// denial is a use of a tool that the permission rules refused.
type denial struct {
	Tool  string    `json:"tool_name"`
	Input toolInput `json:"tool_input"`
}

// parse reads a line. A field of another form than it is read here is passed over, and the others count.
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

// leastMillis is where a number of seconds since 1970 would be in the year 5138, so that it must be milliseconds.
const leastMillis = 1e11

// reset returns when the limit is lifted; zero when that is not known. The program gives seconds since 1970.
func (r *rateLimit) reset() time.Time {
	n, err := r.ResetsAt.Float64()
	switch {
	case err != nil || n <= 0 || n >= 1e14:
		return time.Time{}
	case n >= leastMillis:
		return time.UnixMilli(int64(n))
	}
	return time.UnixMilli(int64(n * 1000))
}

// used returns what a call cost. What was read from a cache was given to the model, too.
func (e *event) used() executor.Usage {
	var u executor.Usage
	if e.Usage != nil {
		u.InputTokens = taxonomy.Some(e.Usage.Input + e.Usage.CacheCreation + e.Usage.CacheRead)
		u.OutputTokens = taxonomy.Some(e.Usage.Output)
	}
	if e.CostUSD != nil {
		u.CostUSD = taxonomy.Some(*e.CostUSD)
	}
	return u
}
