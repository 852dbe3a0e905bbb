package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/errgen/errgen/runtime/providers/internal/api"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// param is the SDK's type for a message of a request.
type param = sdk.MessageParam

// client wraps the SDK.
type client struct {
	sdk.Client
	config api.Config
	cache  bool
}

func newClient(c api.Config, o Options) *client {
	settings := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(c.BaseURL), option.WithHTTPClient(c.Client),
	}
	if c.Key != "" {
		settings = append(settings, option.WithAPIKey(c.Key))
	}
	settings = append(append(settings, o.Settings...), option.WithMaxRetries(0))
	return &client{sdk.NewClient(settings...), c, o.Cache}
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
	params := sdk.MessageNewParams{
		Model: sdk.Model(c.config.Model), MaxTokens: int64(c.config.MaxTokens), Messages: q.Messages,
		System: []sdk.TextBlockParam{{Text: q.System}},
	}
	if c.cache {
		params.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	for _, t := range q.Tools {
		params.Tools = append(params.Tools, toolParam(t))
	}
	m := message{arguments: map[int64]string{}}
	err := m.read(ctx, c, params, q.Say, x)
	reply := m.reply(x.Size())
	if err == nil {
		err = m.stopped()
	}
	return reply, err
}

// toolParam returns a tool as the service expects it.
func toolParam(t toolbox.Tool) sdk.ToolUnionParam {
	var schema sdk.ToolInputSchemaParam
	_ = json.Unmarshal(t.Schema, &schema) // the toolbox has checked that it is an object
	var all map[string]any
	_ = json.Unmarshal(t.Schema, &all)
	for _, known := range []string{"type", "properties", "required"} {
		delete(all, known)
	}
	schema.ExtraFields = all
	return sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: t.Name, Description: sdk.String(t.Description),
		InputSchema: schema}}
}

// message is a message that is read from a stream.
type message struct {
	sdk.Message
	// arguments are those of tools by block, as the model gave them. The SDK replaces invalid ones.
	arguments map[int64]string
	// input and output report that the service reported the tokens, and done that the message is
	// complete.
	input, output, done bool
}

// read makes the request and reads its stream.
func (m *message) read(ctx context.Context, c *client, params sdk.MessageNewParams, say func(string),
	x *api.Exchange) error {
	stream := c.Messages.NewStreaming(ctx, params, option.WithMiddleware(x.Pass))
	defer stream.Close()
	for !m.done && stream.Next() {
		e := stream.Current()
		d := &e.Delta
		size := len(d.Text) + len(d.PartialJSON) + len(d.Thinking) + len(d.Signature) + len(e.ContentBlock.RawJSON())
		if err := x.Grow(size); err != nil {
			return err
		}
		m.note(&e)
		if err := m.Accumulate(e); err != nil {
			return err
		}
		if e.Type == "content_block_stop" && m.Content[e.Index].Type == "text" {
			say(m.Content[e.Index].Text)
		}
	}
	err := stream.Err()
	if refused, is := errors.AsType[*sdk.Error](err); is {
		return &api.StreamError{Event: refused.RawJSON(), Text: "the service reported an error in the stream"}
	}
	return err
}

// note records what the SDK's message does not contain.
func (m *message) note(e *sdk.MessageStreamEventUnion) {
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

// stopped returns why a message is no answer, or nil.
func (m *message) stopped() error {
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
