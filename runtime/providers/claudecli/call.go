package claudecli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// These limit bytes. Of longer texts the end remains.
	maxStderr = 64 << 10 // of standard error
	maxPlain  = 16 << 10 // of lines of standard output that are not events
	maxText   = 1 << 20  // of the final message, whose end has the markers
)

// errStillRunning is the cause if a process is ended because it keeps running after its result.
var errStillRunning = errors.New("the process keeps running after its result")

// call is one run of the program.
type call struct {
	*Provider
	req executor.Request

	stderr, plain *proc.Tail
	session       string
	limit         *rateLimit // the latest
	request       event      // error and request ID of the latest message
	result        *event
	finish        func()    // starts the grace of the process after its result
	startedErr    error     // of Request.Started
	exit          proc.Exit // of the process
	err           error     // why the process was ended, or did not start
}

// Call runs the program with a prompt. An invalid session is not continued. A reduced call begins a
// new session, because sessions cannot be shortened.
func (p *Provider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	path := ""
	err := p.checkPermissions(opCall)
	if err == nil {
		path, err = p.program()
	}
	if err != nil {
		return executor.Answer{Usage: executor.UnusedCall()}, err
	}
	if req.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, req.Limit)
		defer cancel()
		ctx = limited
	}
	c := &call{Provider: p, req: req, stderr: proc.NewTail(maxStderr), plain: proc.NewTail(maxPlain)}
	c.run(ctx, path)
	err = c.outcome(ctx)
	a := executor.Answer{Session: c.session}
	switch {
	case c.result != nil:
		a.Usage = c.result.used()
		if err == nil {
			a.Text = c.secrets.Replace(c.tail(c.result.Result, maxText))
		}
	case c.exit.Took == 0: // it was not started
		a.Usage = executor.UnusedCall()
	}
	return a, err
}

// run runs the program and reads its events.
func (c *call) run(ctx context.Context, path string) {
	running, end := context.WithCancelCause(ctx)
	defer end(nil)
	var timer *time.Timer
	c.finish = func() { timer = time.AfterFunc(c.options.Grace, func() { end(errStillRunning) }) }
	session := validSession(c.req.Session)
	if c.req.Reduced {
		session = ""
	}
	stdout := &lines{line: c.read}
	c.exit, c.err = proc.Run(running, proc.Command{
		Path: path, Args: c.options.arguments(session), Dir: c.req.Dir, Env: c.options.environment(),
		Stdin: strings.NewReader(c.req.Prompt), Stdout: stdout, Stderr: c.stderr,
		Grace: c.options.Grace, Started: c.started, Sweep: true,
	})
	stdout.flush()
	if timer != nil {
		timer.Stop()
	}
}

// started passes the identity of the process to the request's Started.
func (c *call) started(id proc.ID) error {
	if c.req.Started != nil {
		c.startedErr = c.req.Started(executor.Process{PID: id.PID, Start: id.Start})
	}
	return c.startedErr
}

// read reads a line of the stream. After a result, only further results count.
func (c *call) read(line []byte) {
	if len(line) == 0 || c.session != "" && isIgnored(line) {
		return
	}
	e, ok := parse(line)
	switch {
	case c.result != nil:
		if e.Type == "result" {
			c.addResult(e)
		}
		return
	case !ok:
		if line[0] != '{' {
			_, _ = c.plain.Write(append(line[:len(line):len(line)], '\n'))
		}
		return
	}
	c.session = cmp.Or(validSession(e.SessionID), c.session)
	switch e.Type {
	case "assistant":
		c.request = event{Error: e.Error, RequestID: e.RequestID}
		if e.Error != "" || c.req.Progress == nil {
			return
		}
		for i := range e.Message.Content {
			if text := e.Message.Content[i].progress(c.mask); text != "" {
				c.req.Progress(text)
			}
		}
	case "rate_limit_event":
		c.limit = e.RateLimit
	case "result":
		c.result = &e
		c.finish()
	}
}

// addResult adds a further result. The last result counts, unless an earlier one did not succeed.
// The last cost and the denials always count.
func (c *call) addResult(e event) {
	if !c.result.succeeded() {
		earlier := *c.result
		earlier.Usage, earlier.CostUSD = cmp.Or(e.Usage, earlier.Usage), cmp.Or(e.CostUSD, earlier.CostUSD)
		e = earlier
	}
	if len(e.Denials) == 0 {
		e.Denials = c.result.Denials
	}
	c.result = &e
}

// outcome returns nil if the call succeeded, and otherwise its failure. A result also counts if the
// process was ended after it.
func (c *call) outcome(ctx context.Context) error {
	switch {
	case c.startedErr != nil:
		return c.startedErr
	case c.result != nil && !c.result.succeeded():
		return c.failure()
	case c.result != nil && (c.err != nil || c.exit.Code == 0):
		return c.denial()
	case errors.Is(c.err, context.DeadlineExceeded):
		ev := c.evidence()
		ev.Type, ev.Err, ev.Text = "timeout", c.err, c.text()
		return ev
	case ctx.Err() != nil && c.err != nil:
		return fmt.Errorf("call %s: %w", c.options.Name, c.err)
	}
	return c.failure()
}

// denial returns the evidence of a refused command, if that fails the call.
func (c *call) denial() error {
	if c.options.Policy == "" {
		return nil
	}
	for _, d := range c.result.Denials {
		if d.Tool == "Bash" {
			ev := c.evidence()
			ev.Type, ev.Text = "command_blocked", "the permission rules do not allow a command"
			ev.Attributes = map[string]string{"command": c.mask(d.Input.Command), "policy": c.options.Policy}
			return ev
		}
	}
	return nil
}

// evidence returns evidence with the fields that all failures have.
func (c *call) evidence() *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: c.options.Name, Op: opCall, Credential: c.credential, Output: c.output(c.plain)}
}

// text returns what the process reported about its failure: the result of a failed run, then the
// end of standard error.
func (c *call) text() string {
	text := ""
	if c.result.failed() {
		text = c.secrets.Replace(c.tail(cmp.Or(c.result.Result, strings.Join(c.result.Errors, "\n")), maxStderr)) + "\n"
	}
	return strings.TrimSpace(text + c.output(c.stderr))
}

// failure returns the evidence of a failed call, apart from timeouts and refused commands.
func (c *call) failure() *taxonomy.Evidence {
	ev := proc.Failure(c.options.Name, opCall, c.options.Path, c.exit, c.err)
	if ev == nil || c.result != nil && c.err != nil { // the process did not fail, or was ended after its result
		ev = c.evidence()
	}
	ev.Credential, ev.Output = c.credential, c.output(c.plain)
	if c.err == nil {
		delete(ev.Attributes, "command") // rules use it for commands of the model
	}
	ev.Text = cmp.Or(c.text(), ev.Text)
	switch {
	case c.result.failed():
		c.addResultDetails(ev)
	case c.result == nil && c.exit.Code != 0:
		if id := c.addAPIError(ev, ev.Text); id != "" {
			ev.SetAttribute("request-id", c.mask(id))
		}
	case c.result != nil && !c.result.succeeded():
		ev.Type, ev.Text = "stream", strings.TrimSpace("the result does not report whether the call failed\n"+ev.Text)
	case c.result == nil && c.err == nil && c.exit.Code == 0:
		ev.Type, ev.Text = "stream", cmp.Or(ev.Text, "no result event")
	}
	if (c.result.failed() || c.exit.Signal == "" && c.err == nil) && c.limit != nil && c.limit.Status == "rejected" {
		if ev.Type == "" && ev.Status == 0 {
			ev.Type = "rate_limit_error"
		}
		if ev.ResetAt.IsZero() {
			ev.ResetAt = c.limit.reset()
		}
		if c.limit.Kind != "" {
			ev.SetAttribute("rate_limit_type", c.limit.Kind)
		}
	}
	detect.SetWait(ev)
	return ev
}

// The two forms of text in which the program prints a failed request:
//
//	API Error: 529 {"type":"error","error":{"type":"overloaded_error"},"request_id":"req_1"}
//	Claude AI usage limit reached|1772366400
var (
	apiError   = regexp.MustCompile(`^(?:Error: )?API Error:? \(?([45]\d\d)\b\s*(\{.*\})?`)
	usageLimit = regexp.MustCompile(`^Claude AI usage limit reached\|(\d{9,})\b`)
)

// apiTypes maps the program's words for failed requests to the types of the API.
var apiTypes = map[string]string{
	"rate_limit": "rate_limit_error", "authentication_failed": "authentication_error", "overloaded": "overloaded_error",
	"oauth_org_not_allowed": "permission_error", "invalid_request": "invalid_request_error", "unknown": "",
}

// addAPIError adds the status, type and code of a failed request in the first line of a text to
// evidence, and returns the identifier of the request.
func (c *call) addAPIError(ev *taxonomy.Evidence, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	m := apiError.FindStringSubmatch(first)
	if m == nil {
		return ""
	}
	if ev.Status == 0 {
		ev.Status, _ = strconv.Atoi(m[1]) // three digits
		ev.StatusDerived = true
	}
	var body taxonomy.Evidence
	detect.Body(&body, []byte(m[2]))
	ev.Type, ev.Code = cmp.Or(c.mask(body.Type), ev.Type), c.mask(body.Code)
	return body.Attributes["request-id"]
}

// addResultDetails adds the details of a failed result, and of the message before it, to evidence.
func (c *call) addResultDetails(ev *taxonomy.Evidence) {
	if status := c.result.APIStatus; status >= 400 && status <= 599 {
		ev.Status = status
	}
	text := strings.TrimSpace(c.result.Result)
	if m := usageLimit.FindStringSubmatch(text); m != nil {
		limit := rateLimit{ResetsAt: json.Number(m[1])}
		ev.Type, ev.ResetAt = "rate_limit_error", limit.reset()
	}
	requestID := cmp.Or(c.addAPIError(ev, text), c.request.RequestID)
	word, known := apiTypes[c.request.Error]
	if !known {
		word = c.mask(c.request.Error)
	}
	ev.Type = cmp.Or(ev.Type, word)
	if ev.Type == "" && strings.HasPrefix(c.result.Subtype, "error_") {
		ev.Type = c.mask(c.result.Subtype)
	}
	if requestID != "" {
		ev.SetAttribute("request-id", c.mask(requestID))
	}
}
