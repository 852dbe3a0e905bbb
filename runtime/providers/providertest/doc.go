// Package providertest plays the services and the program behind the providers on this machine, so
// that a taxonomy, or a program that uses the providers, can be tested against the real SDKs over
// HTTP and a real process, without an account.
//
//	server := providertest.NewServer(
//		providertest.Fixture("anthropic/rate_limit"),
//		providertest.AnthropicTool("write_file", `{"path":"a.txt","content":"hello"}`),
//		providertest.AnthropicText("done\nTASK COMPLETE"),
//	)
//	defer server.Close()
//
// A [Server] plays its replies in order, one for each request, and records the requests. A [Reply]
// is raw HTTP: status, headers, body, and how the connection ends. [Fixture] reads one of the
// package's raw responses, [Fixtures] lists them, and [ParseReply] reads a response of your own.
// [AnthropicMessage] and [OpenAIMessage] build streamed answers.
//
// A [CLI] is a program that plays Claude Code. Its steps are scripts for /bin/sh, built by
// [CLIAnswer] and its siblings or read by [CLIFixture].
package providertest
