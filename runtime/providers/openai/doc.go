// Package openai is a provider over OpenAI's HTTP interface, and over the servers that speak the
// same: gateways, proxies and local models.
//
// A [Provider] is made by [New]. Each call is one or more requests: the model asks for tools, which
// a [github.com/errgen/errgen/runtime/providers/toolbox.Toolbox] carries out in the working tree,
// until it answers with a text or says that its task is done or blocked.
//
// Requests are streaming chat completions and not responses, OpenAI's newer form. Chat completions
// are what other servers speak too; and their conversation is a list of messages that the client
// holds, so that nothing of it has to be kept by the server, and a conversation can be shortened.
//
// Whatever fails becomes a [taxonomy.Evidence] with what the server said about it: status, type,
// code, parameter, request id, how long to wait. An error within a stream has no status but its own
// type and code. A stream that ends before the answer does is of type "stream", and an answer that
// was cut off or withheld is of the type that its finish_reason says: "length", "content_filter".
// The SDK's own retries are off: whether and when something is tried again is the taxonomy's
// matter.
//
// A request that was refused with an error status, or could not be sent, has used nothing. One that
// broke off may have used anything, and one of which the server does not say what it used too: then
// what the whole call used is unknown.
//
// The key is in no evidence, error or answer, not even if the server repeats it.
package openai
