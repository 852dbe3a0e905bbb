package claudecli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// event is a line of the stream, with the fields that are used.
type event struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`

	// Of type assistant. Error is set in the program's message about a failed request.
	Message   struct{ Content []block }
	Error     string `json:"error"`
	RequestID string `json:"request_id"`

	// Of type rate_limit_event.
	RateLimit *rateLimit `json:"rate_limit_info"`

	// Of type result.
	IsError   taxonomy.Opt[bool]    `json:"is_error"`
	Result    string                `json:"result"`
	Errors    []string              `json:"errors"`
	APIStatus int                   `json:"api_error_status"`
	Usage     usage                 `json:"usage"`
	CostUSD   taxonomy.Opt[float64] `json:"total_cost_usd"`
	Denials   []struct {
		Tool  string    `json:"tool_name"`
		Input toolInput `json:"tool_input"`
	} `json:"permission_denials"`
}

// parse decodes a line. It ignores fields of unexpected types.
func parse(line []byte) (event, bool) {
	var e event
	err := json.Unmarshal(line, &e)
	if _, is := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !is {
		return event{}, false
	}
	return e, e.Type != ""
}

// failed and succeeded report the verdict of a result. Neither is true if the result has none.
func (e *event) failed() bool    { return e != nil && e.IsError.Or(false) }
func (e *event) succeeded() bool { return e != nil && !e.IsError.Or(true) }

// block is a part of a message.
type block struct {
	Type  string    `json:"type"`
	Text  string    `json:"text"`
	Name  string    `json:"name"`
	Input toolInput `json:"input"`
}

// toolInput is the part of a tool's input that is shown.
type toolInput struct {
	Command  string `json:"command"`
	FilePath string `json:"file_path"`
	Pattern  string `json:"pattern"`
}

// maxProgress bounds the bytes of a line of progress.
const maxProgress = 200

// progress returns a description of the part, on one masked line. It is empty for other types.
func (b *block) progress(mask text.Mask) string {
	switch b.Type {
	case "text":
		return mask.OneLine(b.Text, maxProgress)
	case "tool_use":
		return mask.OneLine(b.Name+" "+cmp.Or(b.Input.FilePath, b.Input.Command, b.Input.Pattern), maxProgress)
	}
	return ""
}

// rateLimit is the state of a limit of the account.
type rateLimit struct {
	Status   string      `json:"status"`
	ResetsAt json.Number `json:"resetsAt"`
	Kind     string      `json:"rateLimitType"`
}

// reset returns when the limit is reset; zero if that is unknown. The program prints seconds since
// 1970.
func (r *rateLimit) reset() time.Time {
	n, err := r.ResetsAt.Float64()
	if err != nil || !(n > 0) || n > 1e11 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n * 1000))
}

// usage contains the tokens of a call. The fields of the cache may be absent.
type usage struct {
	Input         taxonomy.Opt[int64] `json:"input_tokens"`
	CacheCreation taxonomy.Opt[int64] `json:"cache_creation_input_tokens"`
	CacheRead     taxonomy.Opt[int64] `json:"cache_read_input_tokens"`
	Output        taxonomy.Opt[int64] `json:"output_tokens"`
}

// used returns the cost of a call. Input from a cache is input of the model, too.
func (e *event) used() executor.Usage {
	u := executor.Usage{OutputTokens: e.Usage.Output, CostUSD: e.CostUSD}
	if input, ok := e.Usage.Input.Get(); ok {
		u.InputTokens = taxonomy.Some(input + e.Usage.CacheCreation.Or(0) + e.Usage.CacheRead.Or(0))
	}
	return u
}

// maxLine bounds the bytes of a line of the stream. A longer line is skipped.
const maxLine = 4 << 20

// lines splits the stream into lines.
type lines struct {
	buf  []byte
	skip bool // the current line is too long
	line func([]byte)
}

// Write implements [io.Writer]. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if l.skip = l.skip || len(l.buf)+len(line) > maxLine; !l.skip {
			l.buf = append(l.buf, line...)
		}
		if ended {
			l.flush()
		}
		rest = after
	}
	return len(p), nil
}

// flush ends the current line.
func (l *lines) flush() {
	if !l.skip && len(l.buf) > 0 {
		l.line(l.buf)
	}
	l.buf, l.skip = l.buf[:0], false
}

// isIgnored reports, without parsing, whether a line is not used: a result of a tool, which is the
// largest part of a stream, or a piece of a message.
func isIgnored(line []byte) bool {
	kind, ok := strings.CutPrefix(string(line[:min(len(line), 32)]), `{"type":"`)
	return ok && (strings.HasPrefix(kind, `user"`) || strings.HasPrefix(kind, `stream_event"`))
}
