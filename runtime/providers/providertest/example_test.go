package providertest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/openai"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A server plays replies as a service sends them; the provider with its real SDK meets them over
// HTTP.
func Example() {
	dir, err := os.MkdirTemp("", "work")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	server := providertest.NewServer(
		providertest.OpenAIRateLimit("30"),
		providertest.OpenAITool("write_file", `{"path":"a.txt","content":"hello"}`),
		providertest.OpenAIText("It is written.\nTASK COMPLETE"),
	)
	defer server.Close()
	provider, err := openai.New(openai.Options{BaseURL: server.URL + "/v1", Key: "any", Model: "gpt-4.1"})
	if err != nil {
		fmt.Println(err)
		return
	}

	task := executor.Request{Prompt: "Write hello into a.txt.", Dir: dir}
	_, err = provider.Call(context.Background(), task)
	failed := errs.Classify(err)
	fmt.Println(taxonomy.CodeOf(failed), taxonomy.IsRetryable(failed), failed)

	answer, err := provider.Call(context.Background(), task)
	written, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
	fmt.Printf("%q %v %s\n", answer.Text, err, written)
	fmt.Println(server.Count(), "requests")
	// Output:
	// PROVIDER_RATE_LIMIT true provider openai-api limits the rate, retry after 30s
	// "It is written.\nTASK COMPLETE" <nil> hello
	// 3 requests
}

// The examples of a taxonomy drive the server: what they describe comes back through the real
// client as their code.
func ExampleOpenAIReply() {
	source, err := os.ReadFile("../../../taxonomy.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	examples, err := providertest.Examples(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range examples {
		reply, ok := providertest.OpenAIReply(x.Evidence)
		if !ok || x.Not || x.Evidence.Source != "openai-api" || x.Code != "PERMISSION_API_AUTH" {
			continue
		}
		server := providertest.NewServer(reply)
		provider, err := openai.New(openai.Options{BaseURL: server.URL + "/v1", Key: "any", Model: "gpt-4.1"})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = provider.Call(context.Background(), executor.Request{Prompt: "Look around.", Dir: "."})
		fmt.Println(x.Code, "became", taxonomy.CodeOf(errs.Classify(err)))
		server.Close()
	}
	// Output:
	// PERMISSION_API_AUTH became PERMISSION_API_AUTH
	// PERMISSION_API_AUTH became PERMISSION_API_AUTH
}

// A program plays the part of a command line. TestMain must call CLIMain.
func ExampleNewCLI() {
	dir, err := os.MkdirTemp("", "cli")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cli, err := providertest.NewCLI(dir, providertest.CLIAuth(), providertest.CLIAnswer("TASK COMPLETE"))
	if err != nil {
		fmt.Println(err)
		return
	}
	provider, err := claudecli.New(claudecli.Options{Path: cli.Path})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = provider.Call(context.Background(), executor.Request{Prompt: "Look around.", Dir: dir})
	fmt.Println(taxonomy.CodeOf(errs.Classify(err)))
	answer, err := provider.Call(context.Background(), executor.Request{Prompt: "Look around.", Dir: dir})
	fmt.Println(answer.Text, err)
	// Output:
	// PERMISSION_API_AUTH
	// TASK COMPLETE <nil>
}
