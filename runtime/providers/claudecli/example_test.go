//go:build unix

package claudecli_test

import (
	"context"
	"fmt"
	"os"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The program of providertest takes the place of Claude Code.
func Example() {
	dir, err := os.MkdirTemp("", "claude")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cli, err := providertest.NewCLI(dir,
		providertest.CLIFixture("claude/overloaded"), providertest.CLIAnswer("The units have names."))
	if err != nil {
		fmt.Println(err)
		return
	}
	provider, err := claudecli.New(claudecli.Options{Path: cli.Path, AllowedTools: []string{"Edit", "Bash(go test *)"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		answer, err := provider.Call(context.Background(), executor.Request{Prompt: "Name the units.", Dir: dir})
		fmt.Println(answer.Text, taxonomy.CodeOf(errs.Classify(err)))
	}
	// Output:
	// PROVIDER_API_ERROR
	// The units have names.
}
