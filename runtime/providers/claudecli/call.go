package claudecli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
)

const (
	// maxStderr is how much of the end of standard error is kept.
	maxStderr = 64 << 10
	// maxPlain is how much is kept of the end of what is on standard output and no event.
	maxPlain = 16 << 10
	// maxText is how much of the end of the final message is kept: that is where markers are.
	maxText = 1 << 20
)

// errLingers is why a process is ended that stays after its result.
var errLingers = errors.New("the process stays after its result")

// call is one run of the program.
type call struct {
	*Provider
	req executor.Request

	stderr  *proc.Tail
	plain   *proc.Tail // standard output that is no event
	session string
	limit   *rateLimit // the latest
	failed  event      // the message that was made of a failed request
	result  *event
	linger  func() // begins the time that the process has left
	ran     bool   // there was a process
	refused error  // what Started said
}

// Call runs the program on a prompt. A session that cannot be one is not continued, and a reduced
// call begins a new one, because a session cannot be shortened.
func (p *Provider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	if err := p.permitted(opCall); err != nil {
		return executor.Answer{Usage: nothing()}, err
	}
	path, err := p.program()
	if err != nil {
		return executor.Answer{Usage: nothing()}, err
	}
	if req.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, req.Limit)
		defer cancel()
		ctx = limited
	}
	running, end := context.WithCancelCause(ctx)
	defer end(nil)
	c := &call{Provider: p, req: req, stderr: proc.NewTail(maxStderr), plain: proc.NewTail(maxPlain)}
	var timer *time.Timer
	c.linger = func() { timer = time.AfterFunc(p.options.Grace, func() { end(errLingers) }) }
	began := time.Now()
	exit, err := c.run(running, path)
	c.ran = exit.Took > 0 // what was not started took no time
	if timer != nil {
		timer.Stop()
	}
	err = c.outcome(ctx, exit, err, time.Since(began))
	return c.answer(err == nil), err
}

// run runs the program and reads its events.
func (c *call) run(ctx context.Context, path string) (proc.Exit, error) {
	stdout := &lines{line: c.read}
	session := validSession(c.req.Session)
	if c.req.Reduced {
		session = ""
	}
	exit, err := proc.Run(ctx, proc.Command{
		Path: path, Args: c.options.arguments(session), Dir: c.req.Dir, Env: c.options.environment(),
		Stdin: strings.NewReader(c.req.Prompt), Stdout: stdout, Stderr: c.stderr,
		Grace: c.options.Grace, Started: c.started, Sweep: true,
	})
	stdout.Close()
	return exit, err
}

// started passes on which process it is.
func (c *call) started(id proc.ID) error {
	if c.req.Started == nil {
		return nil
	}
	c.refused = c.req.Started(executor.Process{PID: id.PID, Start: id.Start})
	return c.refused
}

// read takes a line of the stream. After a result only other results are of interest.
func (c *call) read(line []byte) {
	if len(line) == 0 || c.session != "" && idle(line) {
		return
	}
	e, ok := parse(line)
	if c.result != nil {
		if e.Type == "result" {
			c.resultAgain(e)
		}
		return
	}
	if !ok {
		if line[0] != '{' {
			_, _ = c.plain.Write(append(line[:len(line):len(line)], '\n'))
		}
		return
	}
	if session := validSession(e.SessionID); session != "" {
		c.session = session
	}
	switch e.Type {
	case "assistant":
		c.message(e)
	case "rate_limit_event":
		c.limit = e.RateLimit
	case "result":
		c.result = &e
		c.linger()
	}
}

// resultAgain takes a result that follows another one. The last one counts, but a failure outweighs
// what comes after it, and what was refused stays so.
func (c *call) resultAgain(e event) {
	last := *c.result
	switch {
	case rank(e.Verdict) < rank(last.Verdict):
		last.Usage, last.CostUSD = cmp.Or(e.Usage, last.Usage), cmp.Or(e.CostUSD, last.CostUSD)
		c.result = &last
		return
	case len(e.Denials) == 0:
		e.Denials = last.Denials
	}
	c.result = &e
}

// rank orders verdicts, the worst last.
func rank(v verdict) verdict {
	if v == unsaid {
		return unclear
	}
	return v
}

// idle reports that a line says nothing that is used here, without reading it: what tools have
// returned, which is most of a stream, and pieces of messages that come whole later.
func idle(line []byte) bool {
	kind, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	return ok && (bytes.HasPrefix(kind, []byte(`user"`)) || bytes.HasPrefix(kind, []byte(`stream_event"`)))
}

// message takes a message of the model, or one that the program made of a failed request.
func (c *call) message(e event) {
	if e.Error != "" {
		c.failed = event{Error: e.Error, RequestID: e.RequestID}
		return
	}
	c.failed = event{}
	if c.req.Progress == nil {
		return
	}
	for i := range e.Message.Content {
		if text := e.Message.Content[i].progress(c.masked); text != "" {
			c.req.Progress(text)
		}
	}
}
