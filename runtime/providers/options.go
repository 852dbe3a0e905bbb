// Package providers has the options of the providers over HTTP: packages anthropic and openai.
package providers

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// The defaults of [Options].
const (
	DefaultTurns  = 50
	DefaultSystem = "You work on the files of one directory, with the tools that you are given. Paths are " +
		"relative to that directory. Look at what is there before you change it. When the task is done, or cannot " +
		"go on without a person, say so with the tool for it."
)

// Options configure a provider over HTTP. Model is required. Nothing is read from the environment.
type Options struct {
	// Name is the source of evidence; the DefaultName of the provider's package.
	Name string
	// BaseURL is the address of the service, with the path before "v1/messages" for Anthropic, and
	// before "chat/completions" for OpenAI; the DefaultBaseURL of the provider's package.
	BaseURL string
	// Key is the API key. It can be empty if the server at another BaseURL needs none.
	Key string
	// Credential names the key for waits that runs share; a fingerprint of the key by default.
	Credential string
	// Model is the name of the model.
	Model string
	// MaxTokens limits the tokens of one answer; 0 is the default of the provider's package.
	MaxTokens int
	// System is the system prompt; [DefaultSystem].
	System string
	// Toolbox configures the tools. Dir, Source and Started are set for each call.
	Toolbox toolbox.Options
	// Turns limits the requests of one call; [DefaultTurns]. After the last one the call answers
	// with the text so far, without a signal.
	Turns int
	// Cache makes Anthropic cache the conversation, so that reading it again costs less. Other
	// services decide about that themselves.
	Cache bool
	// Prices are the prices of tokens; without them the cost of an answer is unknown.
	Prices *Prices
	// Client makes the requests; nil is one with the default transport. Redirects are not followed.
	Client *http.Client
}

// Prices are in US dollars for a million tokens.
type Prices struct {
	Input, Output float64
	// CacheWrite and CacheRead are the prices of input that is written to the cache of the service,
	// and read from it; 0 is the price of Input.
	CacheWrite, CacheRead float64
}

// WithDefaults returns the options with the defaults, among them those of the provider's package.
// Its error contains neither the key nor the address, which can contain a password.
func (o Options) WithDefaults(of Options) (Options, error) {
	o.Name, o.BaseURL = cmp.Or(o.Name, of.Name), cmp.Or(o.BaseURL, of.BaseURL)
	o.MaxTokens, o.Turns = cmp.Or(o.MaxTokens, of.MaxTokens), cmp.Or(max(o.Turns, 0), DefaultTurns)
	o.System = cmp.Or(o.System, DefaultSystem)
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	}
	// A redirect would receive the key.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.Client = &client
	if err := o.check(); err != nil {
		return o, fmt.Errorf("provider %s: %w", o.Name, err)
	}
	return o, nil
}

func (o *Options) check() error {
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return errors.New("base URL is invalid")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("base URL must begin with https:// or http:// and contain a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("base URL must not contain a user, query or fragment")
	case o.Model == "":
		return errors.New("model is missing")
	case o.MaxTokens < 0:
		return fmt.Errorf("max tokens: %d is out of range (at least 0)", o.MaxTokens)
	case strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("key contains characters that are not allowed in a header")
	}
	return o.Toolbox.Check()
}

// String returns name, model and address.
func (o Options) String() string {
	return fmt.Sprintf("%s, model %s at %s", cmp.Or(o.Name, "provider"), o.Model, o.BaseURL)
}

// GoString is String, because the fields include the key.
func (o Options) GoString() string { return o.String() }

// LogValue is String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }
