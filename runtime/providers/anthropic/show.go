package anthropic

import (
	"fmt"
	"log/slog"
)

// String returns the options without the key.
func (o Options) String() string {
	return fmt.Sprintf("%s, model %s at %s", o.Name, o.Model, o.BaseURL)
}

// GoString is String.
func (o Options) GoString() string { return o.String() }

// LogValue is String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// String returns the provider's name, model and server.
func (p *Provider) String() string { return p.options.String() }

// GoString is String.
func (p *Provider) GoString() string { return p.String() }

// LogValue is String.
func (p *Provider) LogValue() slog.Value { return p.options.LogValue() }
