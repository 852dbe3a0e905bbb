package executor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// busy is a provider that is overloaded at first.
type busy struct{ calls int }

func (*busy) Name() string { return "anthropic-api" }

func (*busy) Available(context.Context) error { return nil }

func (p *busy) Call(context.Context, executor.Request) (executor.Answer, error) {
	if p.calls++; p.calls == 1 {
		return executor.Answer{}, &taxonomy.Evidence{Source: p.Name(), Op: "call", Status: 529}
	}
	return executor.Answer{Text: "The units have names.\nTASK COMPLETE"}, nil
}

// instant is a clock on which waits take no time.
type instant struct{}

func (instant) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (instant) Sleep(context.Context, time.Duration) error { return nil }

// The executor calls the provider again, because the table specifies that for the failure's code.
func Example() {
	e, err := executor.New(executor.Config{
		Table:    errs.Table,
		Classify: detect.Classifier(errs.Explain),
		Provider: &busy{},
		Clock:    instant{},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result := e.Run(context.Background(), executor.Task{ID: "42", Prompt: "Name the units."})
	fmt.Println(result.Status, "after", result.Calls, "calls")
	fmt.Println(result.Errors[0].Code, result.Errors[0].Reaction)
	// Output:
	// completed after 2 calls
	// PROVIDER_API_ERROR backoff
}
