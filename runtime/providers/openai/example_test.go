package openai_test

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The server of providertest takes the place of the service.
func Example() {
	server := providertest.NewServer(
		providertest.Fixture("openai/quota"), providertest.OpenAIText("The units have names."))
	defer server.Close()
	provider, err := openai.New(openai.Options{
		BaseURL: server.URL, // or that of a gateway or a local server
		Key:     "key", Model: "gpt-4.1",
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
	// PROVIDER_API_ERROR
	// The units have names.
}
