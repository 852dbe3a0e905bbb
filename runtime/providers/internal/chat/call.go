package chat

import (
	"context"
	"encoding/json"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Call is a call of a provider apart from its requests: a conversation, and tools. It is made by
// [Host.Begin], and must not be used by several goroutines at a time.
type Call[P any] struct {
	Request executor.Request
	Tools   *toolbox.Toolbox
	// Messages are the conversation: whole rounds and the prompt. [Call.Add] adds to it.
	Messages Conversation[P]
	// Spent is what its requests have used so far.
	Spent Spent

	// rounds counts those that this call added.
	rounds  int
	source  wire.Source
	started time.Time
	limit   time.Duration
}

// Add adds a round to the conversation: what the model said, and what its tools returned. A round
// without a message is none.
func (c *Call[P]) Add(round ...Message[P]) {
	if len(round) == 0 {
		return
	}
	c.Messages = append(c.Messages, round...)
	c.rounds++
}

// Use is a tool that the model asks for, with the arguments as it gave them.
type Use struct{ Name, Arguments string }

// CarryOut does what the model asked for, and returns what was done. It ends at a tool that says
// how the task stands, and at one that fails: that one is the last of the results. There are none
// for what was asked for behind it, which is not done. Each tool is told of before it is used.
func (c *Call[P]) CarryOut(ctx context.Context, uses []Use, tell func(label string)) ([]toolbox.Result, error) {
	results := make([]toolbox.Result, 0, len(uses))
	for _, u := range uses {
		tell(toolbox.Label(u.Name, []byte(u.Arguments)))
		result, err := c.Tools.Call(ctx, u.Name, json.RawMessage(u.Arguments))
		results = append(results, result)
		if err != nil {
			return results, c.refused(ctx, err)
		}
		if result.Signal != executor.SignalNone {
			break
		}
	}
	return results, nil
}

// refused returns the error of a tool, which is evidence already unless the call's time was over.
func (c *Call[P]) refused(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return c.Failed(ctx, nil)
}

// Failed returns the error of a request, as [wire.Source.Failed] does.
func (c *Call[P]) Failed(ctx context.Context, why func() *taxonomy.Evidence) error {
	return c.source.Failed(ctx, wire.OpCall, c.started, c.limit, why)
}
