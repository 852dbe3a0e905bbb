package anthropic_test

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/anthropic"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The server of providertest takes the place of the service.
func Example() {
	server := providertest.NewServer(
		providertest.Fixture("anthropic/rate_limit"), providertest.AnthropicText("The units have names."))
	defer server.Close()
	provider, err := anthropic.New(anthropic.Options{
		BaseURL: server.URL, // leave it out for Anthropic's own
		Key:     "key", Model: "claude-sonnet-4-5",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		answer, err := provider.Call(context.Background(), executor.Request{Prompt: "Name the units."})
		fmt.Println(answer.Text, taxonomy.CodeOf(errs.Classify(err)))
	}
	// Output:
	// PROVIDER_RATE_LIMIT
	// The units have names.
}
