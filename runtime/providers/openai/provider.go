package openai

import (
	"context"
	"fmt"
	"log/slog"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/chat"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Provider calls a model. It is safe for concurrent use.
type Provider struct {
	options Options
	chat    sdk.ChatCompletionService
	models  sdk.ModelService
	host    chat.Host[param]
}

var (
	_ executor.Provider     = (*Provider)(nil)
	_ executor.Credentialed = (*Provider)(nil)
)

// New returns a provider, or says what is wrong with the options. It uses no network.
func New(o Options) (*Provider, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("provider %s: %w", o.Name, err)
	}
	// Services read nothing from the environment; the SDK's client would.
	settings := o.settings()
	return &Provider{
		options: o, chat: sdk.NewChatCompletionService(settings...), models: sdk.NewModelService(settings...),
		host: chat.Host[param]{
			Source: wire.Source{Name: o.Name, Credential: o.Credential, Clock: o.Clock}, Toolbox: o.Toolbox,
		},
	}, nil
}

// Name returns the source that evidence names.
func (p *Provider) Name() string { return p.options.Name }

// Credential names the key.
func (p *Provider) Credential() string { return p.options.Credential }

// Available says whether it is configured who calls, where that is OpenAI's own server, and with
// [Options.Probe] whether the server knows the model.
func (p *Provider) Available(ctx context.Context) error {
	if p.options.Key == "" && len(p.options.Settings) == 0 && p.options.BaseURL == DefaultBaseURL {
		return p.host.Stamp(&taxonomy.Evidence{Text: "no key is configured"}, wire.OpAvailable)
	}
	if !p.options.Probe {
		return nil
	}
	x := &wire.Exchange{Mask: p.mask()}
	started := p.options.Clock.Now()
	_, err := p.models.Get(ctx, p.options.Model, option.WithMiddleware(x.Pass))
	if err == nil {
		return nil
	}
	return p.host.Failed(ctx, wire.OpAvailable, started, 0, func() *taxonomy.Evidence { return evidence(x, err) })
}

// Call runs one prompt to its end. A conversation that is not known, because this process did not
// begin it or it was too long to be kept, is an [executor.Answer] with a Failure, so that the
// executor begins a new one.
func (p *Provider) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	before, known := p.host.Before(req)
	if !known {
		return executor.Answer{Failure: chat.NotKnown, Usage: chat.Nothing()}, nil
	}
	if req.Reduced {
		before = before.Reduced()
		if req.Session != "" {
			p.host.Keep(req.Session, before)
		}
	}
	begun, err := p.host.Begin(ctx, req, before, user(req.Prompt))
	if err != nil {
		return executor.Answer{Session: req.Session, Usage: chat.Nothing()}, err
	}
	defer func() { _ = begun.Tools.Close() }()
	c := &call{Call: begun, provider: p}
	answer, err := c.run(ctx)
	answer.Session = p.host.End(begun)
	answer.Usage = begun.Spent.Usage(p.options.Prices.cost)
	return answer, err
}

func (p *Provider) mask() wire.Mask { return wire.Mask(p.options.Key) }

// String returns the provider's name, model and server.
func (p *Provider) String() string { return p.options.String() }

// GoString is String.
func (p *Provider) GoString() string { return p.String() }

// LogValue is String.
func (p *Provider) LogValue() slog.Value { return p.options.LogValue() }
