// Package openai is a provider over OpenAI's chat completions, with the official SDK. Gateways,
// proxies and local models offer the same API.
//
//	provider, err := openai.New(openai.Options{Key: key, Model: "gpt-4.1"})
//	local, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3"})
//
// A call makes requests until the model has finished. In between, the tools that the model uses run
// in the working tree; see package
// [github.com/errgen/errgen/runtime/providers/toolbox]. The package uses chat completions, not
// responses, because other servers offer them too, and because the client holds their conversation:
// it can be shortened, and nothing is stored on the server.
//
// A failure is a [github.com/errgen/errgen/runtime/taxonomy.Evidence] with status, type, code,
// parameter, request ID and wait, as the server reported them. A failure within a stream has its
// own type and code and no status. A stream that ends early has the type "stream". An answer that
// stops early has the finish reason as its type: "length" or "content_filter". The retries of the
// SDK are off, because the taxonomy decides about retries.
//
// The usage is unknown, not zero, if a request broke off after it was sent. The key is in no
// evidence, answer or prompt, also if the server or the model repeats it.
package openai

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/api"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/retry"
)

// The defaults of [Options].
const (
	DefaultName    = "openai-api"
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultTurns   = api.DefaultTurns
	DefaultSystem  = api.DefaultSystem
)

// Options configure a [Provider]. Model is required. Nothing is read from the environment.
type Options struct {
	// Name is the source of evidence; [DefaultName].
	Name string
	// BaseURL is the address of the server, with the path before "chat/completions";
	// [DefaultBaseURL].
	BaseURL string
	// Key is the API key. It can be empty if the server needs none, or if Settings authenticate.
	Key string
	// Credential names the key for waits that runs share; a fingerprint of the key by default.
	Credential string
	// Model is the name of the model.
	Model string
	// MaxTokens limits the tokens of one answer; 0 is the server's default.
	MaxTokens int
	// System is the system prompt; [DefaultSystem].
	System string
	// Toolbox configures the tools. Dir, Source and Started are set for each call.
	Toolbox toolbox.Options
	// Turns limits the requests of one call; [DefaultTurns]. After the last one the call answers
	// with the text so far, without a signal.
	Turns int
	// Prices are the prices of tokens; without them the cost of an answer is unknown.
	Prices *Prices
	// Client makes the requests; nil is one with the default transport. Redirects are not followed.
	Client *http.Client
	// Settings are further options of the SDK.
	Settings []option.RequestOption
	// Clock measures how long calls take; nil is [retry.System].
	Clock retry.Clock
}

// Prices are in US dollars for a million tokens.
type Prices struct {
	Input, Output float64
	// CachedInput is the price of input that the server read from its cache; 0 is the price of
	// Input.
	CachedInput float64
}

// Provider calls a model. It is safe for concurrent use.
type Provider struct{ *provider }

type provider = api.Provider[param]

var (
	_ executor.Provider     = (*Provider)(nil)
	_ executor.Credentialed = (*Provider)(nil)
	_ executor.Ender        = (*Provider)(nil)
)

// New returns a provider. It uses no network.
func New(o Options) (*Provider, error) {
	c := api.Config{Name: cmp.Or(o.Name, DefaultName), BaseURL: cmp.Or(o.BaseURL, DefaultBaseURL), Key: o.Key,
		Credential: o.Credential, Model: o.Model, System: o.System, MaxTokens: o.MaxTokens, Turns: o.Turns,
		Toolbox: o.Toolbox, Client: o.Client, Clock: o.Clock}
	c.KeyRequired = len(o.Settings) == 0 && c.BaseURL == DefaultBaseURL
	if o.Prices != nil {
		c.Cost = o.Prices.cost
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return &Provider{api.New(c, newClient(c, o))}, nil
}

func (p *Prices) cost(t api.Tokens) float64 {
	const million = 1e6
	return (float64(t.Input)*p.Input + float64(t.CacheRead)*cmp.Or(p.CachedInput, p.Input) +
		float64(t.Output)*p.Output) / million
}

// String returns name, model and address.
func (o Options) String() string {
	return fmt.Sprintf("%s, model %s at %s", cmp.Or(o.Name, DefaultName), o.Model, cmp.Or(o.BaseURL, DefaultBaseURL))
}

// GoString is String, because the fields include the key.
func (o Options) GoString() string { return o.String() }

// LogValue is String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }
