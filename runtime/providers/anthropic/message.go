package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/errgen/errgen/runtime/providers/internal/chat"
)

// param is a message as the SDK has it.
type param = sdk.MessageParam

type message = chat.Message[param]

// conversation is one that may end with results of tools: several messages of the user in a row
// count as one.
type conversation = chat.Conversation[param]

// user returns a message of the user.
func user(blocks ...sdk.ContentBlockParamUnion) message {
	m := message{Param: sdk.NewUserMessage(blocks...)}
	for _, b := range blocks {
		m.Size += chat.Overhead
		switch {
		case b.OfText != nil:
			m.Size += len(b.OfText.Text)
		case b.OfToolResult != nil:
			m.Tools = true
			for _, c := range b.OfToolResult.Content {
				if c.OfText != nil {
					m.Size += len(c.OfText.Text)
				}
			}
		}
	}
	return m
}

// assistant returns the answer as a message, and whether there is anything in it. Blocks without
// text are left out, since the service does not take them back.
func assistant(r *reply) (message, bool) {
	m := message{Size: r.size}
	var blocks []sdk.ContentBlockParamUnion
	for _, b := range r.blocks {
		text := b.text.String()
		switch b.kind {
		case "text":
			if strings.TrimSpace(text) == "" {
				continue
			}
			blocks = append(blocks, sdk.NewTextBlock(text))
		case "thinking":
			blocks = append(blocks, sdk.NewThinkingBlock(b.signature, text))
		case "redacted_thinking":
			blocks = append(blocks, sdk.NewRedactedThinkingBlock(text))
		case "tool_use":
			m.Tools = true
			blocks = append(blocks, sdk.NewToolUseBlock(b.id, b.input(), b.name))
		}
	}
	m.Size += chat.Overhead * len(blocks)
	m.Param = sdk.NewAssistantMessage(blocks...)
	return m, len(blocks) > 0
}

// input returns the arguments of a tool as they can be sent back: an object, which is empty if they
// are none.
func (b *block) input() json.RawMessage {
	var o map[string]json.RawMessage
	raw := []byte(b.arguments.String())
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return raw
}
