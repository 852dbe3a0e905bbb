package chat

import (
	"context"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/providers/toolbox"
)

// NotKnown is the failure of a call that is to continue a conversation which this process did not
// begin, or which was too long to be kept. It has the executor begin a new one.
const NotKnown = "the conversation to be continued is not known"

// PlainSystem is what the model is told of a call without a directory, in place of a provider's own
// default.
const PlainSystem = "When the task is done, or cannot go on without a person, say so with the tool for it."

// System returns what the model is told before the prompt. The default speaks of files, which a
// call without a directory has not.
func (c *Call[P]) System(configured, byDefault string) string {
	if c.Request.Dir == "" && configured == byDefault {
		return PlainSystem
	}
	return configured
}

// Host is what a provider has for all of its calls. It is safe for concurrent use once it is made.
type Host[P any] struct {
	wire.Source
	// Toolbox says what the tools may do. Its Dir and Source are set for each call.
	Toolbox toolbox.Options

	conversations Store[P]
}

// Before returns the conversation that a request continues, and false for one that is not known.
// That of a request that begins one is empty.
func (h *Host[P]) Before(req executor.Request) (Conversation[P], bool) {
	if req.Session == "" {
		return nil, true
	}
	return h.conversations.Get(req.Session)
}

// Keep keeps a conversation as [Store.Keep] does.
func (h *Host[P]) Keep(id string, c Conversation[P]) string { return h.conversations.Keep(id, c) }

// Begin begins a call that adds the prompt to a conversation. Its tools must be closed. A request
// without a directory has no tools for files. An error is evidence.
func (h *Host[P]) Begin(ctx context.Context, req executor.Request, before Conversation[P], prompt Message[P]) (
	*Call[P], error) {
	o := h.Toolbox
	o.Dir, o.Source = req.Dir, h.Name
	tools, err := toolbox.New(o)
	if err != nil {
		ev := detect.Of(err)
		return nil, h.Stamp(&ev, wire.OpCall)
	}
	started := h.Clock.Now()
	return &Call[P]{
		Request: req, Tools: tools, Messages: append(before[:len(before):len(before)], prompt),
		source: h.Source, started: started, limit: wire.Limit(ctx, req.Limit, started),
	}, nil
}

// End returns the id under which the conversation of a call goes on: that of its request if the
// call added nothing, and "" if there is none, or none that can be kept.
func (h *Host[P]) End(c *Call[P]) string {
	if c.rounds == 0 {
		return c.Request.Session
	}
	return h.Keep(c.Request.Session, c.Messages)
}
