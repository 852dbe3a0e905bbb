// Package claudecli is a provider that is a process: the command-line interface of Claude Code, run
// without a person as "claude -p --output-format stream-json --verbose".
//
// The prompt goes in on standard input, and a stream of JSON events comes out, of which the last is
// the result. What the result says of itself is trusted in one thing only, is_error; its subtype is
// "success" for failures of the API, too. A result without an is_error that is true or false is a
// broken stream and no success. Of several results the last counts, unless an earlier one says that
// the call failed. Everything that fails becomes a *taxonomy.Evidence whose text is what the
// process said about the failure: the result of a failed run and the end of standard error, never
// the conversation.
//
// A call is a group of processes, ended as a whole at the call's deadline, when it is cancelled,
// and soon after the result; see package proc for what that means on which system. The interface's
// own tries are off: whether and when something is tried again is the taxonomy's business.
//
// The form of the events is that of Claude Code's documentation
// (https://code.claude.com/docs/en/headless) and of the types in
// github.com/anthropics/claude-agent-sdk-python. Events and fields that are not known are passed
// over, so that new ones do no harm.
package claudecli
