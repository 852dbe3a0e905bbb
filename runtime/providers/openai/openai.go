// Package openai is a provider over OpenAI's chat completions, with the official SDK. Gateways,
// proxies and local models offer the same API.
//
//	provider, err := openai.New(openai.Options{Key: key, Model: "gpt-4.1"})
//	local, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3"})
//
// A call makes requests until the model has finished. In between, the tools that the model uses run
// in the working tree; see package [github.com/errgen/errgen/runtime/providers/toolbox]. The
// package uses chat completions, not responses, because other servers offer them too. Their
// conversation is held by the client, which can shorten it, and the server stores nothing.
//
// A failure is a [github.com/errgen/errgen/runtime/taxonomy.Evidence] with status, type, code,
// parameter, request ID and wait, as the server reported them. A failure within a stream has its
// own type and code and no status. A stream that ends early has the type "stream". An answer that
// stops early has the finish reason as its type: "length" or "content_filter". The retries of the
// SDK are off, because the taxonomy decides about retries.
//
// If a connection breaks after the request was sent, the usage is unknown, not zero. The key is
// removed from evidence, answers and prompts, because the server or the model may repeat it.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/internal/api"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The defaults of [Options].
const (
	DefaultName    = "openai-api"
	DefaultBaseURL = "https://api.openai.com/v1"
)

// Options configure a [Provider].
type Options = providers.Options

// Provider calls a model. It is safe for concurrent use.
type Provider struct{ *provider }

type provider = api.Provider[param]

// New returns a provider. It uses no network.
func New(o Options) (*Provider, error) {
	p, err := api.New(o, Options{Name: DefaultName, BaseURL: DefaultBaseURL}, newClient)
	if err != nil {
		return nil, err
	}
	return &Provider{p}, nil
}

// param is the SDK's type for a message of a request.
type param = sdk.ChatCompletionMessageParamUnion

// client wraps the SDK. It uses the service and not the SDK's client, because the client reads the
// environment.
type client struct {
	chat    sdk.ChatCompletionService
	options Options
}

func newClient(o Options) api.API[param] {
	settings := []option.RequestOption{
		option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.Client), option.WithMaxRetries(0),
	}
	if o.Key != "" {
		settings = append(settings, option.WithAPIKey(o.Key))
	}
	return &client{sdk.NewChatCompletionService(settings...), o}
}

// User returns a message with a prompt.
func (c *client) User(text string) param { return sdk.UserMessage(text) }

// Results returns a message for each result.
func (c *client) Results(results []api.Result) []param {
	messages := make([]param, len(results))
	for i, r := range results {
		if r.IsError {
			r.Text = "error: " + r.Text
		}
		messages[i] = sdk.ToolMessage(r.Text, r.ID)
	}
	return messages
}

// Ask makes one request and reads the streamed completion.
func (c *client) Ask(ctx context.Context, q api.Question[param], x *api.Exchange) (api.Reply[param], error) {
	params := sdk.ChatCompletionNewParams{
		Model: c.options.Model, Messages: slices.Insert(q.Messages, 0, sdk.SystemMessage(q.System)),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if c.options.MaxTokens > 0 {
		params.MaxCompletionTokens = sdk.Int(int64(c.options.MaxTokens))
	}
	for _, t := range q.Tools {
		var schema sdk.FunctionParameters
		_ = json.Unmarshal(t.Schema, &schema) // the toolbox has checked that it is an object
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{
			Name: t.Name, Description: sdk.String(t.Description), Parameters: schema,
		}))
	}
	a := answer{turn: len(q.Messages)}
	err := a.read(c.chat.NewStreaming(ctx, params, option.WithMiddleware(x.Pass)), x)
	reply := a.reply(x.Size(), err == nil)
	q.Say(reply.Text)
	if err == nil {
		err = a.stopError()
	}
	return reply, err
}

// answer is a completion that is read from a stream.
type answer struct {
	sdk.ChatCompletionAccumulator
	// turn makes generated IDs of tool calls unique.
	turn int
	// calls are the tool calls, with the server's indexes and IDs.
	calls []callID
	// usage is the last usage that the server reported. If it is incomplete, it is absent.
	usage taxonomy.Opt[api.Tokens]
	// event is the last event that is not part of an answer, because some servers report failures
	// in such events.
	event string
}

type callID struct {
	index int64
	id    string
}

const (
	maxCalls = 128     // the tool calls of an answer
	maxOther = 8 << 10 // the bytes of an event that is not part of an answer
)

var errInvalid = errors.New("the events of the stream do not form an answer")

// read reads the stream.
func (a *answer) read(stream *ssestream.Stream[sdk.ChatCompletionChunk], x *api.Exchange) error {
	defer stream.Close()
	for stream.Next() {
		chunk := stream.Current()
		if chunk.JSON.Usage.Valid() {
			a.usage = tokens(&chunk.Usage)
		} else if len(chunk.Choices) == 0 && len(chunk.RawJSON()) <= maxOther {
			a.event = strings.Clone(chunk.RawJSON())
		}
		size, err := a.normalize(&chunk)
		if err == nil {
			err = x.Grow(size)
		}
		if err != nil {
			return err
		}
		if !a.AddChunk(chunk) {
			return errInvalid
		}
	}
	err := stream.Err()
	if failed, is := errors.AsType[*ssestream.StreamError](err); is {
		return &api.StreamError{Event: string(failed.Event.Data), Text: "the server reported an error in the stream"}
	}
	return err
}

// normalize numbers the tool calls of a chunk, because some servers give all of them one index and
// identify them by IDs. It also removes an ID that changes, and further choices.
func (a *answer) normalize(chunk *sdk.ChatCompletionChunk) (size int, err error) {
	chunk.ID = ""
	chunk.Choices = slices.DeleteFunc(chunk.Choices, func(c sdk.ChatCompletionChunkChoice) bool { return c.Index != 0 })
	for i := range chunk.Choices {
		delta := &chunk.Choices[i].Delta
		size += len(delta.Content) + len(delta.Refusal)
		for j := range delta.ToolCalls {
			part := &delta.ToolCalls[j]
			size += len(part.ID) + len(part.Function.Name) + len(part.Function.Arguments)
			if part.Index, err = a.number(part.Index, part.ID); err != nil {
				return 0, err
			}
		}
	}
	return size, nil
}

// number returns the number of the tool call that a part belongs to.
func (a *answer) number(index int64, id string) (int64, error) {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := &a.calls[i]
		if c.index == index && (id == "" || c.id == "" || c.id == id) {
			c.id = cmp.Or(c.id, strings.Clone(id))
			return int64(i), nil
		}
	}
	if len(a.calls) == maxCalls {
		return 0, fmt.Errorf("the answer has more than %d tool calls", maxCalls)
	}
	a.calls = append(a.calls, callID{index, strings.Clone(id)})
	return int64(len(a.calls) - 1), nil
}

// reply returns the answer so far. Complete reports that the stream was read to its end.
func (a *answer) reply(size int, complete bool) api.Reply[param] {
	r := api.Reply[param]{Size: size, Empty: true}
	if len(a.Choices) == 0 {
		return r
	}
	m := a.Choices[0].Message
	r.Text, r.Empty = cmp.Or(m.Content, m.Refusal), m.Content == "" && m.Refusal == ""
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		c.Type, c.ID = "function", cmp.Or(c.ID, fmt.Sprintf("call_%d_%d", a.turn, i))
		r.Uses = append(r.Uses, api.Use{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		r.Empty = false
	}
	r.Message = m.ToParam()
	// Some servers report the usage so far with each event, so only the last one counts.
	if complete && a.Choices[0].FinishReason != "" {
		r.Used = a.usage
	}
	return r
}

// tokens returns the tokens of a request. If the server did not report all of them, they are
// absent.
func tokens(u *sdk.CompletionUsage) taxonomy.Opt[api.Tokens] {
	if !u.JSON.PromptTokens.Valid() || !u.JSON.CompletionTokens.Valid() {
		return taxonomy.Opt[api.Tokens]{}
	}
	cached := max(0, min(u.PromptTokensDetails.CachedTokens, u.PromptTokens))
	return taxonomy.Some(api.Tokens{Input: u.PromptTokens - cached, CacheRead: cached, Output: u.CompletionTokens})
}

// stopError returns an error if the stream is not a complete answer.
func (a *answer) stopError() error {
	reason := ""
	if len(a.Choices) > 0 {
		reason = a.Choices[0].FinishReason
	}
	e := &api.StreamError{Type: reason, Attribute: "finish_reason", Value: reason}
	switch reason {
	case "", "error": // gateways send "error"
		e.Type, e.Event, e.Text = api.TypeStream, a.event, "the stream ended before the answer"
	case "length":
		e.Cut, e.Text = true, "the answer reached the limit of tokens"
	case "content_filter":
		e.Text = "the answer was withheld by the content filter of the provider"
	default:
		return nil
	}
	return e
}
