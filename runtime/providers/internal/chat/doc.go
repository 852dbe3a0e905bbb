// Package chat is what providers have in common that hold the conversation with a model themselves
// and carry out the tools that it asks for: the conversations that can be continued, and what a
// call is beside its requests.
package chat
