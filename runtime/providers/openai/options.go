package openai

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/retry"
)

const (
	// DefaultName is the source that evidence names unless [Options] say otherwise.
	DefaultName = "openai-api"
	// DefaultBaseURL is where OpenAI is.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultTurns is how many requests a call makes at most unless [Options] say otherwise.
	DefaultTurns = 50
)

// Options are what a [Provider] is made of. Model is required. Nothing is read from the
// environment.
type Options struct {
	// Name is the source that evidence names; [DefaultName].
	Name string
	// BaseURL is where the server is, with the path before "chat/completions"; [DefaultBaseURL].
	BaseURL string
	// Key is the API key. It may be empty for a server that needs none, and if Settings say who
	// calls.
	Key string
	// Credential names the key for waits that runs share; a fingerprint of the key unless set.
	Credential string
	// Model is the model's name.
	Model string
	// MaxTokens is how many tokens one response may have; 0 leaves it to the server.
	MaxTokens int
	// System is what the model is told before the prompt; [DefaultSystem], and what is left of it
	// without files for a request without a directory.
	System string
	// Toolbox says what the tools may do. Its Dir and Source are set for each call.
	Toolbox toolbox.Options
	// Turns is how many requests a call makes at most; [DefaultTurns]. A call that has used them up
	// answers with what there is, and without a signal.
	Turns int
	// Prices are what tokens cost; nil leaves the cost of answers unknown.
	Prices *Prices
	// Probe has [Provider.Available] ask the server for the model. Otherwise it uses no network.
	Probe bool
	// Client makes the requests; nil is one with the transport of [http.DefaultClient]. Redirects
	// are not followed, since they would take the key with them.
	Client *http.Client
	// Settings are further options of the SDK, such as who calls where there is no key, or what a
	// server needs to be told.
	Settings []option.RequestOption
	// Clock tells how long a call took; nil is [retry.System].
	Clock retry.Clock
}

// DefaultSystem is what the model is told unless [Options] say otherwise.
const DefaultSystem = "You work on the files of one directory, with the tools that you are given. Paths are " +
	"relative to that directory. " +
	"Look at what is there before you change it. When the task is done, or cannot go on without a person, say so " +
	"with the tool for it."

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, DefaultName)
	o.BaseURL = cmp.Or(o.BaseURL, DefaultBaseURL)
	o.System = cmp.Or(o.System, DefaultSystem)
	if o.Turns <= 0 {
		o.Turns = DefaultTurns
	}
	if o.Clock == nil {
		o.Clock = retry.System
	}
	o.Credential = cmp.Or(o.Credential, wire.Fingerprint(o.Name, o.BaseURL, o.Key))
	o.Client = wire.Client(o.Client)
	return o
}

// check returns what is wrong with the options.
func (o Options) check() error {
	if err := wire.CheckAddress(o.BaseURL); err != nil {
		return fmt.Errorf("the address of the server %w", err)
	}
	if o.Model == "" {
		return errors.New("no model is named")
	}
	if o.MaxTokens < 0 {
		return fmt.Errorf("a limit of %d tokens", o.MaxTokens)
	}
	if err := wire.CheckKey(o.Key); err != nil {
		return err
	}
	return o.Toolbox.Check()
}

// settings returns the options for the SDK. Retries are off, whatever the host's own settings say.
func (o Options) settings() []option.RequestOption {
	all := []option.RequestOption{option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.Client)}
	if o.Key != "" {
		all = append(all, option.WithAPIKey(o.Key))
	}
	return append(append(all, o.Settings...), option.WithMaxRetries(0))
}

// String returns the options without the key.
func (o Options) String() string {
	return fmt.Sprintf("%s, model %s at %s", o.Name, o.Model, o.BaseURL)
}

// GoString is String.
func (o Options) GoString() string { return o.String() }

// LogValue is String.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }
