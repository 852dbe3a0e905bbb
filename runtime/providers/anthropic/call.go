package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/chat"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// call is one call of the provider: requests and tools by turns.
type call struct {
	*chat.Call[param]
	provider *Provider
}

// run asks until there is an answer. Without one after all turns it is not a failure: there is more
// to do.
func (c *call) run(ctx context.Context) (executor.Answer, error) {
	for turn := 1; ; turn++ {
		r, err := c.ask(ctx)
		if err != nil {
			c.keepCut(r, err)
			return executor.Answer{}, err
		}
		result, err := c.carryOut(ctx, r)
		if err != nil {
			return executor.Answer{}, err
		}
		goesOn := len(r.calls()) > 0 || r.stop == sdk.StopReasonPauseTurn
		if !goesOn || result.Signal != executor.SignalNone || turn >= c.provider.options.Turns {
			return c.answer(r, result), nil
		}
	}
}

// ask makes one request. The reply is what there is of it also when there is an error.
func (c *call) ask(ctx context.Context) (*reply, error) {
	x := &wire.Exchange{Mask: c.mask()}
	r := &reply{}
	stream := c.provider.client.Messages.NewStreaming(ctx, c.params(), option.WithMiddleware(x.Pass))
	err := r.read(stream, c.tell)
	c.Spent.Add(x, r.used())
	if err == nil {
		return r, nil
	}
	return r, c.Failed(ctx, func() *taxonomy.Evidence { return evidence(x, err) })
}

func (c *call) params() sdk.MessageNewParams {
	o := c.provider.options
	params := sdk.MessageNewParams{
		Model:     sdk.Model(o.Model),
		MaxTokens: int64(o.MaxTokens),
		System:    []sdk.TextBlockParam{{Text: c.System(o.System, DefaultSystem)}},
		Messages:  c.Messages.Params(),
	}
	if o.Cache {
		params.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	for _, t := range c.Tools.Tools() {
		params.Tools = append(params.Tools, toolParam(t))
	}
	return params
}

// toolParam returns a tool as the service is told of it.
func toolParam(t toolbox.Tool) sdk.ToolUnionParam {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	_ = json.Unmarshal(t.Schema, &schema) // the toolbox's own
	return sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
		Name: t.Name, Description: sdk.String(t.Description),
		InputSchema: sdk.ToolInputSchemaParam{
			Properties: schema.Properties, Required: schema.Required,
			ExtraFields: map[string]any{"additionalProperties": false},
		},
	}}
}

// carryOut does what the model asked for and adds the round to the conversation, also when a tool
// ends the call: what was done before that is known to the model then.
func (c *call) carryOut(ctx context.Context, r *reply) (toolbox.Result, error) {
	calls := r.calls()
	uses := make([]chat.Use, len(calls))
	for i, t := range calls {
		uses[i] = chat.Use{Name: t.name, Arguments: t.arguments.String()}
	}
	done, err := c.CarryOut(ctx, uses, c.tell)
	var round conversation
	if said, ok := assistant(r); ok {
		round = append(round, said)
	}
	if len(calls) > 0 {
		round = append(round, user(results(calls, done, err)...))
	}
	c.Add(round...)
	if len(done) == 0 {
		return toolbox.Result{}, err
	}
	return done[len(done)-1], err
}

// results returns what the tools returned; the last one that was done may have failed.
func results(calls []*block, done []toolbox.Result, failed error) []sdk.ContentBlockParamUnion {
	blocks := make([]sdk.ContentBlockParamUnion, len(calls))
	for i, t := range calls {
		text, isError := "not done: the call was over", true
		if i < len(done) {
			text, isError = done[i].Text, done[i].IsError
		}
		if failed != nil && i == len(done)-1 && text == "" {
			text, isError = "refused", true
		}
		blocks[i] = sdk.NewToolResultBlock(t.id, orText(text, "(nothing)"), isError)
	}
	return blocks
}

// keepCut adds an answer that reached the limit of tokens to the conversation, so that it can be
// gone on with. One that asks for tools is not, since what it asks for may be cut.
func (c *call) keepCut(r *reply, err error) {
	var stopped *stopError
	if !errors.As(err, &stopped) || r.stop != sdk.StopReasonMaxTokens || len(r.calls()) > 0 {
		return
	}
	if said, ok := assistant(r); ok {
		c.Add(said)
	}
}

func (c *call) answer(r *reply, result toolbox.Result) executor.Answer {
	text := r.text()
	if text == "" && result.Signal != executor.SignalNone {
		text = strings.TrimSpace(result.Text)
	}
	return executor.Answer{Text: c.mask().Text(text), Signal: result.Signal, Question: c.mask().Text(result.Question)}
}

// maxTold bounds in bytes what is passed on at once of what the model says.
const maxTold = 4 << 10

// tell passes on what the model says or does.
func (c *call) tell(text string) {
	if c.Request.Progress == nil || strings.TrimSpace(text) == "" {
		return
	}
	c.Request.Progress(c.mask().Head(text, maxTold))
}

func (c *call) mask() wire.Mask { return c.provider.mask() }
