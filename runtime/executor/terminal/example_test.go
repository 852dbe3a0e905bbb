package terminal_test

import (
	"context"
	"os"
	"time"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/terminal"
)

type done struct{}

func (done) Name() string { return "claude-cli" }

func (done) Available(context.Context) error { return nil }

func (done) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{Text: "TASK COMPLETE"}, nil
}

type instant struct{}

func (instant) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (instant) Sleep(context.Context, time.Duration) error { return nil }

// A run is shown as plain lines, because the output is no terminal.
func Example() {
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: done{},
		Observer: terminal.New(os.Stdout), Clock: instant{},
	})
	if err != nil {
		panic(err)
	}
	e.Run(context.Background(), executor.Task{Run: "nightly-42", ID: "42", Prompt: "Name the units."})
	// Output:
	// run nightly-42: 42
	// iteration 1
	//   calling claude-cli
	//   claude-cli took 0.0s
	// completed after 1 iteration
}
