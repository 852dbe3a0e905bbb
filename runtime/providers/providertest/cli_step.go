package providertest

import (
	"encoding/json"
	"slices"
	"time"
)

// CLIStep is what a run of a [CLI] does, in the order of the fields. The zero CLIStep prints that a
// session has begun and nothing else, and exits with 0. Steps are values; the methods return
// changed copies.
type CLIStep struct {
	// Deaf ignores SIGTERM, and so does the child.
	Deaf bool
	// Child leaves a process behind that keeps the outputs open: "group" in the group of the
	// program, "escaped" in a session of its own.
	Child string
	// Files are written, Removed are removed, and Commands run, in the working directory. Commands
	// are words; no shell reads them. One that fails ends the program with 70.
	Files    []CLIFile
	Removed  []string
	Commands [][]string

	// Bare leaves out the first event, as a program does that fails early.
	Bare bool
	// SessionID is what the events name; one that is made up unless set, or the one that the call
	// continues.
	SessionID string
	// Says are messages of the model. They are no result.
	Says []string
	// Limits are events about how the account stands with its limits.
	Limits []CLILimit
	// Stdout and Stderr are written as they are.
	Stdout, Stderr []byte
	// Flood is how many further bytes are written: as one line, or with FloodLines as messages of
	// the model.
	Flood      int64
	FloodLines bool
	// Hang waits for ever, before there is a result.
	Hang bool

	// Result is the result; nil for a run that gives none.
	Result *CLIResult
	// Cut writes only the first half of the result, and no end of its line.
	Cut bool
	// Linger waits for ever after the result.
	Linger bool
	// Signal ends the program: "SEGV".
	Signal string
	// Exit is what it exits with.
	Exit int
	// Repeat plays this step for every further run.
	Repeat bool
}

// CLILimit is how an account stands with a limit.
type CLILimit struct {
	// Status is "allowed", "allowed_warning" or "rejected".
	Status string
	// ResetsAt is when the limit is lifted, in seconds since 1970; 0 leaves it out.
	ResetsAt int64
	// Kind is the limit: "five_hour", "seven_day".
	Kind string
}

// CLIResult is the last event of a run.
type CLIResult struct {
	// Text is the final message, or what went wrong.
	Text string
	// IsError says that it went wrong. Subtype says nothing of the kind: it is "success" unless
	// set.
	IsError bool
	Subtype string
	// APIStatus is the HTTP status of a failed request; 0 for none.
	APIStatus int
	// APIError is the program's word for it: "rate_limit". RequestID names the request.
	APIError, RequestID string
	// Errors are told in place of Text by results that are no success.
	Errors []string
	// InputTokens, OutputTokens and CostUSD are what it cost. They are left out if NoUsage is set.
	InputTokens, OutputTokens int64
	CostUSD                   float64
	NoUsage                   bool
	// Denied are commands that the permission rules refused.
	Denied []string
}

// CLIAnswer is a run that goes well and ends with the text.
func CLIAnswer(text string) CLIStep {
	return CLIStep{Result: &CLIResult{Text: text, InputTokens: 1200, OutputTokens: 340, CostUSD: 0.0123}}
}

// CLIFails is a run that says in its result what went wrong, and exits with 1.
func CLIFails(text string) CLIStep {
	return CLIStep{Result: &CLIResult{Text: text, IsError: true}, Exit: 1}
}

// CLIAPIError is a run of which a request failed: "API Error: 529 {...}".
func CLIAPIError(status int, kind, message string) CLIStep {
	body := object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": cliRequestID}
	s := CLIFails("API Error: " + decimal(int64(status)) + " " + body.json())
	s.Result.APIStatus, s.Result.APIError, s.Result.RequestID = status, cliWord(status), cliRequestID
	return s
}

const cliRequestID = "req_011CXYZscripted"

// cliWord is the program's word for the status of a request.
func cliWord(status int) string {
	switch {
	case status == 429:
		return "rate_limit"
	case status == 401 || status == 403:
		return "authentication_failed"
	case status == 402:
		return "billing_error"
	case status >= 500:
		return "server_error"
	case status >= 400:
		return "invalid_request"
	}
	return "unknown"
}

// CLIOverloaded is a run to which the service was too busy.
func CLIOverloaded() CLIStep { return CLIAPIError(529, "overloaded_error", "Overloaded") }

// CLIServerError is a run that met a broken service.
func CLIServerError() CLIStep { return CLIAPIError(500, "api_error", "Internal server error") }

// CLIRateLimited is a run of an account that is out of its limit until then.
func CLIRateLimited(until time.Time) CLIStep {
	s := CLIFails("You've hit your limit · resets " + until.UTC().Format("3:04pm") + " (UTC)")
	s.Limits = []CLILimit{{Status: "rejected", ResetsAt: until.Unix(), Kind: "five_hour"}}
	s.Result.APIStatus, s.Result.APIError = 429, "rate_limit"
	return s
}

// CLIUsageLimit is what older versions say of an account that is out of its limit until then.
func CLIUsageLimit(until time.Time) CLIStep {
	return CLIFails("Claude AI usage limit reached|" + decimal(until.Unix()))
}

// CLIAuth is a run with a key that is not valid.
func CLIAuth() CLIStep {
	s := CLIFails("Invalid API key · Please run /login")
	s.Result.APIError = "authentication_failed"
	return s
}

// CLICredit is a run of an account without credit.
func CLICredit() CLIStep {
	s := CLIFails("Credit balance is too low")
	s.Result.APIError = "billing_error"
	return s
}

// CLIExit is a run that ends without a result, with what it writes to standard error.
func CLIExit(code int, stderr string) CLIStep {
	return CLIStep{Bare: true, Stderr: []byte(stderr), Exit: code}
}

// CLICrash is a run that a signal ends: "SEGV", "KILL".
func CLICrash(signal string) CLIStep {
	return CLIStep{Says: []string{"Let me look at that."}, Signal: signal}
}

// CLIHang is a run that never ends.
func CLIHang() CLIStep { return CLIStep{Says: []string{"Let me think about that."}, Hang: true} }

// CLISilent is a run that ends well and gives no result.
func CLISilent(says ...string) CLIStep { return CLIStep{Says: says} }

// CLIMalformed is a run of which the events cannot be read.
func CLIMalformed() CLIStep {
	const stream = `{"type":"assistant","message":{"content":[{"ty` + "\nnot an event\n" +
		`{"type":"result","result":"` + "\xff\xfe" + `",,}` + "\n[1,2]\nnull\n"
	return CLIStep{Stdout: []byte(stream)}
}

// CLITruncated is a run that ends in the middle of its result.
func CLITruncated(text string) CLIStep {
	s := CLIAnswer(text)
	s.Cut = true
	return s
}

// Write writes a file.
func (s CLIStep) Write(path, content string) CLIStep {
	return s.File(CLIFile{Path: path, Content: []byte(content)})
}

// File writes a file.
func (s CLIStep) File(f CLIFile) CLIStep {
	s.Files = append(slices.Clip(s.Files), f)
	return s
}

// Remove removes a file.
func (s CLIStep) Remove(path string) CLIStep {
	s.Removed = append(slices.Clip(s.Removed), path)
	return s
}

// Command runs a command.
func (s CLIStep) Command(argv ...string) CLIStep {
	s.Commands = append(slices.Clip(s.Commands), argv)
	return s
}

// Say has the model say something on the way.
func (s CLIStep) Say(text string) CLIStep {
	s.Says = append(slices.Clip(s.Says), text)
	return s
}

// Session names the session.
func (s CLIStep) Session(id string) CLIStep {
	s.SessionID = id
	return s
}

// Cost says what the run cost. It needs a result.
func (s CLIStep) Cost(input, output int64, usd float64) CLIStep {
	result := *s.Result
	result.InputTokens, result.OutputTokens, result.CostUSD, result.NoUsage = input, output, usd, false
	s.Result = &result
	return s
}

// Exiting exits with another code.
func (s CLIStep) Exiting(code int) CLIStep {
	s.Exit = code
	return s
}

// IgnoringTerm ignores SIGTERM.
func (s CLIStep) IgnoringTerm() CLIStep {
	s.Deaf = true
	return s
}

// WithChild leaves a process behind, in the group or escaped from it.
func (s CLIStep) WithChild(escaped bool) CLIStep {
	s.Child = "group"
	if escaped {
		s.Child = "escaped"
	}
	return s
}

// Always plays the step for every further run.
func (s CLIStep) Always() CLIStep {
	s.Repeat = true
	return s
}

// events returns what is printed before Stdout, a line each.
func (s *CLIStep) events(session, dir string) []string {
	var out []string
	add := func(o object) {
		o["session_id"] = session
		out = append(out, o.json())
	}
	if !s.Bare {
		add(object{"type": "system", "subtype": "init", "cwd": dir, "model": "claude-scripted",
			"tools": []string{"Bash", "Edit", "Read", "Write"}, "permissionMode": "acceptEdits",
			"apiKeySource": "none"})
	}
	for _, text := range s.Says {
		add(cliMessage("claude-scripted", text))
	}
	for _, f := range s.Files {
		add(object{"type": "assistant",
			"message": object{"model": "claude-scripted", "role": "assistant", "content": []object{
				{"type": "tool_use", "id": "toolu_1", "name": "Write", "input": object{"file_path": f.Path}}}}})
	}
	for _, l := range s.Limits {
		info := object{"status": l.Status, "rateLimitType": l.Kind}
		if l.ResetsAt != 0 {
			info["resetsAt"] = l.ResetsAt
		}
		add(object{"type": "rate_limit_event", "rate_limit_info": info})
	}
	if r := s.Result; r != nil && r.APIError != "" {
		o := cliMessage("<synthetic>", r.Text)
		o["error"], o["is_api_error_message"] = r.APIError, true
		if r.RequestID != "" {
			o["request_id"] = r.RequestID
		}
		add(o)
	}
	return out
}

func cliMessage(model, text string) object {
	return object{"type": "assistant", "message": object{"model": model, "role": "assistant",
		"content": []object{{"type": "text", "text": text}}}}
}

// event is the result as it is printed.
func (r *CLIResult) event(session string) string {
	o := object{"type": "result", "subtype": "success", "is_error": r.IsError, "session_id": session, "num_turns": 1,
		"duration_ms": 1000, "permission_denials": r.denials()}
	if r.Subtype != "" {
		o["subtype"] = r.Subtype
	}
	if len(r.Errors) > 0 {
		o["errors"] = r.Errors
	} else {
		o["result"] = r.Text
	}
	if r.APIStatus != 0 {
		o["api_error_status"] = r.APIStatus
	}
	if !r.NoUsage {
		o["total_cost_usd"] = r.CostUSD
		o["usage"] = object{"input_tokens": r.InputTokens, "cache_creation_input_tokens": 0,
			"cache_read_input_tokens": 0,
			"output_tokens":           r.OutputTokens}
	}
	return o.json()
}

func (r *CLIResult) denials() []json.RawMessage {
	out := []json.RawMessage{}
	for _, command := range r.Denied {
		out = append(out, json.RawMessage(object{"tool_name": "Bash", "tool_use_id": "toolu_1",
			"tool_input": object{"command": command}}.json()))
	}
	return out
}
