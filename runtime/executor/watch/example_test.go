package watch_test

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/watch"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type refused struct{}

func (refused) Name() string { return "anthropic-api" }

func (refused) Available(context.Context) error { return nil }

func (p refused) Call(context.Context, executor.Request) (executor.Answer, error) {
	return executor.Answer{}, &taxonomy.Evidence{Source: p.Name(), Op: "call", Status: 401}
}

// The errors of a run are counted while it runs.
func Example() {
	var runs report.Runs
	reporter := report.NewReporter(report.ReporterOptions{})
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: refused{},
		Observer: watch.Observer(watch.Options{Table: errs.Table, Sink: reporter, Runs: &runs}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e.Run(context.Background(), executor.Task{ID: "42", Prompt: "Name the units."})
	for _, c := range reporter.Snapshot().Codes {
		fmt.Println(c.Code, c.Count)
	}
	fmt.Println(len(runs.All()), "run")
	// Output:
	// PERMISSION_API_AUTH 1
	// 1 run
}
