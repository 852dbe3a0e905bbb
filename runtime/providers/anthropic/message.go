package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
)

// overhead is about what a block takes beside its texts.
const overhead = 256

// user returns a message of the user.
func user(blocks ...sdk.ContentBlockParamUnion) message {
	m := message{MessageParam: sdk.NewUserMessage(blocks...)}
	for _, b := range blocks {
		m.size += overhead
		switch {
		case b.OfText != nil:
			m.size += len(b.OfText.Text)
		case b.OfToolResult != nil:
			m.tools = true
			for _, c := range b.OfToolResult.Content {
				if c.OfText != nil {
					m.size += len(c.OfText.Text)
				}
			}
		}
	}
	return m
}

// assistant returns the answer as a message, and whether there is anything in it. Blocks without text are left out, since
// the service does not take them back.
func assistant(r *reply) (message, bool) {
	m := message{size: r.size}
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
			m.tools = true
			blocks = append(blocks, sdk.NewToolUseBlock(b.id, b.input(), b.name))
		}
	}
	m.size += overhead * len(blocks)
	m.MessageParam = sdk.NewAssistantMessage(blocks...)
	return m, len(blocks) > 0
}

// input returns the arguments of a tool as they can be sent back: an object, which is empty if they are none.
func (b *block) input() json.RawMessage {
	var o map[string]json.RawMessage
	raw := []byte(b.arguments.String())
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return json.RawMessage("{}")
	}
	return raw
}
