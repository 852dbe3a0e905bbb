// Package anthropic is a provider over Anthropic's Messages API.
//
// A [Provider] is made by [New]. Each call is one or more requests: the model asks for tools, which
// a [github.com/errgen/errgen/runtime/providers/toolbox.Toolbox] carries out in the working tree,
// until it answers without asking for more, or says that its task is done or blocked. Answers are
// streamed. Conversations are kept in memory, within bounds, so that a later call can continue one.
//
// Whatever fails becomes a [taxonomy.Evidence] with what the service said about it: status, type,
// request id, how long to wait. A failure that the service reports within a stream has no status
// but its own type. What the stream itself can say is no answer: one that ends before the message
// does is of type "stream", and a message that stops for any other reason than that it is finished
// is of that reason's type, such as "max_tokens" and "refusal". The SDK's own retries are off:
// whether and when something is tried again is the taxonomy's matter.
//
// A request that was refused with an error status, or could not be sent, has used nothing. One that
// broke off may have used anything, and one of which the service does not say what it used too:
// then what the whole call used is unknown.
//
// The key is in no evidence, error or answer, not even if the service repeats it.
package anthropic
