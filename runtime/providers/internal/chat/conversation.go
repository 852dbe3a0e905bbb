package chat

import "slices"

// Overhead is about how many bytes a message, or a block of one, takes beside its texts.
const Overhead = 256

// Message is a message of a conversation, as P, the type that an SDK has for it.
type Message[P any] struct {
	Param P
	// Size is about how many bytes it takes.
	Size int
	// Tools reports that it asks for tools, or has their results.
	Tools bool
}

// Conversation is messages that are never changed once they are in one.
type Conversation[P any] []Message[P]

// Size returns about how many bytes the messages take.
func (c Conversation[P]) Size() int {
	n := 0
	for _, m := range c {
		n += m.Size
	}
	return n
}

// Params returns the messages as the SDK sends them. The slice is the caller's.
func (c Conversation[P]) Params() []P {
	out := make([]P, len(c))
	for i, m := range c {
		out[i] = m.Param
	}
	return out
}

// Reduced returns a shorter conversation: without tools and what they returned; if there are none,
// without the older half of what came after the first message, which has the task.
func (c Conversation[P]) Reduced() Conversation[P] {
	said := slices.DeleteFunc(slices.Clone(c), func(m Message[P]) bool { return m.Tools })
	if len(said) < len(c) || len(said) < 2 {
		return said
	}
	return append(slices.Clip(said[:1]), said[1+len(said)/2:]...)
}
