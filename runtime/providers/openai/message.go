package openai

import (
	sdk "github.com/openai/openai-go/v3"
)

// overhead is about how many bytes a message takes beside its texts.
const overhead = 256

func user(text string) message {
	return message{sdk.UserMessage(text), overhead + len(text)}
}

func toolResult(id, text string) message {
	return message{sdk.ToolMessage(text, id), overhead + len(id) + len(text)}
}

// assistant returns what the model said, as a message of the conversation.
func assistant(r *reply) message {
	said := &sdk.ChatCompletionAssistantMessageParam{}
	if text := r.text.String(); text != "" || len(r.calls) == 0 && r.refusal.Len() == 0 {
		said.Content.OfString = sdk.String(text)
	}
	if text := r.refusal.String(); text != "" {
		said.Refusal = sdk.String(text)
	}
	size := overhead + r.size
	for _, c := range r.calls {
		size += overhead
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.id,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.name.String(), Arguments: c.arguments.String()},
			},
		})
	}
	return message{sdk.ChatCompletionMessageParamUnion{OfAssistant: said}, size}
}
