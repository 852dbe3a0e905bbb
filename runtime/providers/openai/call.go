package openai

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
	progress lines
}

// run asks until there is an answer. Without one after all turns it is not a failure: there is more
// to do.
func (c *call) run(ctx context.Context) (executor.Answer, error) {
	c.progress.tell, c.progress.mask = c.tell, c.provider.mask()
	for turn := 1; ; turn++ {
		r, err := c.ask(ctx)
		if err != nil {
			c.keepCut(r)
			return executor.Answer{}, err
		}
		r.identify(turn)
		result, err := c.carryOut(ctx, r)
		if err != nil {
			return executor.Answer{}, err
		}
		if len(r.calls) == 0 || result.Signal != executor.SignalNone || turn >= c.provider.options.Turns {
			return c.answer(r, result), nil
		}
	}
}

// ask makes one request. The reply is what there is of it also when there is an error.
func (c *call) ask(ctx context.Context) (*reply, error) {
	x := &wire.Exchange{Mask: c.provider.mask()}
	r := &reply{}
	stream := c.provider.chat.NewStreaming(ctx, c.params(), option.WithMiddleware(x.Pass))
	err := r.read(stream, c.progress.add)
	c.progress.flush()
	c.Spent.Add(x, r.used())
	if err == nil {
		err = r.ended()
	}
	if err == nil {
		return r, nil
	}
	return r, c.Failed(ctx, func() *taxonomy.Evidence { return evidence(x, err) })
}

func (c *call) params() sdk.ChatCompletionNewParams {
	o := c.provider.options
	messages := c.Messages.Params()
	if system := c.System(o.System, DefaultSystem); system != "" {
		messages = slices.Insert(messages, 0, sdk.SystemMessage(system))
	}
	params := sdk.ChatCompletionNewParams{
		Model:         o.Model,
		Messages:      messages,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if o.MaxTokens > 0 {
		params.MaxCompletionTokens = sdk.Int(int64(o.MaxTokens))
	}
	for _, t := range c.Tools.Tools() {
		var schema sdk.FunctionParameters
		if json.Unmarshal(t.Schema, &schema) != nil {
			continue
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{
			Name: t.Name, Description: sdk.String(t.Description), Parameters: schema,
		}))
	}
	return params
}

// carryOut does what the model asked for and adds the round to the conversation, also when a tool
// ends the call: what was done before that is known to the model then.
func (c *call) carryOut(ctx context.Context, r *reply) (toolbox.Result, error) {
	uses := make([]chat.Use, len(r.calls))
	for i, t := range r.calls {
		uses[i] = chat.Use{Name: t.name.String(), Arguments: t.arguments.String()}
	}
	done, err := c.CarryOut(ctx, uses, c.tell)
	c.Add(append(conversation{assistant(r)}, results(r.calls, done, err)...)...)
	if len(done) == 0 {
		return toolbox.Result{}, err
	}
	return done[len(done)-1], err
}

// results returns what the tools returned; the last one that was done may have failed.
func results(calls []*toolCall, done []toolbox.Result, failed error) []message {
	messages := make([]message, len(calls))
	for i, t := range calls {
		text := notDone
		switch {
		case failed != nil && i == len(done)-1:
			text = "error: refused"
		case i < len(done):
			text = resultText(done[i])
		}
		messages[i] = toolResult(t.id, text)
	}
	return messages
}

// notDone is the result of what the model asked for behind the end.
const notDone = "error: not done, the call was over"

func resultText(result toolbox.Result) string {
	if result.IsError {
		return "error: " + result.Text
	}
	return result.Text
}

// keepCut adds an answer that reached the limit of tokens to the conversation, so that it can be
// gone on with. One that asks for tools is not, since what it asks for may be cut.
func (c *call) keepCut(r *reply) {
	if r.finish == finishLength && len(r.calls) == 0 && r.text.Len() > 0 {
		c.Add(assistant(r))
	}
}

func (c *call) answer(r *reply, result toolbox.Result) executor.Answer {
	text := strings.TrimSpace(r.text.String())
	if text == "" {
		text = strings.TrimSpace(r.refusal.String())
	}
	if text == "" && result.Signal != executor.SignalNone {
		text = result.Text
	}
	return executor.Answer{Text: c.provider.mask().Text(text), Signal: result.Signal,
		Question: c.provider.mask().Text(result.Question)}
}

// tell passes on what the model does.
func (c *call) tell(text string) {
	if c.Request.Progress != nil && text != "" {
		c.Request.Progress(c.provider.mask().Text(text))
	}
}
