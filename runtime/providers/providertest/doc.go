// Package providertest speaks the failures of providers in their real wire forms, on this machine
// and without an account, so that a taxonomy can be tried against the clients that meet them: the
// real SDK, the real HTTP client, a real process.
//
//	server := providertest.NewServer(
//		providertest.AnthropicRateLimit("30"),
//		providertest.AnthropicTool("write_file", `{"path":"a.txt","content":"hello"}`),
//		providertest.AnthropicText("done\nTASK COMPLETE"),
//	)
//	defer server.Close()
//
// A [Server] plays its replies in order, one for each request, and remembers the requests. A
// [Reply] is in terms of the wire: status, headers, body, events, and how the connection ends.
// There are constructors for what the services of Anthropic and OpenAI send.
//
// [Examples] reads the examples that a taxonomy itself gives for its codes, and [AnthropicReply]
// and its like turn the evidence of one into the reply from which a client gets that evidence. A
// [CLI] is the same for a provider that is a process.
package providertest
