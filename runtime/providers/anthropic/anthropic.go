// Package anthropic is a provider over Anthropic's Messages API, with the official SDK.
//
//	provider, err := anthropic.New(anthropic.Options{Key: key, Model: "claude-sonnet-4-5"})
//
// A call makes requests until the model has finished. In between, the tools that the model uses run
// in the working tree; see package [github.com/errgen/errgen/runtime/providers/toolbox].
// Conversations stay in memory, within limits, so that a later call can continue one.
//
// A failure is a [github.com/errgen/errgen/runtime/taxonomy.Evidence] with status, type, request ID
// and wait, as the service reported them. A failure within a stream has its own type and no status.
// A stream that ends early has the type "stream". A message that stops early has the stop reason as
// its type, such as "max_tokens" or "refusal". The retries of the SDK are off, because the taxonomy
// decides about retries.
//
// If a connection breaks after the request was sent, the usage is unknown, not zero. The key is
// removed from evidence, answers and prompts, because the service or the model may repeat it.
package anthropic

import (
	"context"
	"errors"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	params "github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/errgen/errgen/runtime/providers"
	"github.com/errgen/errgen/runtime/providers/internal/api"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The defaults of [Options].
const (
	DefaultName      = "anthropic-api"
	DefaultBaseURL   = "https://api.anthropic.com"
	DefaultMaxTokens = 16_000
)

// Options configure a [Provider].
type Options = providers.Options

// Provider calls a model. It is safe for concurrent use.
type Provider struct{ *provider }

type provider = api.Provider[param]

// New returns a provider. It uses no network.
func New(o Options) (*Provider, error) {
	p, err := api.New(o, Options{Name: DefaultName, BaseURL: DefaultBaseURL, MaxTokens: DefaultMaxTokens}, newClient)
	if err != nil {
		return nil, err
	}
	return &Provider{p}, nil
}

// param is the SDK's type for a message of a request.
type param = sdk.MessageParam

// client wraps the SDK.
type client struct {
	sdk.Client
	options Options
}

func newClient(o Options) api.API[param] {
	settings := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(o.BaseURL), option.WithHTTPClient(o.Client),
		option.WithMaxRetries(0),
	}
	if o.Key != "" {
		settings = append(settings, option.WithAPIKey(o.Key))
	}
	return &client{sdk.NewClient(settings...), o}
}

// User returns a message with a prompt.
func (c *client) User(text string) param { return sdk.NewUserMessage(sdk.NewTextBlock(text)) }

// Results returns one message with all results, as the service requires.
func (c *client) Results(results []api.Result) []param {
	blocks := make([]sdk.ContentBlockParamUnion, len(results))
	for i, r := range results {
		blocks[i] = sdk.NewToolResultBlock(r.ID, r.Text, r.IsError)
	}
	return []param{sdk.NewUserMessage(blocks...)}
}

// Ask makes one request and reads the streamed message.
func (c *client) Ask(ctx context.Context, q api.Question[param], x *api.Exchange) (api.Reply[param], error) {
	request := sdk.MessageNewParams{
		Model: sdk.Model(c.options.Model), MaxTokens: int64(c.options.MaxTokens), Messages: q.Messages,
		System: []sdk.TextBlockParam{{Text: q.System}},
	}
	if c.options.Cache {
		request.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	for _, t := range q.Tools {
		request.Tools = append(request.Tools, toolParam(t))
	}
	m := message{arguments: map[int64]string{}}
	err := m.read(ctx, c, request, q.Say, x)
	reply := m.reply(x.Size())
	if err == nil {
		err = m.stopError()
	}
	return reply, err
}

// toolParam returns a tool as the service expects it.
func toolParam(t toolbox.Tool) sdk.ToolUnionParam {
	return sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Description),
		InputSchema: params.Override[sdk.ToolInputSchemaParam](t.Schema)}}
}

// message is a message that is read from a stream.
type message struct {
	sdk.Message
	// arguments are the arguments of tools, by block and unchanged. The SDK replaces invalid ones.
	arguments map[int64]string
	// input and output are set when the service has reported the tokens, and done when the message
	// is complete.
	input, output, done bool
}

// read makes the request and reads its stream.
func (m *message) read(ctx context.Context, c *client, request sdk.MessageNewParams, say func(string),
	x *api.Exchange) error {
	stream := c.Messages.NewStreaming(ctx, request, option.WithMiddleware(x.Pass))
	defer stream.Close()
	for !m.done && stream.Next() {
		e := stream.Current()
		d := &e.Delta
		size := len(d.Text) + len(d.PartialJSON) + len(d.Thinking) + len(d.Signature) + len(e.ContentBlock.RawJSON())
		if err := x.Grow(size); err != nil {
			return err
		}
		m.addEvent(&e)
		if err := m.Accumulate(e); err != nil {
			return err
		}
		if e.Type == "content_block_stop" && m.Content[e.Index].Type == "text" {
			say(m.Content[e.Index].Text)
		}
	}
	err := stream.Err()
	if reported, is := errors.AsType[*sdk.Error](err); is {
		return &api.StreamError{Event: reported.RawJSON(), Text: "the service reported an error in the stream"}
	}
	return err
}

// addEvent records the values of an event that the SDK's message does not contain.
func (m *message) addEvent(e *sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		m.input = e.Message.Usage.JSON.InputTokens.Valid()
	case "message_delta":
		m.input = m.input || e.Usage.JSON.InputTokens.Valid()
		m.output = m.output || e.Usage.JSON.OutputTokens.Valid()
	case "content_block_stop":
		if e.Index >= 0 && e.Index < int64(len(m.Content)) {
			m.arguments[e.Index] = string(m.Content[e.Index].Input)
		}
	case "message_stop":
		m.done = true
	}
}

// reply returns the message so far.
func (m *message) reply(size int) api.Reply[param] {
	r := api.Reply[param]{Message: m.ToParam(), Size: size, Continue: m.StopReason == sdk.StopReasonPauseTurn}
	r.Message.Role = sdk.MessageParamRoleAssistant
	// The service does not accept empty texts.
	r.Message.Content = slices.DeleteFunc(r.Message.Content, func(b sdk.ContentBlockParamUnion) bool {
		return b.OfText != nil && strings.TrimSpace(b.OfText.Text) == ""
	})
	r.Empty = len(r.Message.Content) == 0
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			r.Text += b.Text
		case "tool_use":
			r.Uses = append(r.Uses, api.Use{ID: b.ID, Name: b.Name, Arguments: m.arguments[int64(i)]})
		}
	}
	if u := m.Usage; m.done && m.input && m.output {
		r.Used = taxonomy.Some(api.Tokens{Input: u.InputTokens, CacheWrite: u.CacheCreationInputTokens,
			CacheRead: u.CacheReadInputTokens, Output: u.OutputTokens})
	}
	return r
}

// stopError returns an error if the message is not a complete answer.
func (m *message) stopError() error {
	reason := strings.Clone(string(m.StopReason))
	e := &api.StreamError{Type: reason, Attribute: "stop_reason", Value: reason, Text: "the answer stopped: " + reason}
	switch {
	case !m.done || reason == "":
		return &api.StreamError{Type: api.TypeStream, Text: "the stream ended before the message"}
	case m.StopReason == sdk.StopReasonMaxTokens:
		e.Cut, e.Text = true, "the answer reached the limit of tokens"
	case m.StopReason == sdk.StopReasonRefusal:
		e.Text = "the model refused to answer"
		if m.StopDetails.Explanation != "" {
			e.Text = m.StopDetails.Explanation
		}
	case slices.Contains([]sdk.StopReason{sdk.StopReasonEndTurn, sdk.StopReasonStopSequence, sdk.StopReasonToolUse,
		sdk.StopReasonPauseTurn}, m.StopReason):
		return nil
	}
	return e
}
