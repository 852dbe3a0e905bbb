package openai

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// call is one call of the provider: requests and tools by turns.
type call struct {
	provider *Provider
	request  executor.Request
	tools    *toolbox.Toolbox
	started  time.Time
	limit    time.Duration
	// messages are the conversation, whole rounds and the prompt. Rounds counts those that this call added.
	messages conversation
	rounds   int
	tokens   tokens
	progress lines
}

// run asks until there is an answer. Without one after all turns it is not a failure: there is more to do.
func (c *call) run(ctx context.Context) (executor.Answer, error) {
	c.progress.tell = c.tell
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
	if x.Streams() {
		c.tokens.add(r.usage)
	}
	if err == nil {
		err = r.ended()
	}
	if err == nil {
		return r, nil
	}
	return r, c.provider.failed(ctx, opCall, c.started, c.limit, func() *taxonomy.Evidence { return evidence(x, err) })
}

func (c *call) params() sdk.ChatCompletionNewParams {
	o := c.provider.options
	params := sdk.ChatCompletionNewParams{
		Model:         o.Model,
		Messages:      c.messages.params(o.System),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if o.MaxTokens > 0 {
		params.MaxCompletionTokens = sdk.Int(int64(o.MaxTokens))
	}
	for _, t := range c.tools.Tools() {
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

// carryOut does what the model asked for and adds the round to the conversation, also when a tool ends the call: what was
// done before that is known to the model then. It ends at a tool that says how the task stands; what the model asked for
// behind it is not done.
func (c *call) carryOut(ctx context.Context, r *reply) (toolbox.Result, error) {
	var last toolbox.Result
	var failed error
	round := conversation{assistant(r)}
	for _, t := range r.calls {
		text := notDone
		if failed == nil && last.Signal == executor.SignalNone {
			name, arguments := t.name.String(), t.arguments.String()
			c.tell(toolbox.Label(name, []byte(arguments)))
			last, failed = c.tools.Call(ctx, name, json.RawMessage(arguments))
			text = resultText(last, failed)
		}
		round = append(round, toolResult(t.id, text))
	}
	c.add(round...)
	return last, c.refused(ctx, failed)
}

// notDone is the result of what the model asked for behind the end.
const notDone = "error: not done, the call was over"

func resultText(result toolbox.Result, err error) string {
	switch {
	case err != nil:
		return "error: refused"
	case result.IsError:
		return "error: " + result.Text
	}
	return result.Text
}

func (c *call) add(round ...message) {
	c.messages = append(c.messages, round...)
	c.rounds++
}

// refused returns the error of a tool, which is evidence already unless the call's time was over.
func (c *call) refused(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return c.provider.failed(ctx, opCall, c.started, c.limit, nil)
}

// keepCut adds an answer that reached the limit of tokens to the conversation, so that it can be gone on with. One that
// asks for tools is not, since what it asks for may be cut.
func (c *call) keepCut(r *reply) {
	if r.finish == finishLength && len(r.calls) == 0 && r.text.Len() > 0 {
		c.add(assistant(r))
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
	return executor.Answer{Text: c.provider.mask().Text(text), Signal: result.Signal, Question: c.provider.mask().Text(result.Question)}
}

// tell passes on what the model does.
func (c *call) tell(text string) {
	if c.request.Progress != nil && text != "" {
		c.request.Progress(c.provider.mask().Text(text))
	}
}
