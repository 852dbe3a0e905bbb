package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/errgen/errgen/runtime/providers/internal/chat"
)

// param is a message as the SDK has it.
type param = sdk.ChatCompletionMessageParamUnion

type (
	message      = chat.Message[param]
	conversation = chat.Conversation[param]
)

func user(text string) message {
	return message{Param: sdk.UserMessage(text), Size: chat.Overhead + len(text)}
}

func toolResult(id, text string) message {
	return message{Param: sdk.ToolMessage(text, id), Size: chat.Overhead + len(id) + len(text), Tools: true}
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
	size := chat.Overhead + r.size
	for _, c := range r.calls {
		size += chat.Overhead
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: c.id,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.name.String(),
					Arguments: c.arguments.String()},
			},
		})
	}
	return message{Param: param{OfAssistant: said}, Size: size, Tools: len(r.calls) > 0}
}
