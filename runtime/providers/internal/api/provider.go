// Package api is the common part of the providers over HTTP: the loop of requests and tools, the
// conversations, and the evidence of failures. A provider adds an [API], which wraps its SDK.
package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/proc"
	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// plainSystem replaces the default system prompt in a call without a directory.
	plainSystem = "When the task is done, or cannot go on without a person, say so with the tool for it."
	// unknownSession is the failure of a call that cannot continue its conversation. The executor
	// begins a new one.
	unknownSession = "the conversation to be continued is not known"
)

// The operations of evidence.
const (
	opCall      = "call"
	opAvailable = "available"
)

// API wraps the SDK of a service, whose type for messages is M.
type API[M any] interface {
	// User returns a message with a prompt.
	User(text string) M
	// Results returns the messages that answer the uses of tools.
	Results(results []Result) []M
	// Ask makes one request. With an error, which is a [*StreamError] or an error of the SDK, the
	// reply is incomplete.
	Ask(ctx context.Context, q Question[M], x *Exchange) (Reply[M], error)
}

// Question is the content of one request.
type Question[M any] struct {
	System   string
	Messages []M
	Tools    []toolbox.Tool
	// Say is called with each text of the model when that text is complete.
	Say func(text string)
}

// Reply is the answer to one request.
type Reply[M any] struct {
	// Message is the answer as a message of the conversation. Empty reports that it has no content,
	// so that the service would not accept it.
	Message M
	Empty   bool
	// Size is the approximate size of the message in bytes.
	Size int
	// Text is the text of the model. Uses are its uses of tools.
	Text string
	Uses []Use
	// Continue reports that the model has not finished its turn.
	Continue bool
	// Used are the tokens used, if the service reported all of them.
	Used taxonomy.Opt[Tokens]
}

// Use is a use of a tool by the model. Arguments are the model's, unchanged.
type Use struct{ ID, Name, Arguments string }

// Result is the result of a use.
type Result struct {
	ID, Text string
	IsError  bool
}

// Provider calls a model. It is safe for concurrent use.
type Provider[M any] struct {
	options       providers.Options
	api           API[M]
	keyRequired   bool // Available fails without a key
	mask          mask
	conversations store[M]
}

var (
	_ executor.Provider     = (*Provider[struct{}])(nil)
	_ executor.Credentialed = (*Provider[struct{}])(nil)
	_ executor.Ender        = (*Provider[struct{}])(nil)
)

// New returns a provider with the defaults of its package.
func New[M any](o, defaults providers.Options, wrap func(providers.Options) API[M]) (*Provider[M], error) {
	o, err := o.WithDefaults(defaults)
	if err != nil {
		return nil, err
	}
	o.Credential = cmp.Or(o.Credential, fingerprint(o.Name, o.BaseURL, o.Key))
	return &Provider[M]{
		options: o, api: wrap(o), keyRequired: o.BaseURL == defaults.BaseURL, mask: mask(o.Key),
	}, nil
}

// Name returns the source of the provider's evidence.
func (p *Provider[M]) Name() string { return p.options.Name }

// Credential names the key.
func (p *Provider[M]) Credential() string { return p.options.Credential }

// String returns name, model and address.
func (p *Provider[M]) String() string { return p.options.String() }

// GoString is String.
func (p *Provider[M]) GoString() string { return p.String() }

// LogValue is String.
func (p *Provider[M]) LogValue() slog.Value { return slog.StringValue(p.String()) }

// Available checks that there is a key if one is required. It uses no network.
func (p *Provider[M]) Available(context.Context) error {
	if p.keyRequired && p.options.Key == "" {
		return p.stamp(opAvailable, &taxonomy.Evidence{Text: "no key is configured"})
	}
	return nil
}

// End ends the group of a process that an interrupted call left running: a command of a tool, or an
// MCP server.
func (p *Provider[M]) End(ctx context.Context, process executor.Process) error {
	return proc.End(ctx, proc.ID{PID: process.PID, Start: process.Start}, p.options.Toolbox.Grace)
}

// Call runs one prompt to its end. If this process does not have the requested conversation,
// because another process began it or it became too long, the answer has a Failure.
func (p *Provider[M]) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	before, known := p.conversations.get(req.Session)
	if !known {
		return executor.Answer{Failure: unknownSession, Usage: executor.UnusedCall()}, nil
	}
	if req.Reduced && req.Session != "" {
		before = before.reduced()
		p.conversations.put(req.Session, before)
	}
	o := p.options.Toolbox
	o.Dir, o.Source, o.Started = req.Dir, p.options.Name, req.Started
	tools, err := toolbox.New(ctx, o)
	if err != nil {
		if _, is := errors.AsType[*taxonomy.Evidence](err); !is {
			ev := detect.Of(err)
			err = p.stamp(opCall, &ev)
		}
		return executor.Answer{Session: req.Session, Usage: executor.UnusedCall()}, p.toolFailed(ctx, err)
	}
	defer func() { _ = tools.Close() }()
	prompt := p.mask.text(req.Prompt)
	c := &call[M]{Provider: p, req: req, tools: tools,
		messages: append(before[:len(before):len(before)], newMessage(p.api.User(prompt), len(prompt), false))}
	answer, err := c.run(ctx)
	answer.Session = req.Session
	if c.added {
		answer.Session = p.conversations.put(req.Session, c.messages)
	}
	answer.Usage = c.spent.usage(p.options.Prices)
	return answer, err
}

// call is one call of the provider: a loop of requests and uses of tools.
type call[M any] struct {
	*Provider[M]
	req      executor.Request
	tools    *toolbox.Toolbox
	messages conversation[M]
	added    bool // a round was added after the prompt
	spent    tokenSum
}

// run makes requests until the model has finished. After the last turn it returns the answer so
// far, and the task continues in the next call.
func (c *call[M]) run(ctx context.Context) (executor.Answer, error) {
	for turn := 1; ; turn++ {
		reply, err := c.ask(ctx)
		if err != nil {
			return executor.Answer{}, err
		}
		last, err := c.use(ctx, reply)
		if err != nil {
			return executor.Answer{}, err
		}
		if last.Signal != executor.SignalNone || turn >= c.options.Turns || len(reply.Uses) == 0 && !reply.Continue {
			text := reply.Text
			if text == "" && last.Signal != executor.SignalNone {
				text = last.Text
			}
			return executor.Answer{Text: c.mask.text(strings.TrimSpace(text)), Signal: last.Signal,
				Question: c.mask.text(last.Question)}, nil
		}
	}
}

// ask makes one request.
func (c *call[M]) ask(ctx context.Context) (Reply[M], error) {
	x := &Exchange{mask: c.mask}
	system := c.options.System
	if c.req.Dir == "" && system == providers.DefaultSystem {
		system = plainSystem
	}
	reply, err := c.api.Ask(ctx, Question[M]{System: system, Messages: c.messages.params(), Tools: c.tools.Tools(),
		Say: c.say}, x)
	c.spent.add(x, reply.Used)
	if err == nil {
		return reply, nil
	}
	// The next call can continue an answer that reached the limit of tokens, but not a use of a
	// tool, whose arguments may be incomplete.
	cut, is := errors.AsType[*StreamError](err)
	if is && cut.Cut && len(reply.Uses) == 0 {
		c.add(reply, nil)
	}
	if ctx.Err() != nil { // it caused the error of the SDK
		return reply, c.contextError(ctx)
	}
	return reply, c.stamp(opCall, x.evidence(err))
}

// use runs the tools that the model uses, and adds the round to the conversation. It stops after a
// tool that reports the state of the task, or fails. It returns the result of the last tool.
func (c *call[M]) use(ctx context.Context, reply Reply[M]) (last toolbox.Result, err error) {
	results := make([]Result, len(reply.Uses))
	over := false
	for i, u := range reply.Uses {
		results[i] = Result{ID: u.ID, Text: "not done: the call was over", IsError: true}
		if over {
			continue
		}
		c.say(toolbox.Label(u.Name, []byte(u.Arguments)))
		last, err = c.tools.Call(ctx, u.Name, []byte(u.Arguments))
		if err != nil {
			results[i].Text, over = "refused", true
			continue
		}
		results[i].Text, results[i].IsError = c.mask.text(cmp.Or(last.Text, "(nothing)")), last.IsError
		over = last.Signal != executor.SignalNone
	}
	c.add(reply, results)
	if err != nil {
		return last, c.toolFailed(ctx, err)
	}
	return last, nil
}

// add adds a round to the conversation.
func (c *call[M]) add(reply Reply[M], results []Result) {
	if !reply.Empty {
		c.messages, c.added = append(c.messages, newMessage(reply.Message, reply.Size, len(reply.Uses) > 0)), true
	}
	if len(results) == 0 {
		return
	}
	size := 0
	for _, r := range results {
		size += len(r.Text) + overhead
	}
	messages := c.api.Results(results)
	for _, m := range messages {
		c.messages = append(c.messages, newMessage(m, size/len(messages), true))
	}
}

// maxProgress bounds the bytes of a text that is reported as progress.
const maxProgress = 4 << 10

// say reports a text of the model, or its use of a tool, as progress.
func (c *call[M]) say(text string) {
	if c.req.Progress != nil && strings.TrimSpace(text) != "" {
		c.req.Progress(c.mask.head(strings.TrimSpace(text), maxProgress))
	}
}

// toolFailed returns the failure of a tool. Evidence is masked. An error of another type, such as
// an error of the taxonomy, is unchanged.
func (p *Provider[M]) toolFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return p.contextError(ctx)
	}
	if ev, is := err.(*taxonomy.Evidence); is {
		masked := *ev
		p.mask.evidence(&masked)
		return &masked
	}
	return err
}
