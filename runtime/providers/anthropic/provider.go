package anthropic

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Provider calls a model. It is safe for concurrent use.
type Provider struct {
	options  Options
	client   sdk.Client
	sessions sessions
}

var (
	_ executor.Provider     = (*Provider)(nil)
	_ executor.Credentialed = (*Provider)(nil)
)

// The operations that this package's evidence is about.
const (
	opCall      = "call"
	opAvailable = "available"
)

// New returns a provider, or says what is wrong with the options. It uses no network.
func New(o Options) (*Provider, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("provider %s: %w", o.Name, err)
	}
	return &Provider{options: o, client: sdk.NewClient(o.settings()...)}, nil
}

// Name returns the source that evidence names.
func (p *Provider) Name() string { return p.options.Name }

// Credential names the key.
func (p *Provider) Credential() string { return p.options.Credential }

// Available says whether it is configured who calls, and with [Options.Probe] whether the service knows the model.
func (p *Provider) Available(ctx context.Context) error {
	if p.options.Key == "" && len(p.options.Settings) == 0 {
		return p.stamp(&taxonomy.Evidence{Text: "no key is configured"}, opAvailable)
	}
	if !p.options.Probe {
		return nil
	}
	x := &wire.Exchange{Mask: wire.Mask(p.options.Key)}
	started := p.options.Clock.Now()
	_, err := p.client.Models.Get(ctx, p.options.Model, sdk.ModelGetParams{}, option.WithMiddleware(x.Pass))
	if err == nil {
		return nil
	}
	return p.failed(ctx, opAvailable, started, 0, func() *taxonomy.Evidence { return evidence(x, err) })
}

// Call runs one prompt to its end. A conversation that is not known, because this process did not begin it or it was too
// long to be kept, is an [executor.Answer] with a Failure, so that the executor begins a new one.
func (p *Provider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	before, known := p.sessions.get(req.Session)
	if req.Session != "" && !known {
		return executor.Answer{Failure: "the conversation to be continued is not known"}, nil
	}
	if req.Reduced {
		before = before.reduced()
	}
	tools, err := p.tools(req.Dir)
	if err != nil {
		return executor.Answer{Session: req.Session}, err
	}
	defer tools.Close()
	started := p.options.Clock.Now()
	c := &call{
		provider: p, request: req, tools: tools, started: started, limit: wire.Limit(ctx, req.Limit, started),
		messages: append(before[:len(before):len(before)], user(sdk.NewTextBlock(req.Prompt))),
	}
	answer, err := c.run(ctx)
	answer.Session = req.Session
	if c.rounds > 0 {
		answer.Session = p.sessions.keep(req.Session, c.messages)
	}
	answer.Usage = c.tokens.usageOf(p.options.Prices)
	return answer, err
}

// tools returns the tools for one call.
func (p *Provider) tools(dir string) (*toolbox.Toolbox, error) {
	o := p.options.Toolbox
	o.Dir, o.Source = dir, p.options.Name
	tools, err := toolbox.New(o)
	if err != nil {
		ev := detect.Of(err)
		return nil, p.stamp(&ev, opCall)
	}
	return tools, nil
}

// stamp says whose evidence it is.
func (p *Provider) stamp(ev *taxonomy.Evidence, op string) *taxonomy.Evidence {
	ev.Source, ev.Op, ev.Credential = p.options.Name, op, p.options.Credential
	return ev
}

// failed returns the error of a request. A deadline is evidence of its own, whatever broke off when it came; a
// cancellation is no failure and is returned as what it is.
func (p *Provider) failed(ctx context.Context, op string, started time.Time, limit time.Duration, why func() *taxonomy.Evidence) error {
	if ctx.Err() == nil {
		return p.stamp(why(), op)
	}
	ev, err := wire.Deadline(ctx, p.options.Clock.Now().Sub(started), limit)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", op, p.options.Name, err)
	}
	return p.stamp(ev, op)
}
